"""Agents that call hooks: where each keeps its settings, and its names of the events.

By their documentation:

- Claude Code: `settings.json`, seconds; `async` runs beside the session. A hook that runs at the
  end of a session gets one and a half seconds and is not async: those are killed with the process.
  `skills/NAME/SKILL.md` is offered to the model, and typed as `/NAME` (a command of that name is
  hidden by it); `commands/A/B.md` is typed as `/A:B`.
- Codex: `hooks.json` in the same shape, seconds; an async hook is dropped, one at the end of a
  session gets three seconds, and the user confirms new hooks once (`/hooks`).
- Gemini CLI: `settings.json`, milliseconds; what a hook prints must be JSON and nothing else.

In the shell of an agent a variable tells that it is one (`CLAUDECODE=1`, `GEMINI_CLI=1`); Claude
Code and Codex name the session too, in `CLAUDE_CODE_SESSION_ID` and `CODEX_THREAD_ID`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from engram.model.given import BY_HAND, UNKNOWN, Reader
from engram.model.ids import session_digest

VERIFIED = "2026-11-20"

#: the events that hosts call, by our names
SESSION_START, PROMPT = "session-start", "prompt"
PRE_COMPACT, SESSION_END = "pre-compact", "session-end"
#: the time-out given to the host, seconds; a hook ends itself long before
TIMEOUT, TIMEOUT_AT_END = 5, 3


class Command(NamedTuple):
    """The command line in a host's settings: program and options, quoted where needed."""

    program: str
    options: str = ""

    def line(self, event: str) -> str:
        """The command of one event."""
        return " ".join(filter(None, (self.program, "hook", event, self.options)))


class Agent(NamedTuple):
    """One agent; `root` is its own folder, `events` maps our event names to its own."""

    name: str
    title: str
    root: Callable[[Mapping[str, str], Path], Path]
    settings: str
    events: tuple[tuple[str, str], ...]
    milliseconds: bool = False
    has_async: bool = False
    #: whether it reads skills and commands from its folder (`skill`)
    has_skill: bool = False
    #: what a user should know once the hooks are installed
    hint: str = ""
    #: variables of its shell: one that is set there, and one that names the session
    shell: str = ""
    session: str = ""

    def settings_file(self, environment: Mapping[str, str], home: Path) -> Path:
        """The file that the hooks go into."""
        return self.root(environment, home) / self.settings

    def entry(self, event: str, command: Command) -> dict[str, object]:
        """The entry for one event: a group with one command."""
        seconds = TIMEOUT_AT_END if event == SESSION_END else TIMEOUT
        hook: dict[str, object] = {"type": "command", "command": command.line(event)}
        if self.milliseconds:
            hook["name"] = f"engram-{event}"
        if self.has_async and event == PRE_COMPACT:
            hook["async"] = True
        hook["timeout"] = seconds * 1000 if self.milliseconds else seconds
        return {"hooks": [hook]}


def _moved(variable: str, folder: str) -> Callable[[Mapping[str, str], Path], Path]:
    """A folder below home, or the one that a variable names."""

    def root(environment: Mapping[str, str], home: Path) -> Path:
        named = environment.get(variable)
        return Path(os.path.abspath(named)) if named else home / folder

    return root


def _gemini(environment: Mapping[str, str], home: Path) -> Path:
    """`GEMINI_CLI_HOME` replaces the home folder."""
    named = environment.get("GEMINI_CLI_HOME")
    return (Path(os.path.abspath(named)) if named else home) / ".gemini"


_SHARED = (
    (SESSION_START, "SessionStart"), (PROMPT, "UserPromptSubmit"),
    (PRE_COMPACT, "PreCompact"), (SESSION_END, "SessionEnd"),
)  # fmt: skip

AGENTS: dict[str, Agent] = {
    agent.name: agent
    for agent in (
        Agent(
            "claude-code", "Claude Code", _moved("CLAUDE_CONFIG_DIR", ".claude"), "settings.json",
            _SHARED, has_async=True, has_skill=True,
            shell="CLAUDECODE", session="CLAUDE_CODE_SESSION_ID",
        ),
        Agent(
            "codex", "Codex", _moved("CODEX_HOME", ".codex"), "hooks.json", _SHARED,
            hint="Codex runs new hooks once you trust them: type /hooks in it",
            shell="CODEX_THREAD_ID", session="CODEX_THREAD_ID",
        ),
        Agent(
            "gemini-cli", "Gemini CLI", _gemini, "settings.json",
            (
                (SESSION_START, "SessionStart"), (PROMPT, "BeforeAgent"),
                (PRE_COMPACT, "PreCompress"), (SESSION_END, "SessionEnd"),
            ),
            milliseconds=True, shell="GEMINI_CLI",
        ),
    )
}  # fmt: skip


def agent_of(
    transcript: str, environment: Mapping[str, str], home: Path, *, planned: bool = False
) -> Agent | None:
    """The agent in whose own folder (real path) a transcript lies; None for what is no file.

    `planned`: also one that is not there yet. A host calls the first hook of a session before it
    writes anything.
    """
    if not transcript or not os.path.isabs(transcript):
        return None
    if not (planned or os.path.isfile(transcript)):
        return None
    real = Path(os.path.realpath(transcript))
    for agent in AGENTS.values():
        if real.is_relative_to(os.path.realpath(agent.root(environment, home))):
            return agent
    return None


def reader_of(agent: Agent | None, session: str) -> Reader:
    """An agent and its session, which is called as its transcript is in a vault."""
    if agent is None or not session:
        return Reader(agent.name if agent is not None else UNKNOWN, BY_HAND)
    return Reader(agent.name, f"{agent.name}-{session_digest(agent.name, session)}")


def reader_in(environment: Mapping[str, str]) -> Reader:
    """The agent in whose shell a command runs, else the person."""
    for agent in AGENTS.values():
        if agent.shell and environment.get(agent.shell):
            return reader_of(agent, environment.get(agent.session, ""))
    return Reader()
