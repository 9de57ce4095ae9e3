"""Snapshots of policies: `state/policies/<digest>.json`, one for each that decided anything.

Transactions and the access log name a policy by its digest; what it said is kept here once, and
never changed. A snapshot that is lost comes back with the next commit under that policy.
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


def keep_policy(disk: VaultDisk, policy: Policy) -> str:
    """The digest of a policy, whose snapshot is there from now on. Raises StorageError."""
    digest = policy.digest
    path = _path(digest)
    if disk.size(path) is None:
        text = json.dumps(policy.snapshot, indent=1, sort_keys=True, ensure_ascii=False)
        disk.put(path, text.encode("utf-8") + b"\n")
    return digest


def kept_policy(disk: VaultDisk, digest: str) -> Mapping[str, object]:
    """The snapshot of a digest; empty where there is none that can be read."""
    data = disk.read(_path(digest)) if is_digest(digest) else None
    try:
        found = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _path(digest: str) -> str:
    return f"{layout.POLICIES}/{digest}.json"
