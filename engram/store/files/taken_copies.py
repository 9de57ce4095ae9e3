"""Taken copies: what was captured of a file of the inbox, readable, in `inbox/taken/`.

Turns the turns of one file, cleaned and redacted as they stand in the turn journal, into a file of
the same type: text with a rule behind each turn, or one JSON object a line. Guarantees: nothing is
in a copy that is not in the journal; the same turns again make no second copy; `purge` takes out
what was purged, and a copy with nothing left is removed. What is no regular file is left alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from engram.model.errors import EngramError
from engram.model.text import sha256_text
from engram.store.base.layout import TAKEN

if TYPE_CHECKING:
    from engram.model.turn import Turn
    from engram.store.base.disk import VaultDisk

_LINES = ".jsonl"
_RULE = "\n\n---\n\n"
#: words of the shortest text that is looked for inside of other texts
_LEAST = 3
_LABELS = {"user": "User: ", "participant": "Participant: ", "assistant": "Assistant: "}


class TakenCopies:
    """The copies of one vault; the writer lock must be held."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk

    def write(self, name: str, turns: Sequence[Turn]) -> None:
        """Write the copy of a file, under its name or, where that is taken, a numbered one."""
        stem, suffix = os.path.splitext(name)
        body = (_lines(turns) if suffix.lower() == _LINES else _text(turns)).encode()
        number, free = 1, name
        while (there := self._disk.read(f"{TAKEN}/{free}")) is not None:
            if there == body:
                return
            number += 1
            free = f"{stem}-{number}{suffix}"
        self._disk.put(f"{TAKEN}/{free}", body)
        self._disk.sync([TAKEN])

    def bodies(self) -> Iterator[tuple[str, bytes]]:
        """All copies that can be read, and what they hold."""
        for name in self._disk.names(TAKEN):
            with suppress(EngramError):
                yield f"{TAKEN}/{name}", self._disk.read(f"{TAKEN}/{name}") or b""

    def purge(
        self, messages: Collection[str], texts: Collection[str],
        named: Callable[[str], bool] = lambda _: False,
    ) -> list[str]:  # fmt: skip
        """Take out turns of these digests or exactly these texts; returns the paths it changed.

        A name that is `named` goes too: of a file, of a session, or a title.
        """
        changed = []
        for path, data in self.bodies():
            body = data.decode("utf-8", "surrogateescape")
            without = _without_lines if path.lower().endswith(_LINES) else _without_text
            left = _unnamed(without(body, messages, texts), named)
            name = path.removeprefix(f"{TAKEN}/")
            if left == body and not named(name):
                continue
            changed.append(path)
            if left.strip():
                self._disk.put(
                    f"{TAKEN}/{plain_name(name)}" if named(name) else path,
                    left.encode("utf-8", "surrogateescape"),
                )
            if named(name) or not left.strip():
                self._disk.remove(path)
        self._disk.sync([TAKEN] if changed else [])
        return changed


def _text(turns: Sequence[Turn]) -> str:
    labelled = any(turn.role == "assistant" for turn in turns)
    return "".join(
        f"{_LABELS[turn.role] if labelled else ''}{turn.text}{_RULE}" for turn in turns
    )  # fmt: skip


def _lines(turns: Sequence[Turn]) -> str:
    rows = []
    for turn in turns:
        row = {
            "role": turn.role, "content": turn.text, "timestamp": turn.time,
            "session": turn.session, "project": turn.project, "title": turn.title,
            "speaker": turn.speaker, "turn": turn.message,
        }  # fmt: skip
        given = {key: value for key, value in row.items() if value}
        rows.append(json.dumps(given, ensure_ascii=False) + "\n")
    return "".join(rows)


def plain_name(name: str) -> str:
    """A name for a file whose own is not to be kept."""
    return f"dropped-{sha256_text(name)[:8]}{os.path.splitext(name)[1]}"


def _unnamed(body: str, named: Callable[[str], bool]) -> str:
    """A copy of lines without titles and names of sessions that are `named`."""
    if not named(body):
        return body
    kept = []
    for line in body.splitlines(keepends=True):
        try:
            row = json.loads(line)
            plain = {key: value for key, value in row.items()
                     if key not in ("session", "title") or not named(str(value))}  # fmt: skip
            kept.append(line if plain == row else json.dumps(plain, ensure_ascii=False) + "\n")
        except (ValueError, AttributeError, RecursionError):
            kept.append(line)
    return "".join(kept)


def _without_lines(body: str, messages: Collection[str], texts: Collection[str]) -> str:
    kept = []
    for line in body.splitlines(keepends=True):
        try:
            row = json.loads(line)
            gone = row.get("turn") in messages or row.get("content") in texts
        except (ValueError, AttributeError, RecursionError):
            gone = any(text in line for text in texts if text)
        kept += [] if gone else [line]
    return "".join(kept)


def _without_text(body: str, messages: Collection[str], texts: Collection[str]) -> str:
    whole = _RULE + body
    for text in texts:
        for label in ("", *_LABELS.values()):
            item = f"{label}{text}{_RULE}"
            while f"{_RULE}{item}" in whole:
                whole = whole.replace(f"{_RULE}{item}", _RULE)
        if len(text.split()) >= _LEAST:  # files that earlier versions put there as they were
            whole = whole.replace(text, "")
    return whole.removeprefix(_RULE)
