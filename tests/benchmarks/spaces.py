"""Memories in four spaces instead of one: `python -m tests.benchmarks.spaces [--memories N]`.

The CPU time of whole processes, hooks and a question of an agent, where the same memories are of
one project, or a quarter each of the session, the user, the project and the system; all of them may
be given to that agent. Each is the median of runs that take turns.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import median

from engram.model.memory import SPACES, Memory
from engram.store.files.memory_file import render_memory
from engram.surfaces.hooks.agents import AGENTS, reader_of
from engram.vault import Vault
from tests.benchmarks.beside import VERBS, furnish, spent

#: the most that four may cost, in the time of one
MOST = 1.1
_AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
_SESSION = reader_of(AGENTS["claude-code"], "s1").session


def fill(folder: Path, memories: int, spaces: tuple[str, ...]) -> dict[str, str]:
    """A vault with so many memories in turn in these spaces; the environment of the agent."""
    environment = furnish(folder, 0, 0) | _AGENT
    facts = folder / "vault" / "facts" / "2026-03-05"
    facts.mkdir(parents=True)
    for number in range(memories):
        text = f"The user prefers small commits for the tokens{number:04d} valve."
        memory = Memory(
            f"preference-20260305-090000-{number:08x}", "preference", text, confidence=0.97,
            created="2026-03-05T09:00:00Z", authority="user_asserted", project="shop",
            space=spaces[number % len(spaces)], sources=(f"{_SESSION}#^m{number:010x}",),
        )  # fmt: skip
        (facts / f"{memory.id}.md").write_bytes(render_memory(memory))
    with Vault.open(folder / "vault", environment=environment) as vault:
        vault.doctor()
    return environment


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=4000)
    parser.add_argument("--runs", type=int, default=15)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        made = {"one": ("project",), "four": SPACES}
        homes = {name: fill(Path(place) / name, given.memories, made[name]) for name in made}
        for name, environment in homes.items():  # compiles, and takes the files up
            spent(VERBS["recall"], environment, Path(place) / name / "shop")
        for verb in ("hook session-start", "hook prompt", "recall"):
            times: dict[str, list[float]] = {name: [] for name in made}
            for _ in range(given.runs):
                for name, environment in homes.items():
                    home = Path(place) / name
                    said = {"session_id": "s1", "transcript_path": f"{home}/.claude/s1.jsonl"}
                    times[name].append(spent(VERBS[verb], environment, home / "shop", **said))
            one, four = (median(times[name]) for name in ("one", "four"))
            print(
                f"{verb}: {given.memories:,} in one space {one:.0f} ms, in four {four:.0f} ms,"
                f" {four / one:.2f} of that (at most {MOST})"
            )


if __name__ == "__main__":
    main()
