"""New memories -> the pages of the entities that they link to and that have none yet.

A link that is written has a target: the page comes in the transaction that writes the memory, and
goes with it when that is undone. Consolidation makes those of names without a link, and keeps all
of them. A shared vault has no such pages. Nothing is written here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from engram.model.change import Change
from engram.model.entity_ids import is_entity_id
from engram.model.memory import SESSION, Memory
from engram.pipeline.ports import Ports


def first_pages(born: Iterable[Memory], ports: Ports) -> list[Change]:
    """The files of these pages; what a session holds stands on none of them."""
    told: defaultdict[str, list[Memory]] = defaultdict(list)
    for memory in born:
        for name in filter(is_entity_id, memory.entities):
            told[name] += [memory] if memory.space != SESSION else []
    view = ports.view
    missing = [name for name in sorted(told) if view.entity(name) is None]
    if ports.shared or not missing:
        return []
    return ports.pages.pages(
        [(None, ports.entity_page(name, told[name], None, (), str)) for name in missing]
    )
