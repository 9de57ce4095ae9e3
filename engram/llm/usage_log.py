"""Usage log: one line a request in the vault's `state/llm-ledger.jsonl`, without content.

Keys: `time` (injected clock), `prompt` with its version, `subject` (a transcript's name), `turns`,
`provider`, `model`, `form` of the request, `outcome` (`ok` or one of `engram.llm.REASONS`),
`input_tokens`, `output_tokens`, `usd`, and `estimated: true` where the provider did not say.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from math import isfinite
from typing import NamedTuple

from engram.llm.provider import Provider
from engram.model.model_request import Usage
from engram.model.ports import Clock, Disk

LEDGER = "state/llm-ledger.jsonl"
OK = "ok"


class Purpose(NamedTuple):
    """What a request is for: prompt and version, a transcript's name, how many turns or texts."""

    prompt: str
    subject: str = ""
    turns: int = 0


class Used(NamedTuple):
    """One request: its `time`, the model as `provider/model`, tokens of both directions."""

    time: str
    subject: str
    model: str
    tokens: int
    usd: float


def used(log: bytes) -> Iterator[Used]:
    """The requests of a usage log, without the lines that cannot be read."""
    for line in log.splitlines():
        try:
            row = json.loads(line)
            tokens = int(row["input_tokens"]) + int(row["output_tokens"])
            usd = float(row["usd"])
            model = f"{row['provider']}/{row['model']}"
            one = Used(str(row["time"]), str(row["subject"]), model, tokens, usd)
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue  # a line that was torn when a process was killed
        if tokens >= 0 and isfinite(usd) and usd >= 0:
            yield one


class UsageLog:
    """The usage log of one vault. A line is durable when `note` returns, from any thread."""

    def __init__(self, disk: Disk, clock: Clock) -> None:
        self._disk = disk
        self._clock = clock
        #: a line that fails is cut off again, which must not take another's along
        self._writing = threading.Lock()

    def note(
        self,
        purpose: Purpose,
        provider: Provider,
        form: str,
        outcome: str,
        usage: Usage,
        usd: float,
    ) -> None:
        """Append one line."""
        row: dict[str, object] = {
            "time": self._clock.now(),
            "prompt": purpose.prompt,
            "subject": purpose.subject,
            "turns": purpose.turns,
            "provider": provider.name,
            "model": provider.model,
            "form": form,
            "outcome": outcome,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "usd": round(usd, 9),
        }
        if not usage.known:
            row["estimated"] = True
        line = json.dumps(row, ensure_ascii=True).encode("ascii")
        with self._writing:
            self._disk.append(LEDGER, line + b"\n")
