"""Order of the passes in a consolidation.

First what changes memories, then the pages that show them: so that a second run finds nothing to
do (seed 003 lists the pages earlier; a profile would then name what expires in the same run).
"""

from __future__ import annotations

from engram.consolidate.context import Pass
from engram.consolidate.passes import (
    archival,
    box_sealing,
    commitments,
    contradictions,
    duplicates,
    ended_records,
    entity_merge,
    entity_pages,
    expiry,
    grace_period,
    home_page,
    identity,
    profile,
    record_index,
    reuse,
    session_window,
    summaries,
)

#: those that change memories; they are repeated until they find nothing
DECIDING: tuple[Pass, ...] = (
    duplicates.plan,
    contradictions.plan,
    reuse.plan,
    session_window.plan,
    ended_records.plan,
    commitments.plan,
    expiry.plan,
    archival.plan,
    grace_period.plan,
)

#: those that write the pages which show memories
SHOWING: tuple[Pass, ...] = (
    summaries.plan,
    box_sealing.plan,
    entity_pages.plan,
    entity_merge.plan,
    profile.plan,
    identity.plan,
    record_index.plan,
    home_page.plan,
)


#: what is done in a vault that is shared with others: nothing that rests on reads or conversations
#: of one machine, and no pages, which several machines would write
SHARED_PASSES: tuple[Pass, ...] = (
    duplicates.plan,
    contradictions.plan,
    commitments.plan,
    expiry.plan,
    grace_period.plan,
)
