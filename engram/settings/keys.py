"""Configuration keys: names, types and defaults from `model.settings`, ranges and choices here.

A key is named as in the TOML file (`trigger.buffer_max_turns`); a table whose entries are named
by type, category or schema (`retention.days`) is one key with one name an entry. `read_value`
takes what TOML gave, `read_text` what an environment variable or a command line gave; both return
the value that `model.settings` holds, or raise ValueError with the words that follow "must be".
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from functools import cache
from os.path import isabs
from typing import NamedTuple

from engram.model.memory import CATEGORIES, LEVELS, SCHEMAS
from engram.model.settings import Settings
from engram.settings.toml_tables import parse

Value = str | int | float | bool | tuple[str, ...] | tuple[float, ...]
#: names in the header of a vault's engram.toml: about the vault itself, no settings
OF_THE_VAULT = ("format", "id", "timezone", "shares")

#: names of the annotated types, for a reader of the file
_KINDS: dict[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "switch",
    tuple[str, ...]: "list of texts",
    tuple[float, ...]: "list of numbers",
    tuple[tuple[str, int], ...]: "table of whole numbers",
    tuple[tuple[str, float], ...]: "table of numbers",
    tuple[tuple[str, str], ...]: "table of texts",
}

_URL = re.compile(r"https?://[^\s@/]+(?:/\S*)?")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,99}")

#: as much of a speaker's name is captured, characters
_LONGEST_NAME = 80
_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})

#: lowest and highest value, of each item for a list; every numeric key has a row
RANGES: dict[str, tuple[float, float]] = {
    "capture.max_line_bytes": (1024, 1_073_741_824),
    "trigger.buffer_max_turns": (1, 1000),
    "trigger.buffer_max_minutes": (0.1, 10_080),
    "trigger.retry_minutes": (0, 10_080),
    "trigger.max_attempts": (1, 100),
    "extract.max_per_turn": (1, 100),
    "llm.timeout_seconds": (1, 3600),
    "llm.max_input_tokens": (3000, 1_000_000),
    "llm.daily_usd": (0, 100_000),
    "llm.daily_tokens": (0, 10_000_000_000),
    "llm.run_usd": (0, 100_000),
    "llm.run_tokens": (0, 10_000_000_000),
    "llm.usd_per_million_input": (0, 100_000),
    "llm.usd_per_million_output": (0, 100_000),
    "retention.days": (0, 36_500),
    "retention.resurrection_hours": (0, 8760),
    "retention.grace_days": (0, 36_500),
    "retention.half_life_days": (1, 36_500),
    "retention.hot": (0, 1),
    "retention.warm": (0, 1),
    "records.sessions": (1, 1000),
    "records.most": (1, 100_000),
    "records.thresholds": (0, 1),
    "boxes.topic_shift": (0, 1),
    "boxes.gap_minutes": (1, 10_080),
    "boxes.max_memories": (1, 1000),
    "boxes.trace_overlap": (0, 1),
    "boxes.trace_days": (0, 3650),
    "consolidate.every_extractions": (0, 10_000),
    "consolidate.archive_age_days": (1, 36_500),
    "consolidate.archive_max_importance": (0, 1),
    "consolidate.archive_max_access": (0, 1_000_000),
    "consolidate.profile_max_lines": (20, 100_000),
    "consolidate.profile_lines": (10, 10_000),
    "consolidate.identity_max_bytes": (1024, 10_000_000),
    "recall.budget_tokens": (50, 200_000),
    "recall.limit": (1, 1000),
    "recall.settle_ms": (0, 60_000),
    "daemon.idle_minutes": (1, 1440),
    "daemon.rescan_minutes": (1, 1440),
    "store.lock_timeout_seconds": (0, 3600),
}

CHOICES: dict[str, tuple[str, ...]] = {
    "capture.inbox_copies": ("redacted", "none"),
    "trigger.mode": ("smart", "every_n", "time_based"),
    "extract.min_importance": LEVELS,
    "llm.when_away": ("wait", "rules"),
    "recall.prefer": ("relevance", "recency", "activation"),
    "records.capture": ("auto", "by-hand", "off"),
}

#: the allowed entry names of a table
ENTRIES: dict[str, tuple[str, ...]] = {
    "retention.days": (
        "episodic",
        "semantic",
        "procedural",
        *dict.fromkeys((*CATEGORIES, *SCHEMAS)),
    ),
    "records.capture": SCHEMAS,
    "records.describe": SCHEMAS,
    "records.thresholds": SCHEMAS,
}


class Key(NamedTuple):
    """One key. `table` is the dotted name of the table that an entry stands in, else empty."""

    name: str
    kind: str
    table: str = ""

    @property
    def path(self) -> tuple[str, ...]:
        """The parts of the name, outermost table first."""
        return tuple(self.name.split("."))

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "ENGRAM_" + self.name.upper().replace(".", "_")


@cache
def known_keys() -> dict[str, Key]:
    """Every name that a file, a variable or a flag may set, in the order of `model.settings`."""
    found: dict[str, Key] = {}
    for outer, table in Settings.__annotations__.items():
        if table in _KINDS:
            found[outer] = Key(outer, _KINDS[table])
            continue
        for inner, annotated in table.__annotations__.items():
            name, kind = f"{outer}.{inner}", _KINDS[annotated]
            if kind.startswith("table of "):
                rows = (f"{name}.{entry}" for entry in ENTRIES[name])
                item = kind.removeprefix("table of ").removesuffix("s")
                found.update({row: Key(row, item, name) for row in rows})
            else:
                found[name] = Key(name, kind)
    return found


@cache
def table_paths() -> frozenset[tuple[str, ...]]:
    """The paths of every table that holds keys."""
    paths = (key.path for key in known_keys().values())
    return frozenset(path[:depth] for path in paths for depth in range(1, len(path)))


def nearest(name: str, names: Iterable[str] = ()) -> str:
    """The most similar of some names, else of all keys (parts joined by `.` or `_`), or nothing."""
    # Imported here: it is slow to load, and only a mistake needs it.
    from difflib import get_close_matches

    asked = name[:100].replace("_", ".")
    all_names = tuple(names) or tuple(known_keys())
    spelt = {known.replace("_", "."): known for known in all_names}
    leaves = {known.rpartition(".")[2].replace("_", "."): known for known in all_names}
    for written in (spelt, leaves):
        if close := get_close_matches(asked, written, n=1, cutoff=0.7):
            return written[close[0]]
    return ""


def read_value(key: Key, value: object) -> Value:
    """A value as TOML gave it -> the value that Settings holds. Raises ValueError."""
    if key.name == "owner" and isinstance(value, str):
        value = [value] if value.strip() else []
    if isinstance(value, (list, tuple)) and key.kind.startswith("list"):
        return _read_list(key, value)
    if key.kind == "switch" and isinstance(value, bool):
        return value
    if key.kind == "text" and isinstance(value, str):
        return _checked_text(key, value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if key.kind == "whole number" and isinstance(value, int):
            return int(_in_range(key, value))
        if key.kind == "number":
            return float(_in_range(key, value))
    raise ValueError(allowed(key))


def read_text(key: Key, text: str) -> Value:
    """A value as text -> the value that Settings holds. Raises ValueError.

    Lists are comma separated; an item with a comma in it needs a TOML array: `["a{1,3}"]`.
    """
    if key.kind.startswith("list"):
        return _read_list(key, _split(key, text))
    plain = text.strip()
    if key.kind == "switch":
        if plain.lower() in _TRUE | _FALSE:
            return plain.lower() in _TRUE
        raise ValueError(allowed(key))
    return read_value(key, text if key.kind == "text" else _number(key, plain))


def allowed(key: Key) -> str:
    """What a key's value must be, in words."""
    row = key.table or key.name
    words = {
        "switch": "true or false",
        "list of texts": "a list of texts that are not empty",
        "list of numbers": "a list of at least one number",
    }.get(key.kind, f"a {key.kind}")
    if row in CHOICES:
        words = "one of " + ", ".join(CHOICES[row])
    if row in RANGES:
        low, high = RANGES[row]
        words += f" from {low:_} to {high:_}".replace("_", " ")
    return words


def _read_list(key: Key, items: list[object] | tuple[object, ...]) -> Value:
    if key.kind == "list of numbers":
        numbers = tuple(
            float(_in_range(key, item))
            for item in items
            if isinstance(item, (int, float)) and not isinstance(item, bool)
        )
        if not items or len(numbers) != len(items):
            raise ValueError(allowed(key))
        return numbers
    texts = tuple(item for item in items if isinstance(item, str) and item.strip())
    if len(texts) != len(items):
        raise ValueError(allowed(key))
    if key.name == "owner" and not all(
        text.isprintable() and len(text) <= _LONGEST_NAME for text in texts
    ):
        raise ValueError(f"names of at most {_LONGEST_NAME} characters")
    if key.name == "capture.high_signal_patterns":
        for text in texts:
            _checked_pattern(text)
    return texts


def _in_range(key: Key, value: int | float) -> int | float:
    low, high = RANGES[key.table or key.name]
    if not low <= value <= high:  # in this form NaN is outside as well
        raise ValueError(allowed(key))
    return value


def _checked_text(key: Key, text: str) -> str:
    choices = CHOICES.get(key.table or key.name)
    if choices is not None and text not in choices:
        raise ValueError(allowed(key))
    if key.name == "vault":
        rooted = isabs(text) or text == "~" or text.startswith(("~/", "~\\"))
        if not rooted or any(ord(character) < 32 for character in text):
            raise ValueError("an absolute path or one that starts with ~/")
    if key.name.endswith("_url") and not _URL.fullmatch(text):
        raise ValueError("an address that starts with https:// or http://, without a password")
    if key.name == "llm.key_variable" and not _VARIABLE.fullmatch(text):
        raise ValueError("the name of an environment variable; the key itself never stands here")
    if key.name.endswith("model") and not (text.isprintable() and len(text) <= 200):
        raise ValueError("the name of a model")
    if key.table == "records.describe" and not (text.isprintable() and 0 < len(text) <= 500):
        raise ValueError("one line of at most 500 characters")
    return text


def _checked_pattern(text: str) -> None:
    with warnings.catch_warnings():
        # A pattern that a later Python will read differently is not wrong today.
        warnings.simplefilter("ignore")
        try:
            re.compile(text)
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"regular expressions; {text[:60]!r} is none: {error}") from error


def _split(key: Key, text: str) -> list[object]:
    if text.lstrip().startswith("["):
        try:
            items = parse(f"items = {text}")["items"]
        except ValueError as error:
            raise ValueError(f"{allowed(key)}; this array is not valid TOML") from error
        return items if isinstance(items, list) else []
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return [_number(key, part) for part in parts] if "numbers" in key.kind else list(parts)


def _number(key: Key, text: str) -> int | float:
    try:
        return int(text) if key.kind == "whole number" else float(text)
    except ValueError as error:
        raise ValueError(allowed(key)) from error
