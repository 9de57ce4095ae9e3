"""`make torture`: 24 hours of the daemon under a clock that the test moves, beside a bad provider.

The daemon's own rounds, the real client, a real HTTP server that keeps a bill and does not always
answer: silence, 429, 500, web pages, torn bodies, nonsense. Once the machine sleeps for two hours,
once somebody puts the clock back by one, and midnight (UTC) comes. No turn is lost, the ledger says
what the server's bill says, and no day costs more than its cap.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engram.daemon.debounce import Debouncer
from engram.daemon.loop import DaemonLoop, TaskIntervals
from engram.daemon.run import log_file
from engram.daemon.state.event_log import EventLog, read_log
from engram.daemon.watch import FolderWatch
from engram.model.instant import Instant, instant_of, moment_of
from engram.settings.paths import places_of
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.accounting import account, said
from tests.background import say
from tests.effort import EFFORT
from tests.fakes.model_server import (
    Asked,
    Handler,
    ModelServer,
    fact,
    facts,
    fails,
    page,
    reply_of,
    send,
    silent,
    torn,
)

_HOURS = 2.4 * EFFORT
_TURNS = 120 * EFFORT
_BEGIN = "2026-03-06T06:00:00Z"
#: so little that a day's turns do not fit, in tokens
_CAP = 15_000 * EFFORT
_MESSAGE = re.compile(r"^\[(\d+)\] user, [^\n]*\n(.*)$", re.M)


class Hand(FixedClock):
    """The clock that the test moves: seconds go on, and over a sleep only those of the wall do."""

    def __init__(self, begin: Instant) -> None:
        super().__init__(begin)
        self.steady = 0.0
        self.wall = moment_of(begin).timestamp()

    def now(self) -> Instant:
        """By the wall."""
        return instant_of(int(self.wall))

    def sleep(self, seconds: float) -> None:
        """Waiting takes its time."""
        self.go_on(seconds)

    def go_on(self, seconds: float) -> None:
        """Both go on."""
        self.steady += seconds
        self.wall += seconds


@dataclass
class Provider:
    """Answers most of the time; `bill` is what it would ask to be paid for."""

    chance: random.Random
    bill: list[tuple[int, int]] = field(default_factory=list)
    did: Counter[str] = field(default_factory=Counter)

    def __call__(self, asked: Asked, handler: Handler) -> None:
        """One request."""
        ways = {
            "answer": (60, None), "nonsense": (8, None), "429": (8, fails(429, "rate_limit")),
            "429 later": (4, fails(429, "rate_limit", retry_after="20")),
            "500": (8, fails(500)), "page": (3, page(502)), "silent": (6, silent(1.5)),
            "torn": (6, torn(facts())),
        }  # fmt: skip
        name = self.chance.choices(list(ways), [weight for weight, _ in ways.values()])[0]
        self.did[name] += 1
        behaviour = ways[name][1]
        if behaviour is not None:
            behaviour(asked, handler)
            return
        body = reply_of(asked, _answer(asked) if name == "answer" else "I would rather not.")
        usage = body["usage"]
        self.bill.append((usage["input_tokens"], usage["output_tokens"]))
        send(handler, 200, json.dumps(body).encode("ascii"))


def _answer(asked: Asked) -> str:
    """What a good model makes of the messages: each statement, with its quote."""
    found = _MESSAGE.findall(asked.text)
    return facts(
        *(
            fact(text, text, turn=int(number))
            for number, text in found
            if not text.endswith("?") and "ignore all" not in text
        )
    )


def test_a_day_with_a_bad_provider_costs_what_it_says_and_loses_nothing(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    print(lived(tmp_path, environment, _HOURS, _TURNS, _CAP))


def lived(home: Path, environment: Mapping[str, str], hours: float, turns: int, cap: int) -> str:
    """Live so many hours with so many turns and tokens a day; what was counted."""
    projects = home / ".claude" / "projects" / "-work-shop"
    projects.mkdir(parents=True)
    clock, provider = Hand(_BEGIN), Provider(random.Random(5))
    with ModelServer([provider]) as server:
        environment = {
            **environment, "ENGRAM_DAEMON_SOURCES": "claude-code",
            "ENGRAM_LLM_MODEL": "gpt-4.1-mini", "ENGRAM_LLM_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "no-key-of-anybody",
            "ENGRAM_LLM_TIMEOUT_SECONDS": "1", "ENGRAM_LLM_DAILY_TOKENS": str(cap),
        }  # fmt: skip
        vault = Vault.create(home / "vault", environment=environment, clock=clock)
        root = vault.root
        vault.close()
        count = _live(root, projects, environment, clock, hours, turns)
    with Vault.open(root, environment=environment, clock=clock) as after:
        assert after.doctor() == [] or after.status().dead_letter
    counted = account(root, [said(number) for number in range(count)])
    rows = _rows(root / "state/llm-ledger.jsonl")
    assert len(rows) == len(server.requests)
    known = [row for row in rows if not row.get("estimated") and row["input_tokens"]]
    assert [(row["input_tokens"], row["output_tokens"]) for row in known] == provider.bill
    unanswered = provider.did["silent"] + provider.did["torn"]
    assert sum(bool(row.get("estimated")) and row["input_tokens"] > 0 for row in rows) == unanswered
    spent = _spent(home / "home")
    by_day = Counter[str]()
    for row in rows:
        by_day[row["time"][:10]] += row["input_tokens"] + row["output_tokens"]
    assert spent == dict(by_day)
    assert all(tokens <= cap for tokens in spent.values())
    held_back = _rows(root / "state/trace.jsonl")
    held_back = [row for row in held_back if row.get("error") == "budget"]
    return (
        f"{hours:g} hours, {count} turns: {dict(counted)}; {len(rows)} requests"
        f" {dict(provider.did)}; tokens of the days {spent}, cap {cap}, which held"
        f" {len(held_back)} times"
    )


def _live(
    root: Path, projects: Path, environment: Mapping[str, str], clock: Hand, hours: float,
    turns: int,
) -> int:  # fmt: skip
    """Let the hours pass; returns how many turns were said."""
    chance = random.Random(11)
    end = clock.wall + hours * 3600
    third = hours * 1200
    jumps = [(clock.wall + third, third / 4), (clock.wall + 2 * third, -third / 8)]
    gap, count = hours * 3600 / turns, 0
    next_word = clock.wall + 60
    places, debouncer = places_of(environment), Debouncer(lambda: clock.steady)
    log = EventLog(log_file(places.state_dir), clock, lambda line: None)
    times = TaskIntervals(clock, lambda: clock.steady, lambda: clock.wall)
    with FolderWatch(debouncer) as watch:
        loop = DaemonLoop(root, places, environment, times, log, debouncer, watch, lambda: False)
        loop.begin()
        while clock.wall < end:
            loop.step()
            if clock.wall >= next_word:
                words = chance.choice((1, 2, 5))
                session = f"session-{int((clock.wall - end) // 7200)}"
                path = say(projects, session, range(count, count + words), clock.now())
                os.utime(path, (clock.wall, clock.wall))
                count += words
                next_word += gap * words
                _until(lambda: len(debouncer) > 0)
            if jumps and clock.wall >= jumps[0][0]:
                clock.wall += jumps.pop(0)[1]
            clock.go_on(min(max(loop.rest(), 0.05), max(next_word - clock.wall, 0.05)))
        clock.go_on(600.0)
        loop.step()
        loop.close("shutdown")
        assert loop.tasks.errors == [], loop.tasks.errors
    assert sum(row["event"] == "clock_jumped" for row in read_log(log_file(places.state_dir))) == 2
    return count


def _until(condition: Any, patience: float = 1.0) -> None:
    """Real time, for real events; one that does not come is found by a rescan."""
    end = time.monotonic() + patience
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)


def _spent(home: Path) -> dict[str, int]:
    """Tokens by day, as the person's files of spending have them."""
    found = {}
    for path in sorted((home / "spend").glob("*.jsonl")):
        calls = {row["call"]: row["tokens"] for row in _rows(path)}
        found[path.stem] = sum(calls.values())
    return found


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]
