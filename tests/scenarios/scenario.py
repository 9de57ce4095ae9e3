"""A scenario: steps as JSON lines -> what each step answered, all events, digests of the vault.

    {"about": "...", "policy": "..."}               first: the title, and the person's policy
    {"at": T, "say": "...", "answer": "...", "session": "s1", "project": "shop"}
    {"at": T, "hook": "prompt", "prompt": "...", "session": "s1", "project": "shop"}
    {"at": T, "run": ["review"], "keys": "k\n"}
    {"at": T, "write": "facts/note.md", "text": "..."}

A turn of a person and an agent is appended to a transcript of Claude Code and taken in as the
daemon does it; `model` beside it holds what a model answers, as it was recorded. Hooks are those
that the agent calls, `run` is the command line, `write` a person's editor. All of it runs in this
process, at the times given, in a folder of its own. What `play` returns depends on the steps alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.surfaces.hooks.process import respond
from engram.vault import Vault
from tests.fakes.model_server import ModelServer, answers
from tests.golden.console import prompt_context, run
from tests.kit import files

HERE = Path(__file__).parent
_HOST_EVENTS = {
    "session-start": "SessionStart", "prompt": "UserPromptSubmit", "session-end": "SessionEnd",
}  # fmt: skip
#: files of state/ that hold paths of this machine, or nothing
_LOCAL = frozenset({layout.CURSORS, layout.LOCK})


def names() -> list[str]:
    """All scenarios, in order."""
    return sorted(path.stem for path in HERE.glob("*.jsonl"))


def golden(name: str) -> Path:
    """What a scenario comes to."""
    return HERE / f"{name}.golden"


def play(name: str, folder: Path, *, reverse: bool = False) -> str:
    """Play a scenario in an empty folder.

    With `reverse` all files of the vault are written anew after each step, the last one first.
    """
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    scenario = _Scenario(folder.resolve(), reverse)
    return scenario.play([json.loads(line) for line in lines])


class _Scenario:
    """One person, one vault, and the transcripts of an agent."""

    def __init__(self, folder: Path, reverse: bool) -> None:
        self._folder = folder
        self._reverse = reverse
        self._vault = folder / "vault"
        self._environment = prompt_context(folder) | {"ENGRAM_VAULT": str(self._vault)}
        self._said = 0

    def play(self, steps: list[dict[str, Any]]) -> str:
        head, *rest = steps
        told = [f"# {head['about']}"]
        if "policy" in head:
            home = self._folder / "home"
            home.mkdir()
            (home / "policy.toml").write_text(head["policy"], encoding="utf-8")
        self._run(rest[0]["at"], ["init", "vault"])
        for step in rest:
            shown = self._step(step)
            told.append("\n".join([_heading(step), *shown]))
            if self._reverse:
                self._written_anew()
        last = rest[-1]["at"]
        told.append("# events\n" + self._run(last, ["events", "--plain", "--limit", "10000"])[0])
        told.append("# the log\n" + "\n".join(self._run(last, ["events", "--verify"])))
        told.append("# digests\n" + "\n".join(self._digests()))
        return "\n\n".join(told) + "\n"

    def _step(self, step: dict[str, Any]) -> list[str]:
        at = step["at"]
        if "say" in step:
            return self._says(step)
        if "hook" in step:
            return self._hook(step)
        if "write" in step:
            path = self._vault / step["write"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step["text"], encoding="utf-8")
            return []
        return self._run(at, step["run"], step.get("keys", ""))

    def _says(self, step: dict[str, Any]) -> list[str]:
        """A turn, taken in by a process that watches the transcripts."""
        path = self._transcript(step)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as stream:
            for role, text in (("user", step["say"]), ("assistant", step.get("answer", "Noted."))):
                self._said += 1
                row = {
                    "type": role, "sessionId": step["session"], "uuid": f"u{self._said}",
                    "cwd": self._cwd(step), "timestamp": step["at"],
                    "message": {"role": role, "content": text},
                }  # fmt: skip
                stream.write(json.dumps(row) + "\n")
        with ExitStack() as stack:
            environment = self._environment
            if "model" in step:
                server = stack.enter_context(ModelServer([answers(json.dumps(step["model"]))]))
                environment = environment | {
                    "ENGRAM_LLM_MODEL": "gpt-4.1-mini", "ENGRAM_LLM_BASE_URL": server.base_url,
                    "OPENAI_API_KEY": "a key of nobody",
                }  # fmt: skip
            clock = FixedClock(step["at"])
            vault = stack.enter_context(
                Vault.open(self._vault, environment=environment, clock=clock)
            )
            vault.import_files("claude-code", path, live=True, extract=False)
            found = vault.flush()
        told = {
            "memories": found.memories, "confirmed": found.confirmed,
            "superseded": found.superseded, **found.refused,
        }  # fmt: skip
        return [", ".join(f"{name} {count}" for name, count in told.items() if count) or "nothing"]

    def _hook(self, step: dict[str, Any]) -> list[str]:
        event = step["hook"]
        said = {
            "session_id": step["session"], "cwd": self._cwd(step),
            "hook_event_name": _HOST_EVENTS[event], "transcript_path": str(self._transcript(step)),
        }  # fmt: skip
        said |= {"prompt": step["prompt"]} if "prompt" in step else {"source": "startup"}
        complaints: list[str] = []
        environment = self._environment | {"ENGRAM_CLOCK": step["at"]}
        out = respond([event], lambda: json.dumps(said).encode(), environment, complaints.append)
        if not out:
            return ["nothing", *complaints]
        context: str = json.loads(out)["hookSpecificOutput"]["additionalContext"]
        return [*context.splitlines(), *complaints]

    def _run(self, at: str, arguments: list[str], keys: str = "") -> list[str]:
        environment = self._environment | {"ENGRAM_CLOCK": at}
        ran = run(arguments, self._folder, environment, keys.encode())
        said = [f"! {line}" for line in ran.err.splitlines()]
        code = [f"[exit {ran.code}]"] if ran.code else []
        text = ran.out.rstrip("\n").replace(str(self._folder), "[TMP]")
        return [text, *said, *code] if text else [*said, *code]

    def _transcript(self, step: dict[str, Any]) -> Path:
        folder = f"-home-kim-{step['project']}"
        return self._folder / ".claude" / "projects" / folder / f"{step['session']}.jsonl"

    def _cwd(self, step: dict[str, Any]) -> str:
        return f"/home/kim/{step['project']}"

    def _digests(self) -> Iterator[str]:
        """Of everything that travels, and of the logs of this machine."""
        every = [path.relative_to(self._vault).as_posix() for path in files(self._vault)]
        logs = [name for name in every if name.startswith("state/") and name not in _LOCAL]
        kept = [name for name in every if not name.startswith("state/")]
        for what, chosen in (("files", kept), ("state", logs)):
            digest = hashlib.sha256()
            for name in chosen:
                digest.update(name.encode() + b"\0" + (self._vault / name).read_bytes() + b"\0")
            yield f"{what} {len(chosen)} {digest.hexdigest()}"

    def _written_anew(self) -> None:
        old = self._folder / "before"
        self._vault.rename(old)
        for path in sorted(old.rglob("*"), reverse=True):
            new = self._vault / path.relative_to(old)
            if path.is_dir():
                new.mkdir(parents=True, exist_ok=True)
            else:
                new.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, new)
            os.chmod(new, path.stat().st_mode)
        os.chmod(self._vault, old.stat().st_mode)
        shutil.rmtree(old)


def _heading(step: dict[str, Any]) -> str:
    at = step["at"]
    if "say" in step:
        return f"> {at} {step['session']} in {step['project']}: {step['say']}"
    if "hook" in step:
        asked = f": {step['prompt']}" if "prompt" in step else ""
        return f"> {at} {step['session']} in {step['project']}, {step['hook']}{asked}"
    if "write" in step:
        return f"> {at} an editor writes {step['write']}"
    return f"> {at} engram {' '.join(step['run'])}"
