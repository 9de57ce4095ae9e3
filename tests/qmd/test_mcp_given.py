"""What MCP clients are given of a vault is noted there, with the client's name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from engram.daemon.rpc.vault_pool import VaultPool
from engram.model.given import GivenBlock, Reader
from engram.settings.paths import places_of
from engram.settings.registry import Registry, Sharing
from engram.store.base import layout
from engram.store.base.clock import FixedClock
from engram.store.base.layout import memory_path
from engram.store.catalog.given_line import block_of
from engram.store.files.memory_file import render_memory
from engram.surfaces.hooks.agents import AGENTS, reader_of
from engram.surfaces.qmd.face import Face
from engram.surfaces.qmd.mcp_borders import Borders
from engram.surfaces.qmd.mcp_given import CLIENT, client_named
from engram.surfaces.qmd.mcp_protocol import Endpoint
from engram.vault import Vault
from tests.kit import tree_digest
from tests.qmd.desk import Desk
from tests.team import decision


@pytest.fixture
def vault(bare: Desk) -> Iterator[Vault]:
    """The person's own vault, indexed, with one memory in it."""
    place = Path(bare.environment["HOME"]) / "engram"
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


def test_a_shared_vault_is_a_collection_in_the_folders_it_serves(bare: Desk, vault: Vault) -> None:
    shop = bare.folder / "shop"
    (shop / ".git").mkdir(parents=True)
    team = decision("The harbour of the shop is at Oslo.")
    file = shop / "memory" / memory_path(team)
    file.parent.mkdir(parents=True)
    file.write_bytes(render_memory(team))
    (shop / "memory" / "engram.toml").write_text('format = 1\nid = "team"\nshares = "project"\n')
    Registry(places_of(bare.environment)).add(shop / "memory", "team", Sharing("project"))
    before = tree_digest(shop)
    assert "1 new" in bare.run("update", here=shop).out
    rows = bare.run("search", "harbour", "--json", here=shop).json
    files = sorted(row["file"].removeprefix("qmd://").partition("/")[0] for row in rows)
    assert files == ["@shop", "vault"]
    (row,) = bare.run("search", "harbour", "--json").json
    assert row["file"].startswith("qmd://vault/")  # in another folder
    assert "@shop" not in bare.run("status").out
    assert "Document not found" in bare.run("get", f"@shop/{memory_path(team)}").err
    environment = bare.environment | {"PWD": str(shop)}
    with contextlib.chdir(shop), Borders(environment, Path()) as borders:
        face = Face.open(environment, borders=borders)
        endpoint = Endpoint(lambda: nullcontext(face), print, environment)
        found = call(endpoint, "tools/call", name="query", arguments={"query": "harbour oslo"})
        assert "@shop" in found["structuredContent"]["results"][0]["file"]
    with contextlib.chdir(shop), Borders(environment, None) as borders:  # a server of several
        face = Face.open(environment, borders=borders)
        assert face.config().collection("@shop") is None
    assert tree_digest(shop) == before
    assert f"@shop/{team.id}" in [one.id for one in blocks(vault)[-1].items]


def test_a_vault_that_a_server_keeps_open_is_given_as_it_is_now(bare: Desk, vault: Vault) -> None:
    pool = VaultPool(watch=False)
    environment = bare.environment | {"ENGRAM_CLOCK": "2026-03-06T12:00:00Z"}

    @contextlib.contextmanager
    def lend() -> Iterator[Face]:
        with Borders(environment, None, pool) as borders:
            yield Face.open(environment, borders=borders)

    endpoint = Endpoint(lend, print)

    def found() -> int:
        answer = call(endpoint, "tools/call", name="query", arguments={"query": "harbour"})
        return len(answer["structuredContent"]["results"])

    assert (found(), found(), len(blocks(vault))) == (1, 1, 2)
    policy = vault.root / "policy.toml"
    policy.write_text('[spaces]\nread_order = ["project"]\n')
    assert (found(), len(blocks(vault))) == (0, 2)
    policy.write_text("[spaces\n")  # not understood
    assert found() == 0
    policy.unlink()
    assert found() == 1
    Registry(places_of(bare.environment)).remove(vault.root)
    assert (found(), len(blocks(vault))) == (0, 3)
    pool.close()


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
