"""`mcp` as a process: ends when it should, says nothing but answers, leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engram.surfaces.qmd.mcp_daemon import Files
from engram.surfaces.qmd.mcp_main import PORT, ServerArguments, asked_of

#: sees how much time passes, or keeps the machine busy: one of these at a time
pytestmark = pytest.mark.xdist_group("clock")

ROOT = Path(__file__).parents[2]
MAIN = "import sys; from engram.surfaces.qmd.mcp_main import main; sys.exit(main(sys.argv[1:]))"
#: prints where the client reads, as a library may, before every answer
LOUD = (
    "import os, sys; from engram.surfaces.qmd import mcp_main, mcp_tools, mcp_protocol\n"
    "status = mcp_tools._CALLS['status']\n"
    "def loud(*given):\n"
    "    print('noise', flush=True); os.write(1, b'more'); os.system('echo child')\n"
    "    return status(*given)\n"
    "mcp_tools._CALLS['status'] = loud\n"
    "sys.exit(mcp_main.main([]))"
)
INITIALIZE = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t"}}

Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def prompt_context(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "home").mkdir()
    own = {"HOME": str(tmp_path / "home"), "PWD": str(tmp_path), "PYTHONPATH": str(ROOT)}
    return {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", **own}


@pytest.fixture
def start(tmp_path: Path, prompt_context: dict[str, str]) -> Iterator[Start]:
    """Start `mcp` with arguments; all that were started are ended."""
    started: list[subprocess.Popen[bytes]] = []

    def one(*arguments: str, code: str = MAIN, **more: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", code, *arguments]
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            command, cwd=tmp_path, env=prompt_context | more, stdin=pipe, stdout=pipe, stderr=pipe
        )
        started.append(process)
        return process

    yield one
    for process in started:
        process.kill()
        process.communicate()


def ask(process: subprocess.Popen[bytes], method: str, **params: Any) -> Any:
    """The answer to one request on standard streams."""
    assert process.stdin is not None and process.stdout is not None
    message = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert answer["id"] == method
    return answer["result"]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def health(port: int, patience: float = 10) -> Any:
    """What the server on a port says of itself, once it is there."""
    late = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(f"http://localhost:{port}/health", timeout=2) as answer:
                return json.load(answer)
        except OSError:
            if time.monotonic() > late:
                raise
            time.sleep(0.05)


# -- standard streams --------------------------------------------------------------------------


def test_it_shakes_hands_on_nothing_and_ends_with_its_client(start: Start, tmp_path: Path) -> None:
    process = start()
    assert ask(process, "initialize", **INITIALIZE)["protocolVersion"] == "2024-11-05"
    assert ask(process, "tools/call", name="status")["structuredContent"]["totalDocuments"] == 0
    found = ask(process, "tools/call", name="query", arguments={"query": "beans"})
    assert found["structuredContent"] == {"results": []}
    out, err = process.communicate(timeout=5)
    assert (process.returncode, out, err) == (0, b"", b"")
    assert [path for path in (tmp_path / "home").rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_it_at_once(start: Start, number: signal.Signals, code: int) -> None:
    process = start()
    ask(process, "ping")
    began = time.monotonic()
    process.send_signal(number)
    assert process.wait(5) == code
    assert time.monotonic() - began < 1
    assert process.stderr is not None
    assert process.stderr.read() == b""


def test_what_others_print_does_not_reach_the_client(start: Start) -> None:
    process = start(code=LOUD)
    for _ in range(3):
        assert ask(process, "tools/call", name="status")["structuredContent"]
    out, err = process.communicate(timeout=5)
    assert out == b""
    assert err.count(b"noise") == err.count(b"more") == err.count(b"child") == 3


@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "latin-1"}, {"PYTHONUTF8": "0", "LANG": "C"}]
)
def test_it_is_utf8_whatever_the_locale(start: Start, locale: dict[str, str]) -> None:
    process = start(**locale)
    found = ask(process, "tools/call", name="query", arguments={"query": "Bohnen über 東京"})
    assert found["content"][0]["text"] == 'No results found for "Bohnen über 東京"'


def test_closed_streams_are_an_end(tmp_path: Path, prompt_context: dict[str, str]) -> None:
    command = [sys.executable, "-c", MAIN]
    for closing in ("0<&-", "2>&-", "0<&- 1>&- 2>&-"):
        line = f'exec "$0" "$@" {closing}'
        ended = subprocess.run(
            ["sh", "-c", line, *command],
            cwd=tmp_path,
            env=prompt_context,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=10,
        )
        assert b"Traceback" not in ended.stderr
        assert ended.returncode in (0, 1)


def test_no_server_is_loaded_that_is_not_asked_for(
    tmp_path: Path, prompt_context: dict[str, str]
) -> None:
    code = (
        "import sys; from engram.surfaces.qmd.mcp_main import main; main([]); "
        "print([m for m in ('http.server', 'socket', 'asyncio', 'mcp', 'whoosh', 'openai', 'click')"
        " if m in sys.modules], file=sys.stderr)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=prompt_context,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
    )
    assert said.stderr == b"[]\n"


# -- http --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_http_until_a_signal(start: Start, number: signal.Signals) -> None:
    port = free_port()
    process = start("--http", "--port", str(port))
    assert health(port)["status"] == "ok"
    began = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=5)
    assert time.monotonic() - began < 1
    assert (process.returncode, out) == (0, b"")
    assert err == f"QMD MCP server listening on http://localhost:{port}/mcp\n".encode()


def test_a_port_that_is_taken(start: Start) -> None:
    port = free_port()
    start("--http", "--port", str(port))
    health(port)
    second = start("--http", f"--port={port}")
    assert second.wait(5) == 1
    assert second.stderr is not None
    assert b"cannot be used" in second.stderr.read()


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--host", "0.0.0.0"], b"Not this machine"),
        (["--host", "example.org"], b"Not this machine"),
        (["--port", "99999"], b"Not a port"),
        (["--port", "9" * 6000], b"Not a port"),
        (["--port", "x"], b"Not a port"),
    ],
)
def test_what_http_cannot_be(start: Start, arguments: list[str], said: bytes) -> None:
    process = start("--http", *arguments)
    assert process.wait(5) == 1
    assert process.stderr is not None
    assert said in process.stderr.read()


def test_a_host_of_the_environment_is_no_way_out(start: Start) -> None:
    assert start("--http", "--port", "0", QMD_HOST="0.0.0.0").wait(5) == 1


# -- in the background -------------------------------------------------------------------------


def test_a_daemon_starts_once_and_stops(start: Start, tmp_path: Path) -> None:
    port = str(free_port())
    first = start("--http", "--daemon", "--port", port)
    out, _ = first.communicate(timeout=10)
    files = Files.of(tmp_path / "home" / ".cache" / "qmd")
    number = int(files.number.read_text())
    try:
        assert (first.returncode, out.decode()) == (
            0, f"Started on http://localhost:{port}/mcp (PID {number})\nLogs: {files.log}\n",
        )  # fmt: skip
        assert health(int(port))["status"] == "ok"
        second = start("--http", "--daemon", "--port", port)
        _, err = second.communicate(timeout=10)
        assert (second.returncode, err.decode()) == (
            1, f"qmd mcp: Already running (PID {number}). Run 'qmd mcp stop' first.\n",
        )  # fmt: skip
        assert files.log.stat().st_mode & 0o777 == 0o600
    finally:
        stop = start("stop")
        out, _ = stop.communicate(timeout=10)
    assert (stop.returncode, out.decode()) == (0, f"Stopped QMD MCP server (PID {number}).\n")
    with pytest.raises(OSError):
        health(int(port), patience=0)
    assert not files.number.exists()
    again = start("stop")
    assert again.communicate(timeout=10)[0] == b"Not running (no PID file).\n"
    assert again.returncode == 0


def test_a_number_that_somebody_else_has_now_is_left_alone(start: Start, tmp_path: Path) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    files = Files.of(tmp_path / "home" / ".cache" / "qmd")
    files.number.parent.mkdir(parents=True)
    files.number.write_text(f"{stranger.pid}\n")
    try:
        out, _ = start("stop").communicate(timeout=10)
        assert out == b"Cleaned up stale PID file (server was not running).\n"
        assert stranger.poll() is None
    finally:
        stranger.communicate(b"\n")
    assert not files.number.exists()


def test_a_daemon_that_cannot_begin_says_so(start: Start, tmp_path: Path) -> None:
    port = free_port()
    start("--http", "--port", str(port))
    health(port)
    second = start("--daemon", "--port", str(port))
    _, err = second.communicate(timeout=20)
    assert second.returncode == 1
    assert b"did not begin" in err
    files = Files.of(tmp_path / "home" / ".cache" / "qmd")
    assert "cannot be used" in files.log.read_text()
    assert not files.number.exists()


def test_an_index_has_files_of_its_own() -> None:
    cache = Path("cache")
    assert Files.of(cache) == Files(
        cache / "mcp.pid.engram", cache / "mcp.log.engram", cache / "mcp.token.engram"
    )  # fmt: skip
    assert Files.of(cache, "../a/b").number == cache / "mcp-.._a_b.pid.engram"


# -- arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv, asked",
    [
        ([], ServerArguments()),
        (["mcp"], ServerArguments()),
        (["mcp", "--http", "--port", "9"], ServerArguments(http=True, port="9")),
        (
            ["--port=9", "--http", "--index", "work"],
            ServerArguments(http=True, port="9", index="work"),
        ),
        (["stop", "--index=work"], ServerArguments(stop=True, index="work")),
        (["--http", "--port"], ServerArguments(http=True)),
        (["--http", "--shiny", "--daemon", "--host", "::1"],
         ServerArguments(http=True, daemon=True, host="::1")),
    ],
)  # fmt: skip
def test_arguments_stand_anywhere(argv: list[str], asked: ServerArguments) -> None:
    assert asked_of(argv, {}) == asked
    assert asked.port == str(PORT) or asked.http


def test_the_environment_names_the_host() -> None:
    assert asked_of([], {"QMD_HOST": "127.0.0.1"}).host == "127.0.0.1"
    assert asked_of(["--host", "localhost"], {"QMD_HOST": "127.0.0.1"}).host == "localhost"
