"""What a vault gives to who asks, differences of phases too -> one line of its access log.

The question is kept redacted and cut. Guarantees: a vault of others, and one that cannot be
written, is not; what cannot be noted was given all the same.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, StorageError
from engram.model.given import MOST_QUESTION, GivenBlock, How, Reader
from engram.model.instant import day_of
from engram.model.phase import refused_diff
from engram.model.phase_diff import AskedDiff, DiffedPhases
from engram.model.text import first_line
from engram.recall.given_items import found, given_items, hash_of
from engram.store.catalog.access_log import AccessLog

if TYPE_CHECKING:
    from engram.model.item import Store
    from engram.vault.wiring import VaultParts

_log = logging.getLogger(__name__)


def note_given(
    parts: VaultParts, how: How, identifiers: Iterable[str], question: str, reader: Reader, *,
    asked: bool,
) -> None:  # fmt: skip
    """Append the memories of these ids, in order, each once."""
    shown = list(parts.memories.memories(dict.fromkeys(identifiers)))
    if not (shown and parts.writable):
        return
    now, policy = parts.clock.now(), parts.policy
    items = {one.id: str(parts.catalog.items.of(one.id) or "") for one in shown}
    block = GivenBlock(
        now, *reader, how, given_items(shown, found(day_of(now)), items), hash_of(shown),
        policy.read_order, policy.digest, parts.catalog.last, asked,
        first_line(parts.redactor.redact(question).text, MOST_QUESTION),
    )  # fmt: skip
    try:
        AccessLog(parts.disk).give(block)
    except (StorageError, BadInput) as error:
        _log.info("the question was answered and not counted: %s", error)


def phase_diff(
    parts: VaultParts, store: Store, names: tuple[str, str] | None, reader: Reader
) -> DiffedPhases:
    """What changed between two phases, as far as the policy tells it. Raises BadInput."""
    policy, now = parts.policy, parts.clock.now()
    asked = AskedDiff(now, *reader, parts.catalog.last, policy.digest, str(store))
    if code := refused_diff(policy, store.space):
        _note_diff(parts, asked._replace(refused=code))
        raise BadInput(
            f"refused: {code} (the policy tells no differences of phases of {store.space} space)",
            "`engram policy show` tells which file says so",
        )
    found = parts.phase_queries.diff(store, names, now)
    _note_diff(parts, asked._replace(
        from_id=found.before.id, to_id=found.after.id, counts=found.diff.counts,
        changes=tuple(found.diff.top_changes),
    ))  # fmt: skip
    return found


def _note_diff(parts: VaultParts, asked: AskedDiff) -> None:
    if not parts.writable:
        return
    try:
        AccessLog(parts.disk).ask(asked)
    except (StorageError, BadInput) as error:
        _log.info("the difference was told and not noted: %s", error)
