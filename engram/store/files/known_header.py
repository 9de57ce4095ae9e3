"""Known keys of a header -> values of the model, as far as they can be used.

Reading is tolerant: a value that cannot be used is named in `problems`, a phrase each for a person,
and its default is taken. Nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from engram.model.ids import is_id, slug
from engram.model.instant import instant_of

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value

_SHARE = re.compile(r"[01]?\.[0-9]+|[01]\.?")


@dataclass(frozen=True, slots=True)
class KnownHeader:
    """The keys of one header; `exists`: there is one, so that a key can be missing from it."""

    header: Mapping[str, Value]
    problems: list[str]
    exists: bool

    def text(self, key: str) -> str:
        """A scalar as it stands; a list as one line."""
        value = self.header.get(key, "")
        return value if isinstance(value, str) else ", ".join(value)

    def choice(self, key: str, allowed: Sequence[str], default: str) -> str:
        """One of a closed list, in any case of letters."""
        value = self.text(key)
        if value in allowed:
            return value
        if value.strip().lower() in allowed:
            return value.strip().lower()
        if value:
            self.problems.append(f"{key} {value!r} is unknown: read as {default or 'none'}")
        elif self.exists and key in ("category", "status"):
            self.problems.append(f"{key} is missing: read as {default}")
        return default

    def share(self, key: str, default: float) -> float:
        """A number from 0 to 1."""
        value = self.text(key).strip()
        if _SHARE.fullmatch(value) and float(value) <= 1:
            return float(value)
        if value:
            self.problems.append(f"{key} {value!r} is no number from 0 to 1: read as {default}")
        return default

    def time(self, key: str, read: Callable[[str], str]) -> str:
        """An Instant or a Day."""
        value = self.text(key).strip()
        if not value:
            if self.exists and key == "created":
                self.problems.append("created is missing")
            return ""
        try:
            return read(value)
        except ValueError:
            self.problems.append(f"{key} {value!r} is no date: not used")
            return ""

    def identity(self, path: str, fallback: str) -> str:
        """The header's id, else one made from the file's name."""
        given = self.text("id")
        if is_id(given):
            return given
        stem = PurePosixPath(path).stem
        made = stem if is_id(stem) else slug(stem, fallback=fallback)
        if given:
            self.problems.append(f"id {given!r} is no id: read as {made}")
        elif self.exists:
            self.problems.append(f"id is missing: read as {made}")
        return made


def day_in(value: str) -> str:
    """A day, or the day of a longer time; any year. Raises ValueError."""
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        return instant_of(value)[:10]
