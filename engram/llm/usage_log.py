"""Usage log: one line a request in the vault's `state/llm-ledger.jsonl`, without content.

Keys: `time` (injected clock), `prompt` with its version, `subject` (a transcript's name), `turns`,
`provider`, `model`, `form` of the request, `outcome` (`ok` or one of `engram.llm.REASONS`),
`input_tokens`, `output_tokens`, `usd`, and `estimated: true` where the provider did not say.
"""

from __future__ import annotations

import json

from engram.llm.provider import Provider
from engram.model.model_request import Request, Usage
from engram.model.ports import Clock, Disk

LEDGER = "state/llm-ledger.jsonl"
OK = "ok"


class UsageLog:
    """The usage log of one vault. A line is durable when `note` returns."""

    def __init__(self, disk: Disk, clock: Clock) -> None:
        self._disk = disk
        self._clock = clock

    def note(
        self,
        request: Request,
        provider: Provider,
        form: str,
        outcome: str,
        usage: Usage,
        usd: float,
    ) -> None:
        """Append one line."""
        row: dict[str, object] = {
            "time": self._clock.now(),
            "prompt": request.prompt,
            "subject": request.subject,
            "turns": request.turns,
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
        self._disk.append(LEDGER, line + b"\n")
