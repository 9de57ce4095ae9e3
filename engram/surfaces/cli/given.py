"""`--from FILE`: the bytes of a file or of standard input, no more than a record has."""

from __future__ import annotations

import sys

from engram.model.errors import BadInput
from engram.model.schemas import RECORD_MOST
from engram.surfaces.remote.call_context import caller

#: four times a record: JSON escapes signs. What is longer is refused where it is read
_MOST = 4 * RECORD_MOST + 1


def given_bytes(source: str) -> bytes:
    """What a file holds, or with `-` standard input, cut off where it is too long for a record.

    Raises BadInput for a file that cannot be read.
    """
    if source == "-":
        return sys.stdin.buffer.read(_MOST)
    try:
        with open(caller().folder / source, "rb") as file:
            return file.read(_MOST)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", "") or "that is no name of a file"
        raise BadInput(
            f"{source} cannot be read: {why}", "name a file, or `-` for standard input"
        ) from error
