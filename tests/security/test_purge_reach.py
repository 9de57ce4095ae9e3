"""A purge reaches every place that holds words, or that was made of them: vault, cache, state."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.turn import Turn, turn_of
from engram.store.files.taken_copies import TakenCopies
from engram.vault import Vault
from tests.conftest import NOW
from tests.kit import reopened, where

#: made-up words, each of which only what is purged brings: statement, name, title, second statement
WORD, NAME, TITLE, OTHER = "zwiebelkuchen99", "Quaddelberg", "Flunkerplan", "Ümlautkäse"

SAID = (
    ("user", f"Our codename is {WORD.capitalize()} because {NAME} wanted it."),
    ("assistant", "Noted."),
    ("user", "We use postgres for the shop."),
    ("user", f"I prefer {OTHER} in the blue kitchen."),
    ("user", "I live in Hamburg."),
)


def conversation(session: str = "s", title: str = f"{TITLE} {WORD}") -> list[Turn]:
    """What was said, with a title made of it."""
    return [
        turn_of(role, text, f"2026-03-05T10:0{number}:00Z", session=session, title=title)
        for number, (role, text) in enumerate(SAID)
    ]


def lived_in(vault: Vault) -> Vault:
    """A vault in which the words went through all that makes something of them."""
    vault.capture(conversation())
    vault.flush()
    vault.consolidate()
    held = memory(vault, WORD)
    vault.forget(held, reason=f"{WORD} is a silly word")
    vault.undo()
    path = vault.root / vault.memory(held).path
    path.rename(path.with_name(f"My {WORD} note.md"))
    vault.take_up_edits()
    named = vault.root / vault.memory(held).path
    named.write_text(named.read_text().replace("aliases:", f"aliases:\n  - the {WORD} thing"))
    vault.take_up_edits()
    vault.consolidate(full=True)
    vault.search(WORD)
    return vault


def memory(vault: Vault, word: str) -> str:
    """The memory that holds a word."""
    return next(one.id for one in vault.parts.catalog.memories() if word in one.text.casefold())


def standing(vault: Vault, home: Path, *words: str) -> list[str]:
    """Where words stand below the home folder, in any case, also as JSON writes them."""
    vault.close()
    forms = {form for word in words for form in (word, json.dumps(word)[1:-1])}
    data = {path: path.read_bytes().decode("utf-8", "ignore").casefold()
            for path in home.rglob("*") if path.is_file()}  # fmt: skip
    places = [str(path.relative_to(home)) for path, text in data.items()
              if any(form.casefold() in text for form in forms)]  # fmt: skip
    names = [
        str(path)
        for path in home.rglob("*")
        if any(one.casefold() in path.name.casefold() for one in words)
    ]
    return places + names


@pytest.mark.parametrize(
    "name",
    [
        lambda vault: {"reference": memory(vault, WORD)},
        lambda vault: {"reference": f"{conversation()[0].transcript}#^{conversation()[0].block}"},
        lambda vault: {"reference": conversation()[0].transcript},
        lambda vault: {"matching": WORD.upper()},
    ],
    ids=["memory", "turn", "conversation", "matching"],
)
def test_purge_leaves_no_word_below_the_home_folder(
    name: Callable[[Vault], dict[str, str]], vault: Vault, tmp_path: Path
) -> None:
    named = name(lived_in(vault))
    words = [WORD, *([NAME] if "matching" not in named else [])]
    assert standing(vault, tmp_path, *words) != []
    references = [named["reference"]] if "reference" in named else []
    report = vault.purge(*references, matching=named.get("matching", ""))
    assert report.left == ()
    assert vault.doctor() == []
    found = vault.search(WORD)
    assert not (found.memories or found.turns)
    # whatever follows brings none of it back
    vault.capture(conversation(title=f"Again {WORD}"))
    vault.capture([*conversation(title=f"Later {WORD}"), turn_of("user", "We ship it on Fridays.",
                   "2026-03-05T11:00:00Z", session="s", title=f"Later {WORD}")])  # fmt: skip
    vault.consolidate(full=True)
    vault.rebuild()
    assert standing(vault, tmp_path, *words) == []
    assert all(box.title and not box.title.startswith(TITLE) for box in vault.boxes())
    whole = named.get("reference") == conversation()[0].transcript
    assert bool(where(vault.root, "postgres")) is not whole


def test_a_secret_typed_by_hand_is_named_until_one_command_removes_it(
    vault: Vault, tmp_path: Path
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    held = vault.remember("We deploy the shop to Hetzner.").memory
    path = vault.root / held.path
    before = path.read_text()
    path.write_text(before.replace("Hetzner.", f"Hetzner with {secret}."))
    vault.take_up_edits()
    assert [finding.code for finding in vault.doctor()] == ["secret", "secret"]
    home = vault.root / "home.md"
    home.write_text(f"{home.read_text()}\nThe key is {secret}.\n")
    assert "home.md" in [finding.subject for finding in vault.doctor()]
    home.write_text(home.read_text().replace(secret, ""))
    path.write_text(before)
    vault.take_up_edits()
    (finding,) = vault.doctor()
    assert finding.subject.startswith("state/journal/") and "purge --secrets" in finding.fix
    assert vault.purge_secrets() == []
    assert vault.doctor() == [] and vault.secrets() == []
    assert vault.memory(held.id).text == held.text
    assert standing(vault, tmp_path, secret) == []


def test_a_secret_that_an_older_redactor_let_in_leaves_a_mark(vault: Vault, tmp_path: Path) -> None:
    secret = "ghp_" + "z9Y8x7W6v5U4" * 3
    settings = vault.settings
    unknowing = settings._replace(capture=settings.capture._replace(redact_allow=("ghp_*",)))
    older = reopened(vault, settings=unknowing)
    said = f"We always deploy with {secret} from the shop."
    older.capture([turn_of("user", said, NOW, session="s")])
    older.flush()
    older.consolidate()
    assert standing(older, tmp_path, secret) != []
    reopened(vault, settings=settings).purge_secrets()
    assert vault.doctor() == []
    assert standing(vault, tmp_path, secret) == []
    assert where(vault.root / "transcripts", "[REDACTED:github-token:40]")


@pytest.mark.parametrize("by_text", [False, True])
def test_what_an_undone_memory_left_behind_is_purged_with_its_turn(
    by_text: bool, vault: Vault, tmp_path: Path
) -> None:
    said = vault.remember(f"{NAME} owns the indexer of round 677.").memory
    vault.consolidate()
    vault.undo("1")
    report = vault.purge(matching=NAME) if by_text else vault.purge(said.sources[0])
    assert report.left == ()
    assert standing(vault, tmp_path, NAME) == []


def test_a_purge_spares_a_copy_that_is_another_memory(vault: Vault, tmp_path: Path) -> None:
    folder = vault.root / "facts" / "2026-03-05"
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        (folder / f"note-{name}.md").write_text(f"{NAME} keeps the keys.\n")
    vault.take_up_edits()
    assert vault.purge("note-one").left == ()
    assert vault.memory("note-two").text == f"{NAME} keeps the keys."


def test_a_name_that_a_note_had_is_purged_with_it(vault: Vault, tmp_path: Path) -> None:
    folder = vault.root / "facts" / "2026-03-05"
    folder.mkdir(parents=True)
    first = folder / f"note-{WORD}.md"
    first.write_text(f"The {WORD} hangs behind the oven.\n")
    vault.take_up_edits()
    first.rename(folder / "note-plain.md")
    vault.take_up_edits()
    assert vault.purge("note-plain").left == ()
    assert standing(vault, tmp_path, WORD) == []


def test_a_purge_reaches_names_of_sessions_and_of_files_in_the_inbox(
    vault: Vault, tmp_path: Path
) -> None:
    session = f"{WORD} talk"
    said = [
        turn_of("user", f"The {WORD} hangs behind the oven.", NOW, session=session, title=session),
        turn_of("user", "We use postgres for the shop.", NOW, session=session, title=session),
    ]
    vault.capture(said)
    vault.flush()
    TakenCopies(vault.parts.disk).write(f"{session}.jsonl", said)
    (transcript,) = {turn.transcript for turn in said}
    assert vault.purge(f"{transcript}#^{said[0].block}").left == ()
    later = turn_of("user", "We ship on Fridays.", NOW, session=session, title=session)
    assert later.transcript == transcript
    vault.capture([later])
    vault.rebuild()
    assert "postgres" in vault.search("postgres").turns[0].snippet
    assert "Fridays" in vault.search("fridays").turns[0].snippet
    assert vault.doctor() == []
    assert standing(vault, tmp_path, WORD) == []


def test_a_title_goes_with_the_turn_though_the_answer_says_its_word(
    vault: Vault, tmp_path: Path
) -> None:
    title = f"{NAME}s deployment"
    said = [
        turn_of("user", f"{NAME} deploys to Oslo.", NOW, session="s", title=title),
        turn_of("assistant", f"Understood: {NAME} deploys.", NOW, session="s", title=title),
        turn_of("user", "We use postgres for the shop.", NOW, session="s", title=title),
    ]
    vault.capture(said)
    report = vault.purge(f"{said[0].transcript}#^{said[0].block}")
    assert [words for _, words in report.elsewhere] == [(NAME,)]
    assert title not in vault.show(f"{said[2].transcript}#^{said[2].block}").turn.title
    assert where(vault.root, title) == []


def test_a_purge_of_a_number_leaves_ids_and_times_as_they_are(vault: Vault, tmp_path: Path) -> None:
    lived_in(vault)
    vault.remember("The roadmap of 2026 hangs in the kitchen.")
    before = len(vault.list())
    vault.purge(matching="2026")
    assert len(vault.list()) == before - 1
    assert vault.doctor() == []
    vault.rebuild()
    assert [box.created[:4] for box in vault.boxes()] == ["2026"] * len(vault.boxes())
    assert where(vault.root / "state", "roadmap of") == []


def test_the_words_of_a_memory_that_took_the_place_of_a_purged_one_stay(vault: Vault) -> None:
    gone = vault.remember("The safe is behind the mirror.").memory
    place = vault.root / gone.path
    place.unlink()
    vault.take_up_edits()
    place.write_text(f"---\nid: mine\n---\n{NAME} is my own {WORD}.\n")
    vault.take_up_edits()
    vault.remember(f"The user likes the {WORD} song.")
    vault.purge(gone.id)
    assert vault.memory("mine").text == f"{NAME} is my own {WORD}."
    assert vault.purge(matching="mirror").left == ()
    assert [NAME in one.text for one in vault.list()].count(True) == 1


def test_the_digits_of_a_link_to_a_turn_are_no_secret(vault: Vault) -> None:
    memory = vault.remember("Access tokens of the gateway carry the claim aud.").memory
    assert vault.doctor() == []
    vault.purge_secrets()
    assert vault.parts.view.memory(memory.id) == memory


def test_a_box_of_a_conversation_about_secrets_keeps_its_links(vault: Vault) -> None:
    """`purge --secrets` took the name of the conversation beside the title for one."""
    titles = ("Rotate the API token", "Password reset", "Kubernetes secret")
    for number, title in enumerate(titles):
        text, time = f"We use cart {number} for bread.", f"2026-03-0{number + 1}T10:00:00Z"
        said = turn_of("user", text, time, source="chatgpt", session=f"s{number}", title=title)
        vault.capture([said])
    vault.flush()
    vault.consolidate(full=True)
    pages = [*vault.root.glob("boxes/*/*.md"), vault.root / "home.md"]
    before = {path: path.read_text() for path in pages}
    assert "[[chatgpt-" in before[pages[-1]] and len(pages) == 4
    assert vault.doctor() == []
    typed = "- [[chatgpt-be6c60bc16f7|my token is ghp_16C7e42F292c6912E7710c838347Ae178B4a]]\n"
    pages[-1].write_text(before[pages[-1]] + typed)
    vault.purge_secrets()
    before[pages[-1]] += "- [[chatgpt-be6c60bc16f7|my token is [REDACTED:github-token:40]]]\n"
    assert {path: path.read_text() for path in pages} == before
