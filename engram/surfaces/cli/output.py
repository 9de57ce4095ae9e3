"""What all verbs share at their edges: opening a vault, printing data, talking about it.

Data goes to stdout, as JSON when asked for and else as text whose control characters are made
harmless; talk goes to stderr. Raises StorageError when stdout does not take what is written.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engram.model.display import plain
from engram.model.errors import StorageError
from engram.surfaces.cli.arguments import chosen
from engram.surfaces.cli.terminal import bar_of_long_work, hanging
from engram.surfaces.remote.call_context import caller

if TYPE_CHECKING:
    from pathlib import Path

    from engram.vault import Vault


#: C1 controls, directional marks and separators, which JSON lets stand as they are, and the bytes
#: of file names that are no UTF-8, which no stream takes
_OBEYED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


#: what files that came into the vault go through
_TAKEN_UP = {"files": "taking up new files", "index": "building the index"}
#: the column at which the second half of a row begins
_SECOND = 11


@contextmanager
def opened() -> Iterator[Vault]:
    """The vault that the options, the environment or the working directory name."""
    from engram.settings.vault_folders import find_vault

    for_whom = caller()
    path = find_vault(chosen().vault, for_whom.environment, for_whom.folder)
    with _warnings_heard(), for_whom.vault(path) as vault, taking_up(vault):
        chosen().timezone = vault.timezone
        yield vault


@contextmanager
def taking_up(vault: Vault) -> Iterator[None]:
    """While files are taken up that came into the vault: a bar where that is long, and a word about
    what is still to come.
    """
    with bar_of_long_work(_TAKEN_UP) as advance:
        vault.tell_taken_up(advance)
        yield
        if vault.to_come:
            talk(f"{plural(vault.to_come, 'file')} not taken up yet: ask again in a while")


@contextmanager
def opened_beside(project: str = "") -> Iterator[Vault]:
    """The same with the vaults that are read beside it in the working directory.

    Another `project` that is named stands for a working directory of its own.
    """
    from engram.model.ids import slugs_of
    from engram.settings.vault_folders import own_vault

    for_whom = caller()
    folder: Path | None = for_whom.folder
    projects: Sequence[str] | None = None
    with opened() as vault:
        if project:
            projects = slugs_of(project)
            folder = folder if projects[0] in vault.projects_in(for_whom.folder) else None
        own = own_vault(chosen().vault, for_whom.environment).expanduser()
        with vault.beside(folder, projects, for_whom.folder / own):
            yield vault


def wants_json() -> bool:
    """Whether `--json` was given before or after the verb."""
    return chosen().json


def emit_json(data: object) -> None:
    """One JSON document and a line feed.

    What a terminal would obey and what is no character stand in it as `\\u009b`.
    """
    text = json.dumps(data, ensure_ascii=False, indent=2)
    _write(_OBEYED.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text) + "\n")


def say(text: str, *, raw: bool = False) -> None:
    """Data for a person; `raw` when its foreign parts are harmless already and it is styled."""
    _write((text if raw else plain(text)) + "\n")


def line(text: str, column: int = _SECOND) -> None:
    """A row of a table, its second column over as many lines as it takes."""
    _write(hanging(plain(text).replace("\n", " "), column) + "\n")


def finish() -> None:
    """Hand over what is still buffered, so that a full disk shows while it can be told."""
    try:
        caller().out.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise not_taken(error) from error


def _write(text: str) -> None:
    chosen().answered = True
    try:
        caller().out.write(text)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise not_taken(error) from error


def not_taken(error: OSError) -> StorageError:
    """What is said when standard output is full."""
    return StorageError(
        f"the output cannot be written: {error.strerror or error}", "give it another place"
    )


def talk(text: str) -> None:
    """Talk about the data, after what was said before it where both go to one place."""
    # when stderr takes nothing there is no place left to say so; stdout is asked again at the end
    with contextlib.suppress(OSError):
        caller().out.flush()
    with contextlib.suppress(OSError):
        caller().err.write(plain(text) + "\n")
        caller().err.flush()


@contextmanager
def _warnings_heard() -> Iterator[None]:
    """Warnings of the program itself are talk: `note: the index failed; building it anew`."""
    import logging

    here = threading.get_ident()

    class StatusStream(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            # the daemon does other things meanwhile
            if record.thread == here:
                talk(f"note: {record.getMessage()}")

    logger, handler = logging.getLogger("engram"), StatusStream()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def plural(count: int, word: str, many: str = "") -> str:
    """`1 turn`, `2 turns`, `1,234 memories`."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"
