"""What a hook gives -> one line of the vault's access log: to whom, in which session, and why.

The words of the prompt are not kept: the turn that follows in the session has them. Guarantees: no
lock, no fsync, one append; where the vault cannot be written nothing is. Raises StorageError where
it could be written and was not.
"""

from __future__ import annotations

import os

from engram.model.given import GivenBlock, How, Reader
from engram.recall.given_items import chosen, given_items, hash_of, matched
from engram.store.base import layout
from engram.store.base.disk import VaultDisk
from engram.store.catalog.access_log import AccessLog
from engram.surfaces.hooks.agents import SESSION_START
from engram.surfaces.hooks.context_block import ContextSource, GivenContext


def note_given(
    context: GivenContext, source: ContextSource, event: str, reader: Reader
) -> None:  # fmt: skip
    """Append a block to the access log, if it is one."""
    writable = source.known and os.access(source.root / layout.STATE, os.W_OK)
    if not (context.shown and writable):
        return
    how: How = "session-start" if event == SESSION_START else "prompt"
    why = chosen(source.today) if how == "session-start" else matched
    block = GivenBlock(
        source.now, *reader, how,
        given_items(context.shown, why, context.items), hash_of(context.shown),
        context.policy.spaces, context.policy.digest, context.last,
    )  # fmt: skip
    AccessLog(VaultDisk(source.root)).give(block)
