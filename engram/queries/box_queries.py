"""The boxes of a vault, sealed and open, and the traces that they make, as a person asks for them.

Nothing is written: what is open is computed from what no box holds. Equal questions on equal vaults
give equal answers. Raises NotFound for a trace that there is none of, BadInput for one of several.
"""

from __future__ import annotations

from engram.model.box import Box, Trace, traces_of
from engram.model.errors import BadInput, NotFound
from engram.model.settings import BoxSettings
from engram.model.view import VaultView
from engram.weave.seal import BoxSealer


class BoxQueries:
    """What a vault knows of the stretches of its conversations."""

    def __init__(self, view: VaultView, settings: BoxSettings) -> None:
        self._view = view
        self._weaver = BoxSealer(settings)

    def listing(self) -> list[Box]:
        """Every box, oldest first; those that are not sealed yet have no `path`."""
        unsealed = self._weaver.unsealed(self._view)
        return self._weaver.shown((*self._view.boxes(), *unsealed), self._view)

    def traces(self) -> list[Trace]:
        """The threads of sealed boxes on the same topics, by id."""
        return traces_of(self._view.boxes())

    def trace(self, reference: str) -> tuple[Trace, list[Box]]:
        """The trace of an id, of an unambiguous beginning of it, or of one of its boxes; its boxes.

        Raises NotFound when there is none, BadInput when there are several.
        """
        traces = self.traces()
        found = [one for one in traces if reference in (one.id, *one.boxes)]
        found = found or [one for one in traces if reference and one.id.startswith(reference)]
        if not found:
            raise NotFound(f"there is no trace {reference!r}", "`engram traces` lists them")
        if len(found) > 1:
            names = ", ".join(one.id for one in found[:3])
            raise BadInput(f"{reference!r} could be {len(found)} traces", f"for example {names}")
        boxes = self._weaver.shown(self._view.boxes(), self._view)
        return found[0], [box for box in boxes if box.id in found[0].boxes]
