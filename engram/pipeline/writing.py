"""Write access to a vault: hand edits are settled before a change, the index is caught up after it.

Also what brings a whole vault up to date: everything that lies in it taken up, the transcripts of
other machines too, and catalog, index and views made anew from the files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engram.model.errors import BadInput, StorageError

if TYPE_CHECKING:
    from engram.pipeline.ports import Ports


@contextmanager
def writing(ports: Ports, *, index: bool = True, settle: bool = True) -> Iterator[int]:
    """Under the writer lock, with hand edits taken up first; the index is caught up without it.

    So nobody who writes waits for the index of another. Yields how many files were edited; without
    `settle` nobody has looked. Raises Untrusted and FormatTooNew for a vault that may not be
    written here.
    """
    ports.check_writable()
    if index:
        ports.index.prepare()  # before the lock, so that others do not wait for it
    with ports.committer.lock():
        yield ports.settler.settle() if settle else 0
    if index:
        ports.index.refresh()


def settle_all(ports: Ports, *, writable: bool) -> str:
    """Take up everything that lies in the vault, transcripts of other machines too.

    Returns why that is not possible, if it is not.
    """
    try:
        if writable:
            with writing(ports):
                take_up_transcripts(ports)
        else:
            ports.settler.within(math.inf)
            ports.index.refresh()
    except (StorageError, BadInput) as error:
        return str(error)
    return ""


def take_up_transcripts(ports: Ports, also: Sequence[str] = ()) -> None:
    """Know and find the turns of transcripts that another machine wrote."""
    links = ports.turns.record_transcripts(also)
    if links:
        ports.index.refresh()
        ports.index.show(links)


def rebuild(ports: Ports, *, writable: bool) -> list[str]:
    """Catalog and index anew from the files, then the views; returns those that differed."""
    if not writable:
        ports.derived.rebuild()
        ports.settler.within(math.inf)
        ports.index.rebuild()
        return []
    made = ports.derived.fills
    with ports.committer.lock():
        if ports.derived.fills == made:
            ports.derived.rebuild()
        mended = ports.derived.mend_views(due=True)
        if ports.settler.settle():
            ports.derived.write_topics()
        ports.index.rebuild()
        return mended
