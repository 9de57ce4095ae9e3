"""A small vault of a shop, and the command line on it, inside this process."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tests.golden.console import Ran, run

CHAT = """\
{"role": "user", "content": "We decided to use Postgres because two writers need it.", \
"timestamp": "2026-03-04T09:00:00Z", "session": "shop-1", "project": "shop"}
{"role": "assistant", "content": "Two writers settle it.", \
"timestamp": "2026-03-04T09:01:00Z", "session": "shop-1", "project": "shop"}
{"role": "user", "content": "I prefer small commits with one topic each.", \
"timestamp": "2026-03-06T10:00:00Z", "session": "shop-2", "project": "shop"}
"""


@dataclass(slots=True)
class Shop:
    """A folder with `vault` (a decision and a preference) and `chat.jsonl`, and a way to use it."""

    folder: Path
    environment: dict[str, str] = field(default_factory=lambda: {"ENGRAM_VAULT": "vault"})

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    def run(self, *arguments: str, stdin: bytes = b"") -> Ran:
        return run(arguments, self.folder, self.environment, stdin)

    def write(self, name: str, data: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        return path


def make_shop(folder: Path) -> Shop:
    """A shop in an empty folder."""
    shop = Shop(folder)
    shop.write("chat.jsonl", CHAT)
    assert shop.run("init", "vault").code == 0
    assert shop.run("import", "jsonl", "chat.jsonl").code == 0
    return shop
