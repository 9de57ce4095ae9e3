"""The skill and the slash commands of an agent: the shipped texts <-> files in its folder.

    skills/engram/SKILL.md       when to use the memory, and by which commands; typed as `/engram`
    commands/engram/search.md    `/engram:search`, and `save` and `config`

The texts are `config/claude-code/*.md`, with the command line of this engram in them. Their last
line holds a digest of what stands above it: a file whose digest holds is ours, and is updated or
removed; one that a person wrote or changed, and whatever lies behind a symlink, is left and named.
Doing either twice changes nothing; folders that are empty afterwards are removed.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from engram.model.errors import ConfigError, StorageError
from engram.model.text import sha256_text
from engram.settings.shipped import shipped_page
from engram.settings.user_files import read_small, replace
from engram.surfaces.hooks.agents import Agent, Command

#: shipped page -> where it goes, below the agent's folder
_PAGES = {
    "SKILL": "skills/engram/SKILL.md",
    "config": "commands/engram/config.md",
    "save": "commands/engram/save.md",
    "search": "commands/engram/search.md",
}
#: what a person types for them
TYPED = ("/engram", "/engram:config", "/engram:save", "/engram:search")
_MARK = "<!-- put in by `engram connect`; once you change it, it is yours and stays ({}) -->"
_MARKED = re.compile(
    re.escape(_MARK).replace(re.escape("{}"), "(?P<digest>[0-9a-f]{16})") + r"\s*\Z"
)
#: a command line that means the same within the brackets of `allowed-tools`
_PLAIN = re.compile(r"[\w./@+~ =-]+")


@dataclass(frozen=True, slots=True)
class SkillFile:
    """What became, or would become, of one file; None: no file. `left` says why it stays."""

    path: Path
    before: str | None
    after: str | None
    left: str = ""

    @property
    def differs(self) -> bool:
        """Whether anything changes."""
        return self.before != self.after


def put_in(root: Path, agent: Agent, command: Command, *, dry_run: bool = False) -> list[SkillFile]:
    """Write the files below an agent's folder, or bring those of ours up to date."""
    return [
        _changed(root, place, page_text(name, command), dry_run)
        for name, place in (_PAGES.items() if agent.has_skill else ())
    ]


def take_out(root: Path, agent: Agent, *, dry_run: bool = False) -> list[SkillFile]:
    """Remove the files that are ours, and the folders that only they were in."""
    places = _PAGES.values() if agent.has_skill else ()
    return [_changed(root, place, None, dry_run) for place in places]


def page_text(name: str, command: Command) -> str:
    """A shipped page for this command line, with the mark at its end."""
    line = " ".join(filter(None, (command.program, command.options)))
    text = shipped_page(f"claude-code/{name}")
    if not _PLAIN.fullmatch(line):
        # the person is asked before each command instead
        text = re.sub(r"^allowed-tools: .*\n", "", text, flags=re.MULTILINE)
    text = text.replace("{engram}", line).rstrip("\n") + "\n\n"
    return f"{text}{_MARK.format(_digest(text))}\n"


def is_ours(text: str) -> bool:
    """Whether a file is as some version of the program wrote it."""
    text = text.replace("\r\n", "\n")
    found = _MARKED.search(text)
    return found is not None and found["digest"] == _digest(text[: found.start()])


def _changed(root: Path, place: str, wanted: str | None, dry_run: bool) -> SkillFile:
    path = root / place
    before, left = _standing(root, place)
    if left:
        return SkillFile(path, before, before, left)
    if before == wanted or dry_run:
        return SkillFile(path, before, wanted)
    if wanted is None:
        _remove(root, path)
    else:
        replace(path, wanted.encode("utf-8"), keep_mode=True)
    return SkillFile(path, before, wanted)


def _standing(root: Path, place: str) -> tuple[str | None, str]:
    """The text of a file, and why it is not to be touched; None where there is no file."""
    path = root
    for part in place.split("/"):
        path = path / part
        if os.path.islink(path):
            return None, f"{path} is a symlink"
    try:
        text = read_small(path)
    except ConfigError as error:
        return None, str(error)
    if text is not None and not is_ours(text):
        return text, f"{path} is yours"
    return text, ""


def _remove(root: Path, path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"{path}: cannot be removed: {error.strerror}") from error
    for folder in path.parents:
        if folder == root or any(folder.iterdir()):
            return
        folder.rmdir()


def _digest(text: str) -> str:
    return sha256_text(text)[:16]
