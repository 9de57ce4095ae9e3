"""Hook entries in an agent's settings file: added, found and removed, byte for byte.

`connected` and `disconnected` are pure: settings as text in, settings as text out, None where there
is no file. `connect` and `disconnect` do it to the file: atomically, its mode kept, a backup beside
it. Guarantees: doing either twice changes nothing; other hooks are never touched; after removal the
file is as it was before, and gone when it did not exist. Refused: settings that are no JSON object,
hooks of another shape, symlinks (ConfigError); then nothing is changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engram.model.errors import ConfigError, StorageError
from engram.settings.user_files import read_small, refuse_symlink, replace, without_mark
from engram.surfaces.hooks.agents import Agent, Command
from engram.surfaces.hooks.json_text import Node, added, parse, removed

#: suffix of the backup
BACKUP = ".before-engram"
_EMPTY = "{}\n"
#: a command of ours, wherever it was installed
_OURS = re.compile(
    r"(?P<program>.*engram[^/\\]*?) hook (?:session-start|prompt|pre-compact|session-end)"
    r"(?: (?P<options>--vault .+))?"
)


@dataclass(frozen=True, slots=True)
class Changed:
    """Result of a change, or of a dry run, to a settings file; None: no file.

    `exact` says that it equals the file before it was first connected.
    """

    path: Path
    before: str | None
    after: str | None
    exact: bool = True

    @property
    def differs(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after


# -- texts -----------------------------------------------------------------------------------------


def connected(text: str | None, agent: Agent, command: Command) -> str:
    """Settings with our entries in them, those of another command replaced. Raises ValueError."""
    text = _EMPTY if text is None else text
    if ours_in(text) == {name: [agent.entry(event, command)] for event, name in agent.events}:
        return text
    mark, text = _marked(disconnected(text))
    for event, name in agent.events:
        root = _settings(text)
        hooks = root.member("hooks")
        if hooks is None:
            text = added(text, root, 0, {name: [agent.entry(event, command)]}, "hooks")
            continue
        groups = hooks.member(name)
        if groups is None:
            text = added(text, hooks, 1, [agent.entry(event, command)], name)
        else:
            text = added(text, groups, 2, agent.entry(event, command))
    return mark + text


def disconnected(text: str) -> str:
    """Settings without our entries, nor the lists that only they were in. Raises ValueError."""
    mark, text = _marked(text)
    while True:
        shorter = _one_less(text)
        if shorter is None:
            return mark + text
        text = shorter


def _one_less(text: str) -> str | None:
    """Settings without one entry of ours; None when there is none left."""
    root = _settings(text)
    hooks = root.member("hooks")
    for at, (_, groups) in enumerate(hooks.members.values() if hooks else ()):
        for which, group in enumerate(groups.items):
            if command_of(group.value) is None:
                continue
            assert hooks is not None
            if len(groups.items) > 1:
                return removed(text, groups, which)
            if len(hooks.members) > 1:
                return removed(text, hooks, at)
            return removed(text, root, list(root.members).index("hooks"))
    return None


def command_of(group: object) -> Command | None:
    """The command in a group of ours; None for any other group."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(hooks, list) or len(hooks) != 1 or not isinstance(hooks[0], dict):
        return None
    line = hooks[0].get("command")
    found = _OURS.fullmatch(line) if isinstance(line, str) else None
    return Command(found["program"], found["options"] or "") if found else None


def _settings(text: str) -> Node:
    """The parsed settings, with the parts that are to be changed checked."""
    root = parse(text)
    if not isinstance(root.value, dict):
        raise ValueError("it is not a JSON object")
    hooks = root.member("hooks")
    if hooks is not None and not isinstance(hooks.value, dict):
        raise ValueError("its `hooks` are not an object")
    for name, groups in (hooks.value if hooks else {}).items():
        if not isinstance(groups, list) and _is_event(name):
            raise ValueError(f"its `hooks.{name}` is not a list")
    return root


def _is_event(name: str) -> bool:
    """Whether a name is an event: Gemini CLI keeps switches beside the events, in small letters."""
    return name[:1].isupper()


def _marked(text: str) -> tuple[str, str]:
    """A byte order mark, if any, and the text after it."""
    bare = without_mark(text)
    return text[: len(text) - len(bare)], bare


# -- files -----------------------------------------------------------------------------------------


def connect(path: Path, agent: Agent, command: Command, *, dry_run: bool = False) -> Changed:
    """Add our entries to an agent's settings file."""
    before = _read(path)
    with _understood(path):
        after = connected(before, agent, command)
        fresh = before is not None and not ours_in(before)
    changed = Changed(path, before, after)
    if changed.differs and not dry_run:
        # a backup of an earlier connection is of the file before that one
        if before is not None and fresh:
            replace(_backup(path), before.encode("utf-8"))
        _write(path, after)
    return changed


def disconnect(path: Path, agent: Agent, *, dry_run: bool = False) -> Changed:
    """Remove our entries from an agent's settings file, and the backup beside it."""
    before = _read(path)
    if before is None:
        return Changed(path, None, None)
    with _understood(path):
        after: str | None = disconnected(before)
    if after == before:
        return Changed(path, before, before)
    first = _read(_backup(path))
    with _understood(path):
        if connected(first, agent, command_in(before) or Command("")) == before:
            after = first
    changed = Changed(path, before, after, exact=after == first)
    if not dry_run:
        if after is None:
            _remove(path)
        else:
            _write(path, after)
        if changed.exact:
            _remove(_backup(path))
    return changed


def command_in(text: str) -> Command | None:
    """The command of our entries in a text, if it has any. Raises ValueError."""
    found = (command_of(group) for groups in ours_in(text).values() for group in groups)
    return next((command for command in found if command is not None), None)


def lines_in(text: str) -> list[tuple[str, str]]:
    """The host's event and the command line of each entry of ours. Raises ValueError."""
    return [
        (event, group["hooks"][0]["command"])
        for event, groups in ours_in(text).items()
        for group in groups
        if isinstance(group, dict)
    ]


def ours_in(text: str) -> dict[str, list[object]]:
    """Our entries by event."""
    hooks = _settings(_marked(text)[1]).value.get("hooks", {})
    found = {
        name: [group for group in groups if command_of(group) is not None]
        for name, groups in hooks.items()
        if isinstance(groups, list)
    }
    return {name: groups for name, groups in found.items() if groups}


@contextmanager
def _understood(path: Path) -> Iterator[None]:
    """Raise ConfigError with the file's name for settings that cannot be parsed."""
    try:
        yield
    except (ValueError, RecursionError) as error:
        at = f"line {error.lineno}: " if isinstance(error, json.JSONDecodeError) else ""
        why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise ConfigError(
            f"{path}: is not understood: {at}{why}", "mend it first; it was not changed"
        ) from error


def _read(path: Path) -> str | None:
    return read_small(path, follow=False)


def _write(path: Path, text: str | None) -> None:
    refuse_symlink(path)
    replace(path, (text or "").encode("utf-8"), keep_mode=True)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"{path}: cannot be removed: {error.strerror}") from error


def _backup(path: Path) -> Path:
    return path.with_name(path.name + BACKUP)
