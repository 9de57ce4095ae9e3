"""How fast conversations are scored: `python -m tests.benchmarks.triage_speed [--turns N]`.

Triage alone, for all schemas, on conversations of 200 turns: short ones of a person, of which every
fourth points to a record, and an agent's of six lines. CPU time.
"""

from __future__ import annotations

import argparse
import time

from engram.extract.triage import compile_triage, triage
from engram.model.turn import Role, Turn, turn_of
from engram.settings.shipped import shipped
from tests.benchmarks.imports import prose

_TELLING = (
    "we decided to use {0} instead of {1} because two writers need it",
    "i prefer {0} over {1} in every service",
    "the deploy failed with an error, the root cause was {0}",
    "there is a rate limit of {0} by design",
)
_LONG, _TIME = 200, "2026-03-06T10:00:00Z"


def conversation(first: int, count: int) -> list[Turn]:
    """So many turns of one conversation, a person's and an agent's in turn."""
    turns = []
    for number in range(first, first + count):
        if number % 2:
            text = "\n".join(prose(number + line, 16) for line in range(6))
        elif number % 4 == 0:
            text = _TELLING[number // 4 % len(_TELLING)].format(f"tool{number}", f"thing{number}")
        else:
            text = prose(number, 60)
        role: Role = "assistant" if number % 2 else "user"
        session, message = str(first), str(number)
        turns.append(turn_of(role, text, _TIME, session=session, message=message))
    return turns


def measure(count: int) -> tuple[float, int]:
    """`(turns a second, conversations that are drafted from)`."""
    patterns = compile_triage(shipped("records"))
    spoken = [conversation(first, _LONG) for first in range(0, count, _LONG)]
    start = time.process_time()
    scored = [triage(turns, patterns) for turns in spoken]
    seconds = time.process_time() - start
    drafted = sum(any(one.triggers for one in scores) for scores in scored)
    return len(spoken) * _LONG / seconds, drafted


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=8_000)
    speed, drafted = measure(parser.parse_args().turns)
    print(f"{speed:,.0f} turns/s; {drafted} conversations to draft from (asked for: 2,000 turns/s)")


if __name__ == "__main__":
    main()
