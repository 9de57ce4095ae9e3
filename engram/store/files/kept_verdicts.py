"""Kept verdicts: what a model said about pairs and clusters of memories, so that none asks again.

`state/verdicts.jsonl` has a line for each pair: digests of both texts and of prompt and model,
relation, confidence, the model's reason and the part that is replaced; and for each cluster: the
digests of its texts, of prompt and model, and of the texts that belong together. Lines are appended
under the writer lock; torn and foreign ones are skipped. A purge takes out every line of a text
that it destroys, and of a reason that holds its words. Bounded: of more than `MOST` lines the
newest half stays.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any

from engram.model.cluster_verdict import ClusterKey, ClusterVerdict
from engram.model.errors import BadInput
from engram.model.pair_verdict import CONFIDENCES, RELATIONS, PairKey, PairVerdict, text_digest
from engram.store.base import layout

if TYPE_CHECKING:
    from engram.store.base.disk import VaultDisk
    from engram.store.commits.purge_remains import PurgeRemains

MOST = 20_000
_FIELDS = frozenset((*PairKey._fields, *PairVerdict._fields))
_OF_CLUSTER = frozenset((*ClusterKey._fields, *ClusterVerdict._fields))

_Known = tuple[PairKey, PairVerdict] | tuple[ClusterKey, ClusterVerdict]


class VerdictFile:
    """The verdicts of one vault."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        self._read: dict[PairKey | ClusterKey, PairVerdict | ClusterVerdict] | None = None
        self._fresh: dict[PairKey | ClusterKey, PairVerdict | ClusterVerdict] = {}

    def known(self, key: PairKey) -> PairVerdict | None:
        """The verdict on a pair that was kept or learnt, if any."""
        found = self._find(key)
        return found if isinstance(found, PairVerdict) else None

    def learn(self, key: PairKey, verdict: PairVerdict) -> None:
        """Know it for this run; nothing is written."""
        self._fresh[key] = verdict

    def cluster(self, key: ClusterKey) -> ClusterVerdict | None:
        """The verdict on a cluster that was kept or learnt, if any."""
        found = self._find(key)
        return found if isinstance(found, ClusterVerdict) else None

    def learn_cluster(self, key: ClusterKey, verdict: ClusterVerdict) -> None:
        """Know it for this run; nothing is written."""
        self._fresh[key] = verdict

    def _find(self, key: PairKey | ClusterKey) -> PairVerdict | ClusterVerdict | None:
        if self._read is None:
            lines = (_kept(self._disk) or b"").splitlines()
            self._read = dict(filter(None, map(_verdict, lines)))
        return self._fresh.get(key) or self._read.get(key)

    def save(self, standing: Callable[[], Collection[str]]) -> None:
        """Write what was learnt of texts that stand (their digests).

        Raises StorageError, and BadInput for a file that is none.
        """
        if not self._fresh:
            return
        stand = set(standing())
        fresh, self._fresh, self._read = self._fresh, {}, None
        lines = b"".join(
            _line(key, verdict) for key, verdict in fresh.items() if _texts(key) <= stand
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

    A line that cannot be read goes too: nobody knows what it holds.
    """
    data = _kept(disk)
    if data is None:
        return
    gone = set(map(text_digest, texts))

    def stays(line: bytes) -> bool:
        found = _verdict(line)
        if found is None:
            return False
        key, verdict = found
        if gone & _texts(key):
            return False
        told = f"{verdict.reason}\n{verdict.replaced}" if isinstance(verdict, PairVerdict) else ""
        return remains.cleaned(told) == told

    kept = b"".join(line for line in data.splitlines(keepends=True) if stays(line))
    if kept != data:
        disk.put(layout.VERDICTS, kept)


def _kept(disk: VaultDisk) -> bytes | None:
    """What the file holds; a link, a pipe or a folder in its place is none of ours."""
    try:
        return disk.read(layout.VERDICTS)
    except BadInput:
        return None


def _texts(key: PairKey | ClusterKey) -> set[str]:
    """The digests of the texts that a verdict is about."""
    return {key.older, key.newer} if isinstance(key, PairKey) else set(key.texts)


def _line(key: PairKey | ClusterKey, verdict: PairVerdict | ClusterVerdict) -> bytes:
    row = {**key._asdict(), **verdict._asdict()}
    return json.dumps(row, sort_keys=True).encode("ascii") + b"\n"


def _verdict(line: bytes) -> _Known | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    if row.keys() == _OF_CLUSTER:
        return _cluster_verdict(row)
    if row.keys() != _FIELDS:
        return None
    if not all(isinstance(value, str) for value in row.values()):
        return None
    if row["relation"] not in RELATIONS or row["confidence"] not in CONFIDENCES:
        return None
    key = PairKey(*(row[name] for name in PairKey._fields))
    return key, PairVerdict(*(row[name] for name in PairVerdict._fields))


def _cluster_verdict(row: dict[str, Any]) -> tuple[ClusterKey, ClusterVerdict] | None:
    texts, asked, belongs = (row[name] for name in ("texts", "asked", "belongs"))
    if not isinstance(asked, str) or not _are_digests(texts):
        return None
    if belongs is None:
        return ClusterKey(tuple(texts), asked), ClusterVerdict(None)
    if not _are_digests(belongs):
        return None
    return ClusterKey(tuple(texts), asked), ClusterVerdict(tuple(belongs))


def _are_digests(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
