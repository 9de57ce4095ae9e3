"""What MCP clients are given of a vault is noted there, with the client's name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from engram.model.given import GivenBlock, Reader
from engram.settings.paths import places_of
from engram.settings.registry import Registry
from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.store.catalog.given_line import block_of
from engram.surfaces.hooks.agents import AGENTS, reader_of
from engram.surfaces.qmd.face import Face
from engram.surfaces.qmd.mcp_given import CLIENT, client_named
from engram.surfaces.qmd.mcp_protocol import Endpoint
from engram.vault import Vault
from tests.qmd.desk import Desk


@pytest.fixture
def vault(bare: Desk) -> Iterator[Vault]:
    """The person's own vault, indexed, with one memory in it."""
    place = Path(bare.environment["ENGRAM_HOME"]) / "engram"
    clock = FixedClock("2026-03-06T12:00:00Z")
    with Vault.create(place, environment=bare.environment, clock=clock) as made:
        made.remember("The harbour is at Bergen.")
        assert "1 new" in bare.run("update").out
        yield made


def blocks(vault: Vault) -> list[GivenBlock]:
    data = vault.parts.disk.read(layout.ACCESS) or b""
    return [one for line in data.splitlines() if (one := block_of(line)) is not None]


def call(endpoint: Endpoint, method: str, **params: Any) -> Any:
    answer = endpoint.answer({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    assert isinstance(answer, dict) and "error" not in answer
    return answer["result"]


def test_a_client_that_searches_and_gets_is_noted(bare: Desk, vault: Vault) -> None:
    face = Face.open(bare.environment)
    endpoint = Endpoint(lambda: nullcontext(face), print, bare.environment)
    call(
        endpoint, "initialize", protocolVersion="2025-06-18", clientInfo={"name": "Claude Desktop"}
    )
    search = {"query": "harbour Bergen, the password is hunter2hunter2"}
    found = call(endpoint, "tools/call", name="query", arguments=search)
    (row,) = found["structuredContent"]["results"]
    call(endpoint, "tools/call", name="get", arguments={"file": row["file"]})
    searched, got = blocks(vault)
    assert (searched.by, searched.how, searched.asked) == ("claude-desktop", "mcp", False)
    assert "hunter2" not in searched.question and "harbour" in searched.question
    assert got.asked and not got.question and got.items == searched.items
    (item,) = got.items
    assert item.item and vault.parts.view.accesses()[item.id].count == 1


def test_a_vault_of_others_is_not_written(bare: Desk, vault: Vault) -> None:
    bare.run("collection", "add", str(vault.root))
    Registry(places_of(bare.environment)).remove(vault.root)
    face = Face.open(bare.environment)
    endpoint = Endpoint(lambda: nullcontext(face), print)
    assert call(endpoint, "tools/call", name="query", arguments={"query": "harbour"})
    assert blocks(vault) == []


def test_a_client_is_called_by_its_name() -> None:
    here = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s"}
    session = reader_of(AGENTS["claude-code"], "s")
    for info, environment, reader in (
        ({"name": "Cursor IDE"}, None, Reader("cursor-ide")),
        ({"name": "claude-code"}, here, session),
        ({"name": "cursor"}, here, Reader("cursor")),
        ({"name": " "}, here, CLIENT), ({"name": 7}, None, CLIENT), (None, None, CLIENT),
        ([], None, CLIENT), ({"name": "Person"}, None, CLIENT), ({"name": "night"}, None, CLIENT),
        ({"name": "../\x1b[2J"}, None, Reader("2j")),
    ):  # fmt: skip
        assert client_named(info, environment) == reader, info
