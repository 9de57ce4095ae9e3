"""Usage log: one line a request in the vault's `state/llm-ledger.jsonl`, without content.

Keys: `time` (injected clock), `prompt` with its version, `subject` (a transcript's name), `turns`,
`provider`, `model`, `form` of the request, `outcome` (`ok` or one of `engram.llm.REASONS`),
`input_tokens`, `output_tokens`, `usd`, and `estimated: true` where the provider did not say.
"""

from __future__ import annotations

import json
import threading
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
