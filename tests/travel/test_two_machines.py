"""One vault on two machines: nothing is done twice, and what both did comes together."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.change import Plan
from engram.model.turn import turn_of
from engram.pipeline import ingest
from engram.store.base import layout
from tests.effort import examples
from tests.fakes.model_server import Behaviour, ModelServer, answers, fact, facts
from tests.machines import Machine, SyncTool, copied

SAID = (
    "We decided to use Postgres instead of SQLite because two writers need it.",
    "I prefer tabs over spaces in Go code.",
    "From now on never push to main without a review.",
)
LATER = "2026-04-20T12:00:00Z"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Machine, Machine]:
    """A vault, and its copy on a second machine."""
    one = Machine(tmp_path / "one")
    with one.vault():
        pass
    return one, copied(one, tmp_path / "two")


def without_expiry(facts: dict[str, bytes]) -> dict[str, bytes]:
    return {name: re.sub(rb"\nexpires: [^\n]*", b"", data) for name, data in facts.items()}


def test_the_same_conversation_gives_the_same_facts_but_for_their_expiry(
    pair: tuple[Machine, Machine],
) -> None:
    one, two = pair
    one.hears(*SAID)
    two.hears(*SAID, now=LATER)
    assert len(one.facts()) == 3
    assert one.facts() != two.facts()
    assert without_expiry(one.facts()) == without_expiry(two.facts())


def test_of_two_expiries_the_later_one_comes_out_on_both(pair: tuple[Machine, Machine]) -> None:
    one, two = pair
    tool = SyncTool(one, two)
    tool.run()
    one.hears(*SAID)
    two.hears(*SAID, now=LATER)
    later = two.facts()
    tool.run()
    assert tool.conflicts >= 3
    one.consolidates(LATER)
    two.consolidates(LATER)
    tool.run()
    assert one.facts() == two.facts() == later
    assert not any(layout.is_conflict_copy(Path(name).name) for name in one.travelling())
    for machine in (one, two):
        with machine.vault(LATER) as vault:
            assert [found for found in vault.doctor() if found.code != "exposed"] == []


@examples(5)
@given(
    st.lists(
        st.sampled_from(["one hears", "two hears", "one tends", "two tends", "sync"]), max_size=6
    )
)
def test_in_whatever_order_they_meet_both_have_the_same_facts_in_the_end(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    home = tmp_path_factory.mktemp("machines")
    one = Machine(home / "one")
    with one.vault():
        pass
    two = copied(one, home / "two")
    tool = SyncTool(one, two)
    tool.run()
    one.hears(*SAID[:2])
    two.hears(*SAID[1:], session="t")
    for number, step in enumerate(steps):
        machine = one if step.startswith("one") else two
        now = f"2026-03-{10 + number:02d}T12:00:00Z"
        if step == "sync":
            tool.run()
        elif step.endswith("hears"):
            machine.hears(*SAID, f"The till number {number} opens at eight.", now=now)
        else:
            machine.consolidates(now)
    end = "2026-03-20T12:00:00Z"
    for _ in range(2):
        tool.run()
        one.consolidates(end)
        two.consolidates(end)
    tool.run()
    one.consolidates(end)
    two.consolidates(end)
    assert one.facts() == two.facts()
    live = b"".join(data for data in one.facts().values() if b"status: active" in data)
    assert all(live.count(text.encode()) for text in ("Postgres", "tabs", "review"))
    assert not any(layout.is_conflict_copy(Path(name).name) for name in one.facts())


def test_a_vault_that_comes_without_its_state_works_whole(pair: tuple[Machine, Machine]) -> None:
    one, _ = pair
    said = one.hears(*SAID)
    three = copied(one, one.home.parent / "three")
    assert not (three.root / "state").exists()
    with three.vault() as vault:
        vault.rebuild()
        assert vault.search("postgres").memories and vault.search("postgres").turns
        report, _ = vault.import_files("jsonl", said, live=True)
        assert report.new_turns == 0 and vault.waiting() == []
        assert [found.code for found in vault.doctor()] in ([], ["exposed"])
        assert vault.consolidate(full=True) is not None
        vault.forget(next(vault.parts.catalog.memories()).id)
        vault.undo()
    assert three.facts() == one.facts()


def test_what_another_machine_captured_is_not_captured_again(
    pair: tuple[Machine, Machine],
) -> None:
    one, two = pair
    tool = SyncTool(one, two)
    with two.vault() as running:
        assert running.search("postgres").memories == []
        said = one.hears(*SAID)
        tool.run()
        report, _ = running.import_files("jsonl", said, live=True)
        assert report.new_turns == 0 and running.waiting() == []
    assert one.facts() == two.facts()
    transcript = next(name for name in two.travelling() if name.startswith("transcripts/"))
    assert (one.root / transcript).read_bytes() == (two.root / transcript).read_bytes()


def test_what_both_captured_is_extracted_by_the_one_that_was_first(
    pair: tuple[Machine, Machine],
) -> None:
    one, two = pair
    said = one.hears(*SAID)
    with two.vault() as vault:
        vault.import_files("jsonl", said, live=True, extract=False)
        assert sum(waiting.turns for waiting in vault.waiting()) == 3
    for name, data in one.travelling().items():
        if name.startswith("transcripts/"):
            (two.root / name).write_bytes(data)
    with two.vault() as vault:
        assert vault.flush().turns == 0 and vault.waiting() == []
        assert vault.parts.catalog.status_counts() == {}
    shutil.copytree(one.root / "facts", two.root / "facts", dirs_exist_ok=True)
    assert one.facts() == two.facts()


def marks(machine: Machine) -> list[str]:
    """How far the transcripts say that they are extracted."""
    shown = (data for name, data in machine.travelling().items() if name.startswith("transcripts/"))
    lines = (line for data in shown for line in data.decode().splitlines())
    return [line for line in lines if line.startswith("extracted:")]


def test_turns_that_the_other_machine_still_owes_are_not_called_extracted(
    pair: tuple[Machine, Machine],
) -> None:
    one, two = pair
    tool = SyncTool(one, two)
    one.hears(*SAID[:1])
    one.hears(*SAID[:2], extract=False)
    tool.run()
    (mark,) = marks(two)
    two.hears(*SAID)
    assert marks(two) == [mark] and len(two.facts()) == 2
    tool.run()
    with one.vault() as vault:
        assert vault.flush().turns == 1
    assert len(one.facts()) == 3


def test_a_turn_that_is_queued_again_is_this_machines_to_extract(
    pair: tuple[Machine, Machine],
) -> None:
    one, _ = pair
    one.hears(*SAID)
    with one.vault() as vault:
        ack = Plan("retry", requeue=((2, 3),))
        vault.parts.committer.commit(ack)
        assert vault.flush().turns == 2


def test_what_an_import_brought_is_not_taken_for_anothers_when_later_turns_are_extracted(
    tmp_path: Path,
) -> None:
    one = Machine(tmp_path / "one")
    said = [turn_of("user", text, f"2026-03-06T10:0{minute}:00Z", project="shop", session="s")
            for minute, text in enumerate(SAID)]  # fmt: skip
    with one.vault() as vault:
        ingest.take_in(said[:1], vault.parts)
        ingest.take_in(said[1:2], vault.parts, "import-2")
        ingest.take_in(said[2:], vault.parts)
        first = vault.parts.turns.pending(said[0].transcript)[0]
        assert first == [(1, 1), (3, 3)]
        vault.parts.committer.commit(Plan("extract", ack=tuple(first)))
        assert vault.flush().turns == 1 and len(one.facts()) == 1


def test_a_conversation_that_was_undone_in_part_can_be_taken_in_again(tmp_path: Path) -> None:
    one = Machine(tmp_path / "one")
    said = one.hears(*SAID[:1])
    whole = said.read_text(encoding="utf-8") + said.read_text(encoding="utf-8").replace(
        SAID[0], SAID[1]
    )
    with one.vault() as vault:
        said.write_text(whole, encoding="utf-8")
        report, _ = vault.import_files("jsonl", said)
        assert report.new_turns == 1 and len(one.facts()) == 2
        vault.undo(report.batch)
        assert len(one.facts()) == 1
        assert vault.import_files("jsonl", said)[1].memories == 1
        assert len(one.facts()) == 2


def test_a_conversation_that_came_by_file_is_found_and_its_receipts_hold(
    pair: tuple[Machine, Machine],
) -> None:
    one, two = pair
    with two.vault() as running:
        assert running.search("postgres").turns == []
        one.hears(*SAID)
        SyncTool(one, two).run()
        running.consolidate()
        assert "postgres" in running.search("postgres").turns[0].snippet.casefold()
        assert [found.code for found in running.doctor() if found.code != "exposed"] == []


# -- with a model --------------------------------------------------------------------------------


def asking(machine: Machine, server: ModelServer) -> Machine:
    """The machine with a model that is asked."""
    machine.environment |= {
        "ENGRAM_LLM_MODEL": "gpt-4.1-mini", "ENGRAM_LLM_BASE_URL": server.base_url,
        "OPENAI_API_KEY": "recorded",
    }  # fmt: skip
    return machine


def proposing(text: str) -> Behaviour:
    """A model that makes this one fact of what is said first, and merges nothing."""
    return answers(facts(fact(text, SAID[0][:-1], category="decision")))


def test_a_model_is_not_asked_about_what_another_machine_has_extracted(
    pair: tuple[Machine, Machine],
) -> None:
    one, two = pair
    with ModelServer([proposing("The shop uses Postgres, since two writers need it.")]) as server:
        said = asking(one, server).hears(SAID[0])
        paid = len(server.requests)
        assert paid and len(one.facts()) == 1
        asking(two, server)
        with two.vault() as vault:
            vault.import_files("jsonl", said, live=True, extract=False)
        SyncTool(one, two).run()
        with two.vault() as vault:
            assert vault.flush().turns == 0
        two.hears(SAID[0])
        assert len(server.requests) == paid and one.facts() == two.facts()


def test_what_two_models_said_in_other_words_becomes_one(pair: tuple[Machine, Machine]) -> None:
    one, two = pair
    texts = (
        "The shop uses Postgres, not SQLite, because two writers are needed.",
        "The shop uses PostgreSQL instead of SQLite because two writers are needed.",
    )
    for machine, text in zip(pair, texts, strict=True):
        with ModelServer([proposing(text)]) as server:
            asking(machine, server).hears(SAID[0])
        machine.environment.clear()
    tool = SyncTool(one, two)
    tool.run()
    assert len(one.facts()) == 2
    one.consolidates()
    tool.run()
    two.consolidates()
    tool.run()
    assert one.facts() == two.facts()
    live = [data for data in one.facts().values() if b"status: active" in data]
    assert len(live) == 1 and len(one.facts()) == 2
