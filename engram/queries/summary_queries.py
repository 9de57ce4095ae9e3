"""The summaries of a vault, as a person asks for them: all of them, or one by its id.

Nothing is written; equal questions on equal vaults give equal answers. Raises NotFound for a
summary that there is none of, BadInput for one of several.
"""

from __future__ import annotations

from engram.model.errors import BadInput, NotFound
from engram.model.ids import docid
from engram.model.summary import Summary
from engram.model.view import VaultView


class SummaryQueries:
    """What a vault has in summaries."""

    def __init__(self, view: VaultView) -> None:
        self._view = view

    def listing(self) -> list[Summary]:
        """Every summary, superseded ones too, by the day of its newest source, oldest first."""
        return sorted(self._view.summaries(), key=lambda page: (page.last, page.id))

    def find(self, reference: str) -> Summary:
        """The summary of an id, an unambiguous beginning of it, or a docid."""
        name = reference.strip().removeprefix("[[").removesuffix("]]")
        every = self.listing()
        found = [page for page in every if name == page.id]
        found = found or [page for page in every if docid(page.id) == "#" + name.lstrip("#")]
        found = found or [page for page in every if name and page.id.startswith(name)]
        if not found:
            raise NotFound(f"there is no summary {reference!r}", "`engram summaries` lists them")
        if len(found) > 1:
            shown = ", ".join(page.id for page in found[:3])
            raise BadInput(f"{reference!r} could be {len(found)} summaries", f"for example {shown}")
        return found[0]
