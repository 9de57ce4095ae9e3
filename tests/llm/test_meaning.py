"""Search by meaning: a vault, a server with a vector for each text, and all that goes wrong."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.index import vector_store
from engram.model.errors import ConfigError, Locked, StorageError, Untrusted
from engram.model.hit import Answers
from engram.settings.paths import places_of
from engram.settings.registry import Registry
from engram.surfaces.hooks.process import respond
from engram.vault import Vault
from tests.conftest import NOW
from tests.fakes.model_server import Asked, Behaviour, Handler, ModelServer, embeds, fails, silent
from tests.kit import where
from tests.llm.office import Moving, Office, said, usage_log
from tests.security.canaries import canary

CAR = "The automobile is parked in the yard."
TEA = "We drink tea at noon."
REST = "My physician said that I should rest."


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([embeds()]) as made:
        yield made


def opened(office: Office, server: ModelServer, **settings: object) -> Vault:
    """A vault with three turns and a memory of none of them."""
    office.set(llm_embedding_model="m", llm_embedding_url=server.base_url, **settings)
    vault = office.open()
    if not vault.status().turns:
        vault.capture([said(text, str(number)) for number, text in enumerate((CAR, TEA, REST))])
        vault.remember("The feline sleeps on the sofa.")
    return vault


def sent(server: ModelServer) -> list[str]:
    """Every text that was sent."""
    return [text for request in server.requests for text in request.body["input"]]


def turns(found: Answers) -> list[str]:
    return [hit.snippet for hit in found.turns]


# -- what it is for ----------------------------------------------------------------------------


def test_other_words_for_the_same_find_memories_and_turns(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    assert vault.search("flumo").hits == []
    vault.embed()
    assert turns(vault.search("Where is the flumo?"))[0] == CAR
    found = vault.search("purrel")
    assert found.memories[0].snippet == "The feline sleeps on the sofa."
    assert found.memories[0].why[0] == "meaning matches 100% as well as the best"
    assert found.words_alone == ""


def test_why_says_how_much_is_due_to_meaning(office: Office, server: ModelServer) -> None:
    vault = opened(office, server)
    vault.embed()
    (best, *_) = vault.search("yard flumo").turns
    assert best.snippet == CAR
    assert any(why.startswith("meaning ") and why.endswith("% of it") for why in best.why)


def test_memories_come_before_turns_and_nothing_is_sent_twice(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    assert vault.embedding_estimate().calls == 5  # the memory was said as well
    assert vault.embed().made == 5
    assert vault.embed().made == 0
    first, second = server.requests
    assert first.body["input"] == ["The feline sleeps on the sofa."]
    assert f"{CAR}\n{TEA}" in second.body["input"]
    status = vault.status().vectors
    assert status is not None
    assert (status.model, status.memories, status.turns) == ("m", 1, 4)
    vault.capture([said("The moon is full.", "9")])
    assert (vault.embedding_estimate().calls, vault.embed().made) == (1, 1)


def test_a_question_is_sent_once_as_it_stands_and_as_a_statement(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    vault.embed()
    server.requests.clear()
    vault.search("Where is the flumo?")
    vault.search("Where is the flumo?")
    assert sent(server) == ["Where is the flumo?", "the flumo"]


def test_a_recall_is_given_what_lies_near_beside_words_and_never_instead(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    vault.remember("The till is made of feline bones.")
    vault.embed()
    assert vault.recall("purrel").shown == ()
    assert vault.search("purrel").memories
    (first, *_) = vault.list()
    assert first.id in vault.recall("sofa purrel").shown


def test_what_lies_no_nearer_than_the_average_is_no_answer(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    vault.embed()
    assert 0 < len(vault.search("flumo").turns) < 4


def test_what_a_filter_keeps_out_is_not_found_by_meaning_either(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    vault.embed()
    assert turns(vault.search("flumo before:2026-01-01")) == []
    assert vault.search("purrel category:decision").memories == []
    assert turns(vault.search("flumo -yard"))[:1] != [CAR]
    assert turns(vault.search('flumo "parked in"')) == [CAR]


# -- what is sent, and what is not --------------------------------------------------------------


def test_without_a_model_nothing_is_sent_and_nothing_is_looked_for(
    office: Office, server: ModelServer
) -> None:
    office.set(llm_embedding_url=server.base_url)
    vault = office.open()
    vault.capture([said(CAR)])
    assert turns(vault.search("yard")) == [CAR]
    assert vault.status().vectors is None
    with pytest.raises(ConfigError, match="no model"):
        vault.embed()
    assert server.requests == []


def test_a_vault_that_is_not_registered_sends_nothing(office: Office, server: ModelServer) -> None:
    vault = opened(office, server)
    vault.embed()
    Registry(places_of(office.environment)).remove(vault.root)
    server.requests.clear()
    stranger = office.open()
    assert not stranger.trusted
    assert turns(stranger.search("flumo")) == []
    with pytest.raises(Untrusted):
        stranger.embed()
    assert server.requests == []


def test_a_memory_for_nobody_is_never_sent(office: Office, server: ModelServer) -> None:
    vault = opened(office, server)
    name = vault.list()[0].path
    path = vault.root / name
    path.write_text(path.read_text("utf-8").replace("sofa", "sofa, password=hunter2-88x"), "utf-8")
    vault.take_up_edits()
    assert vault.parts.catalog.withheld()
    assert vault.embed().made == 4
    assert not any("hunter2" in text for text in sent(server))
    assert vault.parts.vectors.stamps("memories") == {}


def test_the_setting_is_none_that_a_vault_may_make(office: Office, server: ModelServer) -> None:
    vault = opened(office, server)
    config = vault.root / "engram.toml"
    config.write_text(config.read_text("utf-8") + '\n[llm]\nembedding_model = "x"\n', "utf-8")
    with pytest.raises(ConfigError, match="embedding_model"):
        office.open()


# -- what is no longer in sight ----------------------------------------------------------------


def test_turns_that_were_forgotten_or_taken_back_are_not_found_and_lose_their_vectors(
    office: Office, server: ModelServer, tmp_path: Path
) -> None:
    vault = opened(office, server)
    talk = tmp_path / "talk.txt"
    talk.write_text("User: The zeppelin is a flumo.\nAgent: Indeed.\n", encoding="utf-8")
    vault.import_files("text", talk)
    vault.embed()
    assert "zeppelin" in " ".join(turns(vault.search("automobile")))
    vault.undo()
    assert "zeppelin" not in " ".join(turns(vault.search("automobile")))
    link = next(hit.id for hit in vault.search("flumo").turns if hit.snippet == CAR)
    vault.forget(link)
    assert CAR not in turns(vault.search("flumo"))
    server.requests.clear()
    vault.embed()
    assert set(vault.parts.vectors.stamps("turns")) == set(
        vault.parts.catalog.turns.all_links()
    ) - {link}
    # the next turn was embedded with the forgotten one in front
    assert sent(server) == [TEA]


def test_a_memory_with_other_words_gets_another_vector(office: Office, server: ModelServer) -> None:
    vault = opened(office, server)
    vault.embed()
    path = vault.root / vault.list()[0].path
    path.write_text(path.read_text("utf-8").replace("sofa", "roof"), "utf-8")
    server.requests.clear()
    assert vault.embed().made == 1
    assert sent(server) == ["The feline sleeps on the roof."]


def test_a_purge_removes_all_vectors_and_the_next_ones_are_made_anew(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    vault.embed()
    link = next(hit.id for hit in vault.search("yard").turns if hit.snippet == CAR)
    folder = vault.parts.cache / "vectors"
    assert folder.is_dir()
    report = vault.purge(link)
    assert not folder.exists() and report.left == ()
    assert vault.search("flumo").words_alone
    server.requests.clear()
    assert vault.embed().made == 4
    assert not any("automobile" in text for text in sent(server))


def test_a_purge_that_cannot_remove_vectors_says_so_and_is_finished_later(
    office: Office, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = opened(office, server)
    vault.embed()
    link = next(hit.id for hit in vault.search("yard").turns if hit.snippet == CAR)
    folder = vault.parts.cache / "vectors"

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    with monkeypatch.context() as patched:
        patched.setattr("engram.index.vector_store.shutil.rmtree", refuse)
        with pytest.raises(StorageError, match="cannot be removed"):
            vault.purge(link)
        assert folder.is_dir()
    vault.remember("The kettle is new.")
    assert not folder.exists()
    assert CAR not in "".join(path.read_text("utf-8") for path in vault.root.rglob("*.md"))


def test_vectors_of_before_a_purge_that_came_from_elsewhere_are_not_used(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    vault.embed()
    store = vault.parts.vectors
    kept = {path.name: path.read_bytes() for path in (vault.parts.cache / "vectors").iterdir()}
    vault.purge(next(hit.id for hit in vault.search("noon").turns if hit.snippet == TEA))
    store.begin("m", 0)
    for name, data in kept.items():
        (vault.parts.cache / "vectors" / name).write_bytes(data)
    assert store.state().turns == 4
    assert CAR not in turns(vault.search("flumo"))
    assert "embed" in vault.search("yard").words_alone
    vault.embed()
    assert store.state().turns == 3


# -- what goes wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "behaviour",
    [fails(500), fails(401), silent(1.5), embeds(data=[]), embeds(dimensions=7)],
    ids=["ill", "no key", "silent", "no vectors", "other dimensions"],
)
def test_a_question_without_a_vector_is_answered_by_words_and_says_so(
    behaviour: Behaviour, office: Office, server: ModelServer
) -> None:
    vault = opened(office, server, llm_timeout_seconds=1)
    vault.embed()
    server.behaviours[:] = [behaviour]
    server.requests.clear()
    found = vault.search("yard flumo")
    assert turns(found)[0] == CAR and found.words_alone
    again = vault.search("yard automobile")
    assert turns(again)[0] == CAR and again.words_alone


def test_who_did_not_answer_is_not_asked_again_within_a_minute(
    office: Office, server: ModelServer
) -> None:
    clock = Moving(NOW)
    vault = opened(office, server)
    vault.embed()
    vault = office.open(clock=clock)
    server.behaviours[:] = [fails(500)]
    server.requests.clear()
    for _ in range(3):
        assert "HTTP 500" in vault.search("yard").words_alone
    assert len(server.requests) == 1
    server.behaviours[:] = [embeds()]
    clock.go_on(1.5)
    assert vault.search("yard").words_alone == ""


def test_an_endpoint_that_is_away_costs_nothing_and_is_told(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    vault.embed()
    office.set(llm_embedding_url="http://127.0.0.1:9/v1")
    offline = office.open()
    found = offline.search("yard")
    assert turns(found)[0] == CAR and "embedding" in found.words_alone
    done = offline.capture([said("One more.", "8")]) and offline.embed()
    assert (done.made, done.reason) == (0, "unreachable")


def test_before_the_first_vectors_a_search_says_what_makes_them(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    assert "engram embed" in vault.search("yard").words_alone
    assert server.requests == []


def test_another_model_makes_all_vectors_anew(office: Office, server: ModelServer) -> None:
    vault = opened(office, server)
    vault.embed()
    office.set(llm_embedding_model="another")
    vault = office.open()
    assert vault.search("yard").words_alone
    status = vault.status().vectors
    assert status is not None and (status.memories, status.turns) == (0, 0)
    assert vault.embedding_estimate().calls == vault.embed().made == 5
    assert vault.parts.vectors.state().model == "another"


def test_a_model_that_changes_its_dimensions_makes_all_vectors_anew(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    vault.embed()
    server.behaviours[:] = [embeds(dimensions=16)]
    assert "another length" in vault.search("yard flumo").words_alone
    vault.capture([said("One more.", "8")])
    assert vault.embed().made == 6
    assert turns(vault.search("flumo"))[0] == CAR


def test_a_budget_that_ends_keeps_what_was_made(office: Office, server: ModelServer) -> None:
    vault = opened(office, server, llm_run_tokens=20)
    done = vault.embed()
    assert (done.reason, 0 < done.made < 5) == ("budget", True)
    office.set(llm_run_tokens=100_000)
    assert office.open().embed().made == 5 - done.made


def test_a_text_that_is_too_long_for_the_model_is_left_out_and_no_other(
    office: Office, server: ModelServer
) -> None:
    def picky(asked: Asked, handler: Handler) -> None:
        long = any("automobile" in text for text in asked.body["input"])
        (fails(400, "context_length_exceeded") if long else embeds())(asked, handler)

    server.behaviours[:] = [picky]
    vault = opened(office, server)
    done = vault.embed()
    # the turn itself, and the one that has it in front
    assert (done.made, done.reason) == (3, "")


def test_damaged_vectors_are_told_and_made_anew(office: Office, server: ModelServer) -> None:
    vault = opened(office, server)
    vault.embed()
    (vault.parts.cache / "vectors" / "turns.f32").write_bytes(b"short")
    found = vault.search("yard")
    assert turns(found)[0] == CAR and found.words_alone
    assert vault.embed().made == 5


def test_a_vault_without_memories_has_nothing_to_embed(office: Office, server: ModelServer) -> None:
    office.set(llm_embedding_model="m", llm_embedding_url=server.base_url)
    vault = office.open()
    assert vault.embedding_estimate().calls == vault.embed().made == 0
    assert vault.search("anything").hits == []
    assert server.requests == []


def test_two_processes_do_not_embed_at_once(office: Office, server: ModelServer) -> None:
    vault = opened(office, server)
    with vault.parts.embedding()._lock().hold(), pytest.raises(Locked):
        office.open().embed()


def test_without_numpy_words_alone_are_searched_and_nothing_is_sent(
    office: Office, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = opened(office, server)
    vault.embed()
    server.requests.clear()
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.delitem(sys.modules, "engram.index.unit_vectors")
    found = vault.search("yard")
    assert turns(found)[0] == CAR
    assert found.words_alone.startswith("numpy is not installed")
    with pytest.raises(ConfigError, match="numpy"):
        vault.embed()
    assert server.requests == []
    assert vault.status().vectors is not None


def test_the_usage_log_holds_no_content(office: Office, server: ModelServer) -> None:
    vault = opened(office, server)
    vault.embed()
    vault.search("flumo")
    told = json.dumps(usage_log(vault))
    assert "yard" not in told and "flumo" not in told


def test_a_text_that_the_model_makes_nothing_of_is_left_out_and_no_other(
    office: Office, server: ModelServer
) -> None:
    def poisoned(asked: Asked, handler: Handler) -> None:
        nothing = any("physician" in text for text in asked.body["input"])
        (embeds(data=[]) if nothing else embeds())(asked, handler)

    server.behaviours[:] = [poisoned]
    vault = opened(office, server)
    assert (vault.embed().made, vault.embed().reason) == (4, "no-vectors")
    assert turns(vault.search("flumo"))[0] == CAR


def test_a_model_that_makes_nothing_of_any_text_is_not_asked_for_each(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    vault.capture([said(f"Number {number}.", f"n{number}") for number in range(100)])
    server.behaviours[:] = [embeds(data=[])]
    done = vault.embed()
    assert (done.made, done.reason) == (0, "no-vectors")
    assert len(server.requests) <= 16


def test_a_model_whose_vectors_have_several_lengths_is_told(
    office: Office, server: ModelServer
) -> None:
    vault = opened(office, server)
    server.behaviours[:] = [embeds(dimensions=number) for number in (8, 9, 10, 11, 12, 13)]
    done = vault.embed()
    assert done.reason and "instead of" in done.message
    assert turns(vault.search("yard"))[0] == CAR


def test_hooks_send_nothing(office: Office, server: ModelServer) -> None:
    vault = opened(office, server)
    vault.embed()
    vault.close()
    server.requests.clear()
    environment = office.environment | {"ENGRAM_VAULT": str(vault.root)}
    for event, fields in (
        ("session-start", {"hook_event_name": "SessionStart"}),
        ("prompt", {"hook_event_name": "UserPromptSubmit", "prompt": "where is the feline?"}),
    ):
        data = json.dumps({"session_id": "s", "cwd": str(vault.root), **fields}).encode()
        respond([event], lambda data=data: data, environment)  # type: ignore[misc]
    assert server.requests == []


def test_a_full_disk_keeps_the_vectors_that_there_are(
    office: Office, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = opened(office, server)
    vault.embed()
    vault.capture([said("One more automobile.", "8")])

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(vector_store, "fsync", full)
    with pytest.raises(StorageError) as refused:
        vault.embed()
    assert refused.value.hint
    assert turns(vault.search("flumo"))[0] == CAR
    monkeypatch.undo()
    assert vault.embed().made == 1


def test_what_an_endpoint_says_of_a_secret_is_shown_to_nobody(
    office: Office, server: ModelServer
) -> None:
    secret = canary("openai", "said by the endpoint")
    vault = opened(office, server)
    vault.embed()
    server.behaviours[:] = [fails(400, message=f"no vector of {secret.text}")]
    assert secret.telling not in vault.search("yard").words_alone
    vault.capture([said("One more.", "8")])
    assert secret.telling not in vault.embed().message
    assert where(office.folder, secret.telling) == []
