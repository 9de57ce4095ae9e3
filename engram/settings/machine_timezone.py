"""The time zone of this machine, by its IANA name, for a vault that is founded on it.

    TZ=Europe/Oslo -> "Europe/Oslo"      /etc/localtime -> .../zoneinfo/Europe/Oslo -> the same

Anything else (a rule such as CET-1CEST, a copied file, Windows, a name that is not known here) is
"UTC": a zone that was guessed would date what was said without saying so.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from engram.model.instant import zone_of

_LOCAL_TIME = Path("/etc/localtime")
_TABLE = "/zoneinfo/"


def machine_timezone(environment: Mapping[str, str], local_time: Path = _LOCAL_TIME) -> str:
    """The name of the zone that TZ sets, else of the one that `local_time` is a link to."""
    named = environment.get("TZ", "").removeprefix(":")
    if not named:
        try:
            named = os.readlink(local_time)
        except OSError:  # no link, or none of that name on this system
            return "UTC"
        if _TABLE not in named:
            return "UTC"
    name = named.rpartition(_TABLE)[2]
    if name == "Etc/UTC":
        return "UTC"
    try:
        zone_of(name)
    except ValueError:
        return "UTC"
    return name
