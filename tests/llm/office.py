"""A vault beside a model server: what the tests of this folder ask from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engram.model.instant import plus_minutes
from engram.model.ports import Clock
from engram.model.turn import Turn, turn_of
from engram.store.base.clock import FixedClock
from engram.vault import Vault
from tests.conftest import NOW
from tests.kit import LIGHT
from tests.security.canaries import letters

#: Of nobody: made from a word, and of no form that the redactor knows.
KEY = "ek_" + letters("the key of the tests", 32)
#: Said quietly, so that nothing is extracted before it is asked for.
SENTENCE = "The shop keeps its orders in Postgres."


class Moving(FixedClock):
    """A clock that goes on when it is told to."""

    def go_on(self, minutes: float) -> None:
        self._instant = plus_minutes(self._instant, minutes)


@dataclass
class Office:
    """A home with vaults, and an environment that names models. Close it."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    _opened: list[Vault] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.environment |= {
            "ENGRAM_HOME": str(self.folder / "home"),
            "HOME": str(self.folder),
            "ENGRAM_LLM_TIMEOUT_SECONDS": "5",
        }

    def cloud(self, base_url: str, model: str = "gpt-4.1-mini", key: str = KEY) -> Office:
        """With a model in the cloud."""
        return self.set(llm_model=model, llm_base_url=base_url, OPENAI_API_KEY=key)

    def set(self, **settings: object) -> Office:
        """With settings (`llm_daily_usd=1`) and variables (in capitals)."""
        for name, value in settings.items():
            self.environment[name if name.isupper() else f"ENGRAM_{name.upper()}"] = str(value)
        return self

    def open(self, name: str = "vault", clock: Clock | None = None) -> Vault:
        """The vault of a name, made the first time."""
        path = self.folder / name
        make = Vault.open if (path / "engram.toml").exists() else Vault.create
        vault = make(
            path, environment=dict(self.environment), clock=clock or FixedClock(NOW), adapters=LIGHT
        )
        self._opened.append(vault)
        return vault

    def close(self) -> None:
        """Let go of the vaults."""
        for vault in self._opened:
            vault.close()


def said(
    text: str = SENTENCE, message: str = "1", *, role: Any = "user", session: str = "s",
    time: str = NOW,
) -> Turn:  # fmt: skip
    """One turn."""
    return turn_of(
        role, text, time, source="test", session=session, project="shop", message=message
    )


def usage_log(vault: Vault) -> list[dict[str, Any]]:
    """The lines of the vault's ledger of requests."""
    data = vault.parts.disk.read("state/llm-ledger.jsonl") or b""
    return [json.loads(line) for line in data.splitlines()]


def outcomes(vault: Vault) -> list[str]:
    """`form outcome` of every request."""
    return [f"{row['form']} {row['outcome']}" for row in usage_log(vault)]


def texts(vault: Vault) -> list[str]:
    """What is remembered."""
    return sorted(memory.text for memory in vault.parts.catalog.memories())
