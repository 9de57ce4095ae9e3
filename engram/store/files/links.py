"""Wikilinks in a file -> the base names that they lead to.

Base names are unique in a vault, so that a label, a folder or an extension that an editor put into
a link adds nothing. Nothing is refused: any other text is taken for a bare name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value

#: A whole link; group 1 is what it leads to, without its label.
LINK = re.compile(r"\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]")
#: Editors may write a link with its path.
_FOLDER = re.compile(r"^/?(?:facts|entities|boxes|summaries|transcripts|archive)/(?:[^#]*/)?")
_SUFFIX = re.compile(r"\.md(?=#|$)")


def target_of(link: str) -> str:
    """The inside of a link without folder and ending; `name#^block` keeps its block."""
    return _SUFFIX.sub("", _FOLDER.sub("", link)) if _FOLDER.match(link) else link


def targets_of(value: Value | None) -> tuple[str, ...]:
    """Link targets by base name: `[[name]]`, `[[facts/2026-03-06/name.md|label]]`, `name`."""
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    found: list[str] = []
    for item in items:
        if "[[" in item:
            found.extend(target_of(link) for link in LINK.findall(item))
        elif isinstance(value, str):
            found.extend(part.strip() for part in item.split(",") if part.strip())
        elif item:
            found.append(item)
    return tuple(found)
