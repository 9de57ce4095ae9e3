"""Earlier block: the transcript of a resumed session -> the block that the session was given last.

A host builds the context of a resumed session from its transcript. Claude Code keeps there what a
hook gave (an attachment), Codex too (a developer's message); Gemini CLI does not, and is given the
block again. What stands before the last compaction is no longer in the context.

Guarantees: only a regular file in its agent's own folder is read, from its end, at most 16 MB of it
(25 ms); nothing is written. A transcript that cannot be read, and a session that begins anew, have
none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from engram.surfaces.hooks.agents import agent_of, reader_of
from engram.surfaces.hooks.host_protocol import HookCall

#: the `source` of a start that leaves nothing of what the session was given
_ANEW = frozenset({"clear", "compact"})
#: read at most, and at once, bytes; what may stand across two pieces
_MOST, _PIECE, _OVERLAP = 16 << 20, 1 << 20, 64
_TAG = b"<engram-memory version="
#: as text, in a string of JSON, and in JSON that is itself in a string
_VERSION = re.compile(rb'\\{0,3}"([0-9a-f]{8})\\{0,3}">')
#: how Claude Code and Codex write that the conversation so far was condensed
_COMPACTED = (b'"subtype":"compact_boundary"', b'"type":"compacted"')


class EarlierBlock(NamedTuple):
    """The version of a session's block, and the name of its conversation in a vault."""

    version: str
    conversation: str


def earlier_block(
    asked: HookCall, environment: Mapping[str, str], home: Path
) -> EarlierBlock | None:
    """The block that the session of a start still has; None without one."""
    agent = None if asked.start in _ANEW else agent_of(asked.transcript, environment, home)
    version = _last_version(asked.transcript) if agent is not None else ""
    if agent is None or not version:
        return None
    return EarlierBlock(version, reader_of(agent, asked.session).session)


def _last_version(path: str) -> str:
    """The version of the last block in a transcript, if no compaction came after it."""
    try:
        with open(path, "rb") as transcript:
            for piece in _from_the_end(transcript.fileno()):
                at = _last_tag(piece)
                compacted = max(map(piece.rfind, _COMPACTED))
                if compacted > at:
                    return ""
                if found := _VERSION.match(piece, at + len(_TAG)) if at >= 0 else None:
                    return found[1].decode("ascii")
    except OSError:
        pass
    return ""


def _from_the_end(file: int) -> Iterator[bytes]:
    """The last bytes of an open file, piece by piece; neighbours overlap."""
    end = size = os.fstat(file).st_size
    while end > max(0, size - _MOST):
        start = max(0, end - _PIECE)
        yield os.pread(file, min(size, end + _OVERLAP) - start, start)
        end = start


def _last_tag(piece: bytes) -> int:
    """Where the last tag of a block begins; -1 without one."""
    at = piece.rfind(_TAG)
    while at >= 0 and not _VERSION.match(piece, at + len(_TAG)):
        at = piece.rfind(_TAG, 0, at)
    return at
