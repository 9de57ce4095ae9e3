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
    entity_merge,
    entity_pages,
    expiry,
    identity,
    profile,
    reuse,
)

PASSES: tuple[Pass, ...] = (
    duplicates.plan,
    contradictions.plan,
    reuse.plan,
    commitments.plan,
    expiry.plan,
    archival.plan,
    box_sealing.plan,
    entity_pages.plan,
    entity_merge.plan,
    profile.plan,
    identity.plan,
)
