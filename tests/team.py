"""A person with a vault of their own, and vaults beside it, on the command line of a test."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from engram.model.memory import Memory
from engram.settings.paths import places_of
from engram.settings.registry import Registry, Sharing
from engram.store.base.layout import memory_path
from engram.store.files.memory_file import render_memory
from engram.surfaces.hooks.process import respond
from tests.cli.shop import CHAT
from tests.golden.console import Ran, prompt_context, run

SHOP = Sharing("project", (), "ai_inferred")


def decision(text: str, number: int = 1, **more: object) -> Memory:
    """A decision about the shop as a teammate promoted it."""
    name = f"decision-20260305-1000{number % 60:02d}-{number:08x}"
    told = {"created": f"2026-03-05T10:00:{number % 60:02d}Z", "importance": 0.7} | more
    told = {"confidence": 0.9, "project": "shop", "authority": "user_asserted"} | told
    return Memory(name, "decision", text, **told)  # type: ignore[arg-type]


class Team:
    """Kim's folder: `vault` is the own vault, `shop` a repository with a shared vault inside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shop = folder / "work" / "shop"
        (self.shop / ".git").mkdir(parents=True)
        (folder / "chat.jsonl").write_text(CHAT, encoding="utf-8")
        assert self.run("init", "vault").code == 0
        assert self.run("import", "jsonl", "chat.jsonl").code == 0
        self.memory = self.shared(self.shop / "memory")

    @property
    def environment(self) -> dict[str, str]:
        return prompt_context(self.folder) | {"ENGRAM_VAULT": str(self.folder / "vault")}

    @property
    def registry(self) -> Registry:
        return Registry(places_of(self.environment))

    def shared(self, root: Path, sharing: Sharing = SHOP, name: str = "vault-shop") -> Path:
        """A shared vault that is registered."""
        (root / "facts").mkdir(parents=True)
        (root / "archive").mkdir()
        header = f'format = 1\nid = "{name}"\nshares = "{sharing.space}"\n'
        (root / "engram.toml").write_text(header, encoding="utf-8")
        self.registry.add(root, name, sharing)
        return root

    def put(self, *memories: Memory, root: Path | None = None) -> list[Path]:
        """Write the files of memories into the shared vault, as git would."""
        paths = []
        for one in memories:
            path = (root or self.memory) / memory_path(one)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(render_memory(one))
            paths.append(path)
        return paths

    def run(
        self, *arguments: str, here: Path | None = None, more: Mapping[str, str] | None = None
    ) -> Ran:  # fmt: skip
        own = {"ENGRAM_VAULT": str(self.folder / "vault"), "HOME": str(self.folder)}
        own |= {"ENGRAM_HOME": str(self.folder / "home")}
        return run(arguments, here or self.folder, own | dict(more or {}))

    def json(self, *arguments: str, here: Path | None = None) -> object:
        ran = self.run(*arguments, "--json", here=here)
        assert ran.code == 0, ran.err
        return json.loads(ran.out)

    def given(
        self, event: str, here: Path | None = None, more: Mapping[str, str] | None = None,
        **fields: object,
    ) -> str:  # fmt: skip
        """The context that an agent is given in a folder, by default the shop's."""
        asked = {"session_id": "s", "cwd": str(here or self.shop), "hook_event_name": ""} | fields
        complaints: list[str] = []
        seen = self.environment | dict(more or {})
        out = respond([event], lambda: json.dumps(asked).encode(), seen, complaints.append)
        assert complaints == []
        context = json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""
        assert isinstance(context, str)
        return context
