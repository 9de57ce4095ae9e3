"""The file `phases.md` of a vault: read as far as it says phases, written a line at a time.

Guarantees: what a person wrote there stays as it is; a vault without the file costs one look. A
link, a folder or a file of more than 1 MB in its place is no page: it has no phases, `problems`
says why, and nothing is written there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.model.change import Change
from engram.model.errors import BadInput
from engram.model.phase import MOST_BYTES, PhaseLine, PhasePage, read_page, united, with_line
from engram.store.base import layout

if TYPE_CHECKING:
    from engram.store.base.disk import VaultDisk


class PhasesFile:
    """The phases of one vault."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk

    def read(self) -> PhasePage:
        """What it says now; nothing where it cannot be read. Raises StorageError."""
        try:
            data = self._bytes()
        except BadInput:
            data = None
        return read_page(_text(data)) if data else PhasePage()

    def problems(self) -> list[str]:
        """Each list item that says no phase, by its number; or why nothing is read."""
        try:
            page = read_page(_text(self._bytes()))
        except BadInput as error:
            return [str(error)]
        return [f"line {number} begins no phase: {why}" for number, why in page.wrong]

    def with_line(self, line: PhaseLine) -> Change:
        """The change that begins a phase. Raises BadInput where there is no page to write to."""
        data = self._bytes()
        after = with_line(_text(data), line).encode("utf-8", "surrogateescape")
        return Change(layout.PHASES, data, after, "a phase began")

    def _bytes(self) -> bytes | None:
        if (self._disk.size(layout.PHASES) or 0) > MOST_BYTES:
            raise BadInput(
                f"{layout.PHASES} is larger than {MOST_BYTES:,} bytes",
                "move what is no phase out of it",
            )
        return self._disk.read(layout.PHASES)


def united_pages(one: bytes, other: bytes) -> bytes:
    """One version of the page with the phases that only the other one has."""
    return united(_text(one), _text(other)).encode("utf-8", "surrogateescape")


def without_lines(now: bytes, before: bytes | None, after: bytes | None) -> bytes:
    """The page without the lines that came between two versions of it, and with those that went."""
    old, new = _lines(before), _lines(after)
    kept = [line for line in _lines(now) if line not in new or line in old]
    back = [line for line in old if line not in new and line not in kept]
    return b"".join((*kept, *back))


def _lines(data: bytes | None) -> list[bytes]:
    return (data or b"").splitlines(keepends=True)


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "surrogateescape")
