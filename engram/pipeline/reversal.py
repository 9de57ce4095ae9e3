"""Reversal: the plan of an undo, with the pages that show what it takes back.

Boxes, entities, summaries, profile and index show memories. Those that the undo does not restore
byte for byte are made here without what goes, in whichever transaction they were written since; a
page of which nothing is left goes too. Every line of a person stays. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engram.consolidate.entity_book import EntityBook, WantedPage
from engram.consolidate.passes import home_page, profile, record_index
from engram.model.box import Box
from engram.model.change import Change, Plan
from engram.model.entity import Entity
from engram.model.link_targets import stem_of
from engram.model.overlay import Overlay
from engram.model.report import Reverted
from engram.model.step import Page, Step
from engram.model.summary import without_memories
from engram.model.text import first_line
from engram.pipeline.consolidation import ConsolidationRequest, pass_context
from engram.pipeline.ports import Ports

Pages = list[tuple[Page | None, Page | None]]


def undo_plan(what: str, ports: Ports) -> Plan:
    """What `undo` would do: files, turns and transactions. Raises NotFound, BadInput, Conflict."""
    reverted = ports.undo_plan(what)
    if not (reverted.gone or reverted.reworded or reverted.links):
        return reverted.plan
    view = Overlay(ports.view)
    for name in reverted.gone:
        view.remove(name)
    for _, memory in reverted.reworded.values():
        view.put(memory)
    pages = [*_boxes(reverted, ports), *_entities(reverted, view, ports)]
    pages += _summaries(reverted, ports)
    changes = [*ports.pages.pages(pages), *_plain_pages(reverted, view, ports)]
    changes += _home(reverted, Overlay(view), pages, changes, ports)
    return reverted.plan._replace(changes=(*reverted.plan.changes, *changes))


def _home(
    reverted: Reverted, view: Overlay, pages: Pages, changes: Sequence[Change], ports: Ports
) -> list[Change]:
    """The change of the start page: it links to no page that goes."""
    if home_page.PATH in _handled(reverted):
        return []
    gone = [path for path, left in _handled(reverted).items() if not left]
    lost = set(map(stem_of, gone))
    known: list[Page] = [*view.boxes(), *view.entities()]
    removed: Pages = [(one, None) for one in known if one.id in lost]
    shown = (profile.PATH, record_index.PATH)
    prose = [one for one in (*reverted.plan.changes, *changes) if one.path in shown]
    view.take(Step("undo", "remove", (), "", pages=(*pages, *removed), prose=tuple(prose)))
    request = ConsolidationRequest(changed=frozenset(reverted.gone))
    context = replace(pass_context(request, ports), view=view)
    return [change for step in home_page.plan(context) for change in step.prose]


def _handled(reverted: Reverted) -> dict[str, bool]:
    """The files that the plan changes already, and whether it leaves one there."""
    return {change.path: change.after is not None for change in reverted.plan.changes}


# -- boxes ----------------------------------------------------------------------------------------


def _boxes(reverted: Reverted, ports: Ports) -> Pages:
    """`(before, after)` of the boxes that list what goes, and of their neighbours."""
    handled = _handled(reverted)
    known = {box.id: box for box in ports.view.boxes()}
    ours = {name: box for name, box in known.items() if box.path not in handled}
    left = {name: _box_without(box, reverted, ports) for name, box in ours.items()}
    boxes = {name: box for name, box in left.items() if box is not None}
    removed = {name for name in known if name not in boxes and not handled.get(known[name].path)}
    parted = {
        box.trace
        for box in boxes.values()
        if box.trace and not removed.isdisjoint((box.previous, box.next))
    }
    rest = [box for name, box in known.items() if name not in ours and name not in removed]
    threads = (box for box in (*boxes.values(), *rest) if box.trace in parted)
    for before, after in ports.box_weaver.thread(threads):
        if before.id in boxes and not removed.isdisjoint((before.previous, before.next)):
            boxes[before.id] = after
    return [(box, boxes.get(name)) for name, box in ours.items() if boxes.get(name) != box]


def _box_without(box: Box, reverted: Reverted, ports: Ports) -> Box | None:
    """A box without the lines of what goes, and without the words of turns that are taken back."""
    gone = [name for name in box.memories if name in reverted.gone]
    left = ports.box_weaver.without(box, gone, ports.view) if gone else box
    if left is None:
        return None
    line = ports.box_weaver.line
    said = {line(now): line(then) for now, then in reverted.reworded.values()}
    lines = tuple(
        (name, said.get(text, text) if name in reverted.reworded else text)
        for name, text in left.lines
    )
    left = replace(left, lines=lines)
    return ports.box_weaver.retold(box, left, reverted.links, ports.view)


# -- entities -------------------------------------------------------------------------------------


def _entities(reverted: Reverted, view: Overlay, ports: Ports) -> Pages:
    """`(before, after)` of the entities that tell of what goes."""
    handled = _handled(reverted)
    known = [one for one in ports.view.entities() if one.path not in handled]
    request = ConsolidationRequest(changed=frozenset(reverted.gone))
    book = EntityBook(replace(pass_context(request, ports), view=view))
    pairs: dict[str, tuple[Entity, Entity | None]] = {}
    for entity in known:
        if not _tells_of(entity, reverted, ports):
            continue
        memories = book.memories(entity.id)
        if entity.merged_into:
            after = entity if memories else None
        else:
            after = book.written([WantedPage(entity.id, memories)])[0]
        own = after is not None and after.synthesis_by == "person"
        if after is not None and not (own or memories or after.timeline or after.relations):
            after = None
        pairs[entity.id] = entity, after
    dropped = [before for before, after in pairs.values() if after is None]
    for entity in known:
        before, after = pairs.get(entity.id, (entity, entity))
        names = {name for one in dropped if one.merged_into == entity.id for name in _names(one)}
        if after is not None and not names.isdisjoint(after.aliases):
            kept = tuple(alias for alias in after.aliases if alias not in names)
            pairs[entity.id] = before, replace(after, aliases=kept)
    return [pair for pair in pairs.values() if pair[0] != pair[1]]


def _tells_of(entity: Entity, reverted: Reverted, ports: Ports) -> bool:
    """Whether a page has lines of what goes, or words that a memory has no more."""
    if entity.merged_into:
        return any(one.id in reverted.gone for one in ports.view.about(entity.id))
    lines = [(name, text) for _, name, text in (*entity.timeline, *entity.activity)]
    lines += [(name, label) for _, label, name in entity.relations]
    for name, text in lines:
        if name in reverted.gone:
            return True
        if name in reverted.reworded and text.startswith(
            ports.box_weaver.line(reverted.reworded[name][0])
        ):
            return True
    return False


def _names(entity: Entity) -> Iterator[str]:
    yield from (entity.id, entity.name, *entity.aliases)


# -- summaries ------------------------------------------------------------------------------------


def _summaries(reverted: Reverted, ports: Ports) -> Pages:
    """`(before, after)` of the summaries that tell of what goes, or of words that are no more."""
    handled = _handled(reverted)
    lost = {*reverted.gone, *reverted.reworded}
    known = [page for page in ports.view.summaries() if page.path not in handled]
    pairs = [(page, without_memories(page, lost)) for page in known]
    return [pair for pair in pairs if pair[0] != pair[1]]


# -- plain pages ----------------------------------------------------------------------------------


def _plain_pages(reverted: Reverted, view: Overlay, ports: Ports) -> Iterator[Change]:
    """The changes of profile and index, where they tell of what goes, or words that are no more."""
    handled = _handled(reverted)
    for path, plan, is_bare in (
        (profile.PATH, profile.plan, profile.is_bare),
        (record_index.PATH, record_index.plan, record_index.is_bare),
    ):
        text = ports.view.page(path) or ""
        stale = any(first_line(now.text) in text for now, _ in reverted.reworded.values())
        listed = any(f"[[{name}]]" in text for name in reverted.gone)
        if path in handled or not (stale or listed):
            continue
        request = ConsolidationRequest(changed=frozenset(reverted.gone))
        context = replace(pass_context(request, ports), view=view)
        for change in (change for step in plan(context) for change in step.prose):
            left = (change.after or b"").decode()
            yield replace(change, after=None) if is_bare(left) else change
