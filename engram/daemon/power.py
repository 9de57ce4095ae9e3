"""Battery detection: on battery, whatever can wait is done less often."""

from __future__ import annotations

from pathlib import Path

#: where Linux reports power supplies; other systems count as on mains
SUPPLIES = Path("/sys/class/power_supply")


def on_battery(supplies: Path = SUPPLIES) -> bool:
    """Whether a battery is discharging and no mains adapter is online."""
    kinds = {supply: _word(supply / "type") for supply in _folders(supplies)}
    mains = [supply for supply, kind in kinds.items() if kind in ("mains", "usb")]
    if any(_word(supply / "online") == "1" for supply in mains):
        return False
    return any(
        kind == "battery"
        and _word(supply / "scope") != "device"  # the battery of a mouse is listed too
        and _word(supply / "status") == "discharging"
        for supply, kind in kinds.items()
    )


def _folders(supplies: Path) -> list[Path]:
    try:
        return sorted(supplies.iterdir())
    except OSError:
        return []


def _word(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip().lower()
    except OSError:
        return ""
