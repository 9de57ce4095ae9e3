"""Snapshots of policies: `state/policies/<digest>.json`, one for each that decided anything.

Transactions and the access log name a policy by its digest; what it said is kept here once, as
canonical JSON. Guarantees: a snapshot is durable before the transaction that names it, and is not
written over; one that is lost comes back with the next commit under that policy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from engram.model.policy import is_digest
from engram.store.base import layout

if TYPE_CHECKING:
    from engram.model.policy import Policy
    from engram.store.base.disk import VaultDisk


class PolicySnapshots:
    """The snapshots of one vault."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        self._kept: tuple[Policy, str] | None = None

    def keep(self, policy: Policy | None) -> str:
        """Write a policy down once; returns its digest, empty for none. Raises StorageError."""
        if policy is None:
            return ""
        if self._kept is not None and self._kept[0] is policy:
            return self._kept[1]
        digest = policy.digest
        path = layout.policy_path(digest)
        if self._disk.size(path) is None:
            text = json.dumps(
                policy.snapshot, ensure_ascii=False, sort_keys=True, separators=(",", ":")
            )
            self._disk.put(path, text.encode("utf-8", "surrogatepass") + b"\n")
            self._disk.sync([layout.POLICIES])
        self._kept = policy, digest
        return digest


def kept_policy(disk: VaultDisk, digest: str) -> Mapping[str, object]:
    """The snapshot of a digest; empty where there is none that can be read."""
    data = disk.read(layout.policy_path(digest)) if is_digest(digest) else None
    try:
        found = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
