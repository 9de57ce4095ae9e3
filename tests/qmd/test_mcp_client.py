"""The official client of MCP drives our server: both handshakes, over both transports."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from engram.surfaces.qmd.app import LIKE
from engram.surfaces.qmd.mcp_callers import Callers
from engram.surfaces.qmd.mcp_guard import Guard
from engram.surfaces.qmd.mcp_http import Server
from engram.surfaces.qmd.mcp_protocol import SERVER
from tests.qmd.mcp_shelf import Desk

pytestmark = pytest.mark.filterwarnings("default")
mcp_client = pytest.importorskip("mcp.client.client")
stdio = pytest.importorskip("mcp.client.stdio")

ROOT = Path(__file__).parents[2]
SERVE = (
    "from engram.surfaces.qmd.mcp_stdio import serve; from tests.qmd.mcp_shelf import Desk; "
    "raise SystemExit(serve(Desk().endpoint.respond))"
)


@pytest.fixture
def address() -> Iterator[str]:
    """A server on loopback."""
    machine = Desk()
    server = Server(
        ("localhost", 0), machine.endpoint, machine.lend, Guard(), Callers(),
        machine.complaints.append,
    )  # fmt: skip
    serving = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    serving.start()
    yield f"http://localhost:{server.server_port}/mcp"
    server.shutdown()
    server.server_close()
    assert machine.complaints == []


def over_stdio() -> Any:
    own = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    return stdio.stdio_client(
        stdio.StdioServerParameters(command=sys.executable, args=["-c", SERVE], env=own)
    )


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        with anyio.fail_after(20):
            await work()

    anyio.run(bounded)


async def use(client: Any) -> None:
    """Everything that a client asks of us."""
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == ["query", "get", "multi_get", "status"]
    assert all(tool.annotations.read_only_hint for tool in tools)
    found = await client.call_tool("query", {"searches": [{"type": "lex", "query": "beans"}]})
    assert found.structured_content["results"][0]["file"] == "garden/beans.md"
    assert found.content[0].text.startswith('Found 3 results for "beans"')
    one = await client.call_tool("get", {"file": "garden/über uns & mehr.md"})
    assert "Die Bohnen sind grün." in one.content[0].resource.text
    some = await client.call_tool("multi_get", {"pattern": "kitchen/*.md"})
    assert [part.type for part in some.content] == ["resource", "text"]
    status = await client.call_tool("status", {})
    assert status.structured_content["totalDocuments"] == 4
    wrong = await client.call_tool("get", {})
    assert wrong.is_error
    assert (await client.list_resources()).resources == []
    (template,) = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "qmd://{+path}"
    read = await client.read_resource(str(one.content[0].resource.uri))
    assert "3: Die Bohnen sind grün." in read.contents[0].text


@pytest.mark.parametrize("mode, version", [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_over_standard_streams(mode: str, version: str) -> None:
    async def work() -> None:
        async with mcp_client.Client(over_stdio(), mode=mode) as client:
            assert client.protocol_version == version
            assert client.server_info.name == "qmd"
            assert "Markdown documents" in client.instructions
            await use(client)

    run(work)


@pytest.mark.parametrize("mode, version", [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
def test_over_http(address: str, mode: str, version: str) -> None:
    async def work() -> None:
        async with mcp_client.Client(address, mode=mode) as client:
            assert client.protocol_version == version
            await use(client)

    run(work)


def test_the_program_itself_over_standard_streams(tmp_path: Path) -> None:
    """No fake: a folder is indexed, asked, changed, updated and asked again."""
    notes, home = tmp_path / "notes", tmp_path / "home"
    notes.mkdir()
    home.mkdir()
    (notes / "tide.md").write_text("# Tide tables\n\nHigh water at noon.\n", encoding="utf-8")
    (notes / "boat.md").write_text("# The boat\n\nIt needs paint.\n", encoding="utf-8")
    own = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HOME": str(home)}
    own |= {"PWD": str(tmp_path), "ENGRAM_HOME": str(home)}
    command = [sys.executable, "-m", "engram", "qmd"]

    def qmd(*arguments: str) -> None:
        subprocess.run([*command, *arguments], cwd=tmp_path, env=own, check=True, timeout=20)

    qmd("collection", "add", str(notes), "--name", "sea")
    qmd("context", "add", "qmd://sea/", "Sailing")
    transport = stdio.stdio_client(
        stdio.StdioServerParameters(
            command=command[0], args=[*command[1:], "mcp"], env=own, cwd=tmp_path
        )
    )

    async def files(client: Any, query: str) -> list[tuple[str, float, str]]:
        asked = {"searches": [{"type": "lex", "query": query}, {"type": "vec", "query": query}]}
        found = await client.call_tool("query", {**asked, "collections": ["sea"], "limit": 5})
        rows = found.structured_content["results"]
        return [(one["file"], one["score"], one["context"]) for one in rows]

    async def work() -> None:
        async with mcp_client.Client(transport, mode="legacy") as client:
            assert '"sea" (2 docs): Sailing' in client.instructions
            assert await files(client, "water") == [("sea/tide.md", 1, "Sailing")]
            near = await client.call_tool("get", {"file": "tid.md"})
            assert near.is_error and "  - tide.md" in near.content[0].text
            (notes / "fog.md").write_text("# Fog\n\nNo water to be seen.\n", encoding="utf-8")
            assert len(await files(client, "water")) == 1
            await anyio.to_thread.run_sync(qmd, "update")
            assert {file for file, _, _ in await files(client, "water")} == {
                "sea/tide.md",
                "sea/fog.md",
            }
            read = await client.read_resource("qmd://sea/fog.md")
            assert read.contents[0].text == (
                "<!-- Context: Sailing -->\n\n1: # Fog\n2: \n3: No water to be seen.\n4: "
            )

    run(work)


def test_we_are_the_version_that_the_command_line_prints() -> None:
    assert SERVER["version"] == LIKE
