"""Times as a person is shown them: in the time zone of the vault that was opened.

    2026-03-05T23:30:00Z in Europe/Berlin -> 2026-03-06 00:30, or 2026-03-06T00:30:00+01:00

Files, and what `--json` prints, stay in UTC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.model.instant import local_time
from engram.surfaces.cli.arguments import chosen

if TYPE_CHECKING:
    from engram.model.instant import Instant


def shown_minute(instant: Instant) -> str:
    """Day and minute, without the offset of the zone."""
    return shown_instant(instant)[:16].replace("T", " ")


def shown_instant(instant: Instant) -> str:
    """The whole time, with the offset of the zone, or `Z`."""
    return local_time(instant, chosen().timezone)
