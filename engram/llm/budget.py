"""Budget of tokens and money: reserved before a call, settled after it, capped by day and by run.

The spending of one user on one machine, over all vaults: one file a day, `spend/YYYY-MM-DD.jsonl`
(UTC, by the injected clock), one line a step. Guarantees, with any number of processes and threads
(the lock it is given keeps both apart): a call is only made when everything reserved and spent that
day and its own estimate stay within the caps, so the caps are passed only by what running calls use
beyond their estimates; a process that dies between the steps leaves its estimate counted. A cap of
0 lets nothing through that costs anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import isfinite

from engram.model.errors import BudgetExceeded
from engram.model.instant import Day, day_of
from engram.model.model_request import Spent
from engram.model.ports import Clock, Disk
from engram.model.settings import LlmSettings


@dataclass(frozen=True, slots=True)
class Reservation:
    """An estimate set aside for one call: its line of the day."""

    day: Day
    number: int
    tokens: int
    usd: float


class Budget:
    """The caps, and what is left of them."""

    def __init__(
        self,
        disk: Disk,
        lock: Callable[[], AbstractContextManager[object]],
        clock: Clock,
        settings: LlmSettings,
    ) -> None:
        self._disk = disk
        self._lock = lock
        self._clock = clock
        self._settings = settings
        self._run_tokens = 0
        self._run_usd = 0.0

    def begin_run(self) -> None:
        """Spending counts against the caps of a run from here on."""
        self._run_tokens, self._run_usd = 0, 0.0

    def reserve(self, tokens: int, usd: float) -> Reservation:
        """Set an estimate aside. Raises BudgetExceeded when it exceeds a cap."""
        settings = self._settings
        with self._lock():
            spent = self.today()
            self._check("day", "tokens", spent.tokens, tokens, settings.daily_tokens)
            self._check("day", "usd", spent.usd, usd, settings.daily_usd)
            self._check("run", "tokens", self._run_tokens, tokens, settings.run_tokens)
            self._check("run", "usd", self._run_usd, usd, settings.run_usd)
            reservation = Reservation(spent.day, spent.calls + 1, tokens, usd)
            self._write(reservation, tokens, usd)
            self._run_tokens += tokens
            self._run_usd += usd
        return reservation

    def settle(self, reservation: Reservation, tokens: int, usd: float) -> None:
        """Replace an estimate by the real usage."""
        with self._lock():
            self._write(reservation, tokens, usd)
            self._run_tokens += tokens - reservation.tokens
            self._run_usd += usd - reservation.usd

    @property
    def run(self) -> tuple[int, float]:
        """Tokens and US dollars of this run, reserved ones included."""
        return self._run_tokens, round(self._run_usd, 9)

    def today(self) -> Spent:
        """Spent and reserved today; of each call the last line counts."""
        day = day_of(self._clock.now())
        calls: dict[int, tuple[int, float]] = {}
        for line in (self._disk.read(_path(day)) or b"").splitlines():
            row = _row(line)
            if row is not None:
                calls[row[0]] = row[1:]
        settings = self._settings
        return Spent(
            day,
            sum(tokens for tokens, _ in calls.values()),
            round(sum(usd for _, usd in calls.values()), 9),
            max(calls, default=0),
            settings.daily_tokens,
            settings.daily_usd,
        )

    def _check(self, span: str, unit: str, spent: float, more: float, cap: float) -> None:
        if more and spent + more > cap:
            key = f"llm.{'daily' if span == 'day' else 'run'}_{unit}"
            used = f"${spent:.4f}" if unit == "usd" else f"{spent:,.0f} tokens"
            most = f"${cap:.4f}" if unit == "usd" else f"{cap:,.0f} tokens"
            wait = "it is free again tomorrow (UTC)" if span == "day" else "run it once more"
            raise BudgetExceeded(
                f"the budget of the {span} is used up: {used} of {most} ({key}), and the next call"
                " could pass it",
                f"{wait}; or raise {key}; or go on without a model: `engram extract --rules`",
            )

    def _write(self, reservation: Reservation, tokens: int, usd: float) -> None:
        row = {"call": reservation.number, "tokens": tokens, "usd": round(usd, 9)}
        path = _path(reservation.day)
        before = self._disk.read(path)
        # a torn line of a killed process must not swallow this one
        apart = b"\n" if before and not before.endswith(b"\n") else b""
        self._disk.append(path, apart + json.dumps(row).encode("ascii") + b"\n")


def _path(day: Day) -> str:
    return f"spend/{day}.jsonl"


def _row(line: bytes) -> tuple[int, int, float] | None:
    """One line; None for a torn last line of a process that was killed."""
    try:
        row = json.loads(line)
        read = int(row["call"]), int(row["tokens"]), float(row["usd"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return read if min(read) >= 0 and isfinite(read[2]) else None
