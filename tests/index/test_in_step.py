"""The index of a vault: what came piece by piece answers as what is built anew, and hides alike."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.hit import Hints
from engram.model.memory import SESSION, Memory
from engram.model.turn import Turn, turn_of
from engram.vault import Vault
from tests.kit import LIGHT, reopened, takes_every_turn, turns

_SAID = [
    ("user", "Which cake shall we bake for the fair?", ()),
    ("assistant", "A marzipan cake, if the oven of the [[shop]] holds `200` degrees.", ()),
    ("user", "Kim brings #tea from the market.", ()),
    ("assistant", "Noted.", ("Edit marzipan.py", "Bash: bake --hot")),
    ("user", "The valve of the oven is blue.", ()),
]  # fmt: skip


@pytest.fixture
def light(vault: Vault, open_vault: Callable[..., Vault], monkeypatch: pytest.MonkeyPatch) -> Vault:
    """A vault with the index in memory, which has been asked before anything was said."""
    vault.close()
    made = takes_every_turn(reopened(open_vault(), finder=LIGHT.finder))
    made.search("anything")
    return made


def conversation(session: str = "s") -> list[Turn]:
    return [
        turn_of(role, text, f"2025-12-{28 + n}T10:00:00Z" if n < 4 else "2026-01-01T10:00:00Z",  # type: ignore[arg-type]
                source="test", session=session, project="shop", message=str(n), tools=tools)
        for n, (role, text, tools) in enumerate(_SAID)
    ]  # fmt: skip


def answers(vault: Vault, *questions: str) -> list[object]:
    vault.ready_to_read()
    return [
        vault.parts.index.find(
            question, collection, 99, Hints(spans=(("2025-12-28", "2025-12-30"),))
        )  # type: ignore[arg-type]
        for question in questions
        for collection in ("memories", "turns")
    ]


def links(vault: Vault, question: str) -> list[str]:
    """The numbers of the turns that hold a word of a question."""
    vault.ready_to_read()
    order = {f"{turn.transcript}#^{turn.block}": n for n, turn in enumerate(conversation())}
    found = vault.parts.index.find(question, "turns", 99)
    holding = (hit.key for hit in found if "words" in dict(hit.parts))
    return sorted(str(order.get(key, key)) for key in holding)


def the(vault: Vault, word: str) -> Memory:
    known = (one for one in vault.parts.catalog.memories() if one.schema != SESSION)
    (found,) = (one for one in known if word in one.text)
    return found


_QUESTIONS = (
    "cake", "marzipan", "oven shop", "200 degrees", "tea Kim", "bake hot", "Edit", "valve blue",
    "fair market",
)  # fmt: skip


# -- piece by piece -----------------------------------------------------------------------------


def test_what_came_piece_by_piece_answers_as_what_is_built_anew(light: Vault) -> None:
    for said in (conversation(), conversation("other")[:3], conversation("other")):
        light.capture(said)
    light.flush()
    light.forget(the_first(light, "valve").id)
    before = answers(light, *_QUESTIONS)
    light.parts.index.rebuild()
    assert answers(light, *_QUESTIONS) == before
    light.rebuild()
    assert answers(light, *_QUESTIONS) == before


def the_first(vault: Vault, word: str) -> Memory:
    return next(one for one in vault.parts.catalog.memories() if word in one.text)


def test_a_conversation_that_goes_on_is_one_conversation(light: Vault) -> None:
    for turn in conversation():
        light.capture([turn])
    found = light.parts.index.find("marzipan", "turns", 9)
    assert [dict(one.parts).get("neighbouring turns", 0.0) > 0 for one in found] == [
        False, True, True, True, True,
    ]  # fmt: skip


# -- hidden -------------------------------------------------------------------------------------


def test_the_turn_of_what_was_forgotten_speaks_for_no_neighbour(light: Vault) -> None:
    said = ("Hello.", "The marzipan is green.", "Goodbye.")
    light.capture(
        [turn_of("user", text, f"2026-03-0{n}T10:00:00Z") for n, text in enumerate(said, 1)]
    )
    light.flush()
    assert len(light.parts.index.find("marzipan", "turns", 9)) == 3
    memory = the(light, "marzipan")
    light.forget(memory.id)
    assert light.parts.index.find("marzipan", "turns", 9) == []
    light.restore(memory.id)
    assert len(light.parts.index.find("marzipan", "turns", 9)) == 3


def _by_hand(vault: Vault, memory: Memory, old: str, new: str) -> None:
    path = vault.root / vault.parts.lookup.memory(memory.id).path
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def _hide_by_forgetting(vault: Vault, memory: Memory) -> None:
    vault.forget(memory.id)


def _hide_by_hand(vault: Vault, memory: Memory) -> None:
    _by_hand(vault, memory, "status: active", "status: retired\nstatus_reason: forgotten")


def _show_by_restoring(vault: Vault, memory: Memory) -> None:
    vault.restore(memory.id)


def _show_by_undoing(vault: Vault, memory: Memory) -> None:
    vault.undo()


def _show_by_hand(vault: Vault, memory: Memory) -> None:
    _by_hand(vault, memory, "status: retired", "status: active")


def _show_by_removing_the_file(vault: Vault, memory: Memory) -> None:
    (vault.root / vault.parts.lookup.memory(memory.id).path).unlink()


def _nothing(vault: Vault) -> None:
    """Between hiding and showing."""


def _index_anew(vault: Vault) -> None:
    vault.parts.index.rebuild()


def _everything_anew(vault: Vault) -> None:
    vault.rebuild()


@pytest.mark.parametrize("between", [_nothing, _index_anew, _everything_anew])
@pytest.mark.parametrize(
    "show", [_show_by_restoring, _show_by_undoing, _show_by_hand, _show_by_removing_the_file]
)
@pytest.mark.parametrize("hide", [_hide_by_forgetting, _hide_by_hand])
def test_the_source_of_what_was_forgotten_is_hidden_until_it_is_shown_again(
    hide: Callable[[Vault, Memory], None],
    show: Callable[[Vault, Memory], None],
    between: Callable[[Vault], None],
    light: Vault,
) -> None:
    if hide is _hide_by_hand and show is _show_by_undoing:
        pytest.skip("an edit by hand is nothing that undo takes back")
    light.capture(conversation())
    light.flush()
    memory, shown = the(light, "valve"), answers(light, "valve oven")
    assert links(light, "valve") == ["4"]
    hide(light, memory)
    assert links(light, "valve") == []
    between(light)
    assert links(light, "valve") == []
    show(light, memory)
    assert links(light, "valve") == ["4"]
    if show is not _show_by_removing_the_file:
        assert answers(light, "valve oven")[1] == shown[1]


def test_two_memories_of_one_turn_hide_it_until_neither_is_forgotten(light: Vault) -> None:
    light.capture(conversation())
    light.flush()
    one, other = the(light, "valve"), the(light, "tea")
    _by_hand(light, other, other.sources[0], one.sources[0])
    light.ready_to_read()
    light.forget(one.id)
    light.forget(other.id)
    assert links(light, "valve") == []
    light.restore(one.id)
    assert links(light, "valve") == []
    light.restore(other.id)
    assert links(light, "valve") == ["4"]


# -- whatever lies there ------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="names that Windows cannot store")
@pytest.mark.parametrize("name", [b"test-\xff.md", b"a\\b.md", b"a\x01b.md"])
def test_a_transcript_with_an_impossible_name_does_not_cost_the_index(
    name: bytes, light: Vault
) -> None:
    light.capture(conversation())
    folder = next((light.root / "transcripts").iterdir())
    own = next(folder.iterdir()).read_bytes()
    Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(own)
    light.rebuild()
    assert light.parts.index.index_reason == ""
    assert "1" in links(light, "marzipan")


def test_many_files_in_one_import_can_be_searched(light: Vault, tmp_path: Path) -> None:
    """The number is small here; `make torture` takes ten thousand."""
    import_many(light, tmp_path / "in", 300)


def import_many(vault: Vault, folder: Path, count: int) -> None:
    """One import of so many files, then searches for the first, one between and the last."""
    folder.mkdir()
    for turn in turns(count):
        row = f'{{"role": "user", "content": "{turn.text}", "id": "{turn.message}"}}\n'
        (folder / f"{turn.message}.jsonl").write_text(row, encoding="utf-8")
    report, _ = vault.import_files("jsonl", folder)
    assert (report.files, report.new_turns, report.problems) == (count, count, [])
    assert vault.parts.index.counts()[1] == count
    for number in (0, count // 2, count - 1):
        found = vault.search(f"tokens{number:04d}")
        text = turns(1, first=number)[0].text
        assert (found.memories[0].snippet, found.turns[0].snippet) == (text, text)
