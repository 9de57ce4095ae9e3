"""Overlay: whatever is put on a view, it answers as the view of the vault would afterwards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engram.model.box import Box
from engram.model.change import Change
from engram.model.entity import Entity
from engram.model.memory import STATUSES, Memory
from engram.model.overlay import Overlay
from engram.model.step import Page, Step
from engram.model.text import content_hash
from engram.model.view import VaultView
from tests.admit.cases import candidate
from tests.consolidate.view import Remembered, after
from tests.effort import examples
from tests.kit import box, entity

_NAMES = tuple("abcdefgh")
_TEXTS = ("Kim likes tea.", "Kim drinks coffee.", "The shop sells tea.")
_ENTITIES = ("person-kim", "tool-tea")
_DAYS = ("", "2026-03-05", "2026-03-06", "2026-03-07")
_SLOTS = ("", "shop::tea", "user::drink")

#: what of a memory a step may change; its words, scope and time stay
_changes = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(STATUSES), "expires": st.sampled_from(_DAYS),
        "importance": st.sampled_from((0.1, 0.5)), "key": st.sampled_from(_SLOTS),
        "extra": st.sampled_from(((), (("due", "2026-03-01"),))),
        "entities": st.sampled_from((("tool-x",), ("tool-x", *_ENTITIES))),
        "schema": st.sampled_from(("", "constraint", "tech_debt")),
        "aliases": st.sampled_from(((), ("tea",))),
    },
)  # fmt: skip
_memory = st.builds(
    lambda name, text, space, category, changes: replace(
        Memory(
            name, category, text, created=f"2026-03-0{1 + ord(name) % 3}T10:00:00Z",
            entities=("tool-x",), space=space, project="shop", sources=("talk#^m1",),
        ),
        **changes,
    ),
    st.sampled_from(_NAMES), st.sampled_from(_TEXTS), st.sampled_from(("user", "project")),
    st.sampled_from(("fact", "commitment")), _changes,
)  # fmt: skip
_page = st.one_of(
    st.builds(
        lambda name, day: box(f"box-{name}", name, created=day, sealed=day),
        st.sampled_from(_NAMES), st.sampled_from(_DAYS),
    ),
    st.builds(
        lambda name, other: entity(name, merged_into=other),
        st.sampled_from(_ENTITIES), st.sampled_from(("", "tool-y")),
    ),
)  # fmt: skip
#: a memory to be written, another state of one, a page to be written or removed, a plain page
_deed = st.one_of(
    _memory,
    st.tuples(st.sampled_from(_NAMES), _changes),
    st.tuples(_page, st.booleans()),
    st.sampled_from((b"# Me\n", b"# You\n")),
)


def _step(deed: object, view: Remembered) -> Step:
    """A deed as a step that is sound on a view."""
    nothing = Step("t", "a", (), "")
    if isinstance(deed, Memory):
        known = view.memory(deed.id)
        return nothing if known is not None else replace(nothing, born=(deed,))
    if isinstance(deed, bytes):
        return replace(nothing, prose=(Change("profile.md", None, deed),))
    named, what = deed  # type: ignore[misc]
    if isinstance(named, Box | Entity):
        known_page = view.box(named.id) if isinstance(named, Box) else view.entity(named.id)
        pair: tuple[Page | None, Page | None] = (known_page, named if what else None)
        return nothing if pair == (None, None) else replace(nothing, pages=(pair,))
    known = view.memory(named)
    changed = replace(known, **what) if known is not None else None
    return nothing if changed is None else replace(nothing, amended=((known, changed),))


def _ids(found: Iterable[Memory]) -> list[str]:
    return sorted(memory.id for memory in found)


def _answers(view: VaultView) -> dict[str, object]:
    said = candidate("Does Kim like tea?")
    return {
        "memory": [view.memory(name) for name in _NAMES],
        "taken": view.taken([*_NAMES, "free"]),
        "owners": [
            _ids(view.owners(content_hash(text, f"{scope}/tool-x")))
            for text in _TEXTS
            for scope in ("user/", "project/shop")
        ],
        "holders": [view.holders(slot, "project", "shop") for slot in _SLOTS[1:]],
        "live": view.live(),
        "records": [view.records(one, "project", "shop") for one in ("constraint", "tech_debt")],
        "due": [view.due(day) for day in _DAYS[1:]],
        "aged": view.aged("2026-03-02T10:00:00Z", 0.3),
        "overdue": view.overdue("2026-03-06"),
        "holding": sorted(view.holding(["tea", "coffee"])),
        "around": _ids(one for one in view.around(said) if "Kim likes tea." in one.text),
        "boxes": [view.boxes(), view.boxes("2026-03-06"), view.boxes("", "2026-03-06")],
        "box": [view.box(f"box-{name}") for name in _NAMES],
        "box_of": [view.box_of(name) for name in _NAMES],
        "entities": view.entities(),
        "entity": [view.entity(name) for name in _ENTITIES],
        "about": [view.about(name) for name in _ENTITIES],
        "page": view.page("profile.md"),
    }


@given(st.lists(_memory, max_size=4), st.lists(_deed, max_size=10), st.booleans())
@examples(40)
def test_overlay_answers_as_the_vault_will(
    known: list[Memory], deeds: list[object], asked: bool
) -> None:
    under = will_be = Remembered(
        {memory.id: memory for memory in known}, sealed=(box("box-a", "a"),)
    )
    overlay = Overlay(under)
    for deed in deeds:
        step = _step(deed, will_be)
        overlay.take(step)
        will_be = after(will_be, [step])
        if asked:
            _answers(overlay)  # what was answered before is not what is answered now
    assert _answers(overlay) == _answers(will_be)


def test_unboxed_is_without_what_planned_boxes_hold_and_what_is_retired() -> None:
    memories = {name: Memory(name, "fact", name, sources=("talk#^m1",)) for name in "abc"}
    overlay = Overlay(Remembered(memories))
    gone = replace(memories["b"], status="retired")
    pages = ((None, box("box-a", "a")),)
    overlay.take(Step("t", "a", (), "", amended=((memories["b"], gone),), pages=pages))
    assert overlay.unboxed() == [memories["c"]]
