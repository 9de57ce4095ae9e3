"""Known keys of a header -> values of the model, as far as they can be used.

Reading is tolerant: a value that cannot be used is named in `problems`, a phrase each for a person,
and its default is taken. Nothing raises.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from engram.model.ids import is_id, slug
from engram.model.instant import instant_of
from engram.model.text import sha256_text

if TYPE_CHECKING:
    from engram.store.files.foreign_header import Value

#: what an id of a name has before its digest
_MOST = 70
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_SHARE = re.compile(r"[01]?\.[0-9]+|[01]\.?")


@dataclass(frozen=True, slots=True)
class KnownHeader:
    """The keys of one header; `own`: it is of our own shape, so that a key can be missing from it.

    In a header of another program unknown words mean nothing here, and are no faults.
    """

    header: Mapping[str, Value]
    problems: list[str]
    own: bool

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
        if value and self.own:
            self.problems.append(f"{key} {value!r} is unknown: read as {default or 'none'}")
        elif self.own and key in ("category", "status"):
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
            if self.own and key == "created":
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
        made = id_of_name(path, fallback)
        if given and self.own:
            self.problems.append(f"id {given!r} is no id: read as {made}")
        elif self.own:
            self.problems.append(f"id is missing: read as {made}")
        return made


def id_of_name(path: str, fallback: str) -> str:
    """The id that a file has by its name, the same on every machine.

    Names that differ in case or signs only have different ids, and so have equal names in folders
    that a person made.
    """
    folder, _, name = unicodedata.normalize("NFC", path).rpartition("/")
    stem = name.removesuffix(".md")
    inner = folder.partition("/")[2]
    made = stem if is_id(stem) else slug(stem, fallback=fallback)
    if inner and not _DAY.fullmatch(inner):
        return f"{made[:_MOST]}-{sha256_text(f'{inner}/{stem}')[:8]}"
    return made if made == stem else f"{made[:_MOST]}-{sha256_text(stem)[:8]}"


def day_in(value: str) -> str:
    """A day, or the day of a longer time; any year. Raises ValueError."""
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        return instant_of(value)[:10]
