"""Policy snapshots: each policy that held when something was decided, once, by its digest.

`state/policies/<16 hex digits>.json` is the policy as canonical JSON: sorted keys, one line feed at
the end. Guarantees: a snapshot is durable before the transaction that names it, and is not written
over. It is of this machine, as all of `state/` is.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from engram.store.base import layout

if TYPE_CHECKING:
    from engram.model.policy import Policy
    from engram.store.base.disk import VaultDisk


class PolicySnapshots:
    """The snapshots of one vault."""

    def __init__(self, disk: VaultDisk) -> None:
        self._disk = disk
        self._kept: tuple[Policy, str] | None = None

    def keep(self, policy: Policy) -> str:
        """Write a policy down unless it is; returns its digest. Raises StorageError."""
        if self._kept is not None and self._kept[0] is policy:
            return self._kept[1]
        digest = policy.digest
        path = layout.policy_path(digest)
        if self._disk.size(path) is None:
            self._disk.put(path, snapshot_bytes(policy))
            self._disk.sync([layout.POLICIES])
        self._kept = policy, digest
        return digest


def snapshot_bytes(policy: Policy) -> bytes:
    """A policy as the bytes of its file."""
    text = json.dumps(policy.snapshot, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"
