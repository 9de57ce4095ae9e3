"""Kept verdicts: what a model said about pairs of memories, so that no later run asks again.

`state/verdicts.jsonl` has a line for each: digests of both texts and of prompt and model, relation,
confidence, the model's reason and the part that is replaced. Lines are appended under the writer
lock; torn and foreign ones are skipped. A purge takes out every line of a text that it destroys,
and of a reason that holds its words. Bounded: of more than `MOST` lines the newest half stays.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from engram.model.pair_verdict import CONFIDENCES, RELATIONS, PairKey, PairVerdict, text_digest
from engram.store.base import layout

if TYPE_CHECKING:
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.purge_remains import PurgeRemains

MOST = 20_000
_FIELDS = frozenset((*PairKey._fields, *PairVerdict._fields))


class VerdictFile:
    """The verdicts of one vault."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        self._read: dict[PairKey, PairVerdict] | None = None
        self._fresh: dict[PairKey, PairVerdict] = {}

    def known(self, key: PairKey) -> PairVerdict | None:
        """The verdict that was kept or learnt, if any."""
        if self._read is None:
            lines = (self._disk.read(layout.VERDICTS) or b"").splitlines()
            self._read = dict(filter(None, map(_verdict, lines)))
        return self._fresh.get(key) or self._read.get(key)

    def learn(self, key: PairKey, verdict: PairVerdict) -> None:
        """Know it for this run; nothing is written."""
        self._fresh[key] = verdict

    def save(self, standing: Callable[[], Collection[str]]) -> None:
        """Write what was learnt of texts that stand (their digests). Raises StorageError."""
        if not self._fresh:
            return
        stand = standing()
        fresh, self._fresh, self._read = self._fresh, {}, None
        lines = b"".join(
            _line(key, verdict)
            for key, verdict in fresh.items()
            if key.older in stand and key.newer in stand
        )
        if not lines:
            return
        before = self._disk.read(layout.VERDICTS) or b""
        whole = before.splitlines(keepends=True)
        if len(whole) > MOST:
            kept = b"".join(line for line in whole[-MOST // 2 :] if line.endswith(b"\n"))
            self._disk.put(layout.VERDICTS, kept + lines)
        else:
            torn = b"\n" if before and not before.endswith(b"\n") else b""
            self._disk.append(layout.VERDICTS, torn + lines, sync=False)


def purge_verdicts(disk: VaultDisk, texts: Iterable[str], remains: PurgeRemains) -> None:
    """Take out every line about one of some texts, or with words of what was purged.

    A line that cannot be read goes too: nobody knows what it holds. A copy that a sync tool left
    is read by nobody, and goes as a whole.
    """
    for name in disk.names(layout.STATE):
        path = f"{layout.STATE}/{name}"
        if layout.is_conflict_copy(name) and layout.original_of(path) == layout.VERDICTS:
            disk.remove(path)
    data = disk.read(layout.VERDICTS)
    if data is None:
        return
    gone = set(map(text_digest, texts))

    def stays(line: bytes) -> bool:
        found = _verdict(line)
        if found is None:
            return False
        key, verdict = found
        told = f"{verdict.reason}\n{verdict.replaced}"
        return not gone & {key.older, key.newer} and remains.cleaned(told) == told

    kept = b"".join(line for line in data.splitlines(keepends=True) if stays(line))
    if kept != data:
        disk.put(layout.VERDICTS, kept)


def _line(key: PairKey, verdict: PairVerdict) -> bytes:
    row = {**key._asdict(), **verdict._asdict()}
    return json.dumps(row, sort_keys=True).encode("ascii") + b"\n"


def _verdict(line: bytes) -> tuple[PairKey, PairVerdict] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or row.keys() != _FIELDS:
        return None
    if not all(isinstance(value, str) for value in row.values()):
        return None
    if row["relation"] not in RELATIONS or row["confidence"] not in CONFIDENCES:
        return None
    key = PairKey(*(row[name] for name in PairKey._fields))
    return key, PairVerdict(*(row[name] for name in PairVerdict._fields))
