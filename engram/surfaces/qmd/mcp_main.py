"""`mcp` command: starts a server on standard streams or HTTP, or stops one.

    mcp                                        MCP over stdin and stdout, until the client goes
    mcp --http [--port N] [--host NAME]        HTTP on this machine, until SIGTERM or SIGINT
    mcp --http --daemon        mcp stop        the same in the background, and its end

Guarantees: a signal ends the server at once, with qmd's exit codes (143, 130; 0 for HTTP); every
call sees the index as the last `update` left it. Refuses a host that is not this machine: the index
is private, and on HTTP another user of the machine needs the token of the server. Unknown flags
are ignored, as everywhere in qmd.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn

from engram.model.display import plain_line
from engram.surfaces.qmd import mcp_daemon
from engram.surfaces.qmd.face import Face
from engram.surfaces.qmd.locations import DEFAULT, places_of
from engram.surfaces.qmd.mcp_borders import Borders
from engram.surfaces.qmd.mcp_protocol import Endpoint, Lender
from engram.surfaces.qmd.mcp_tools import EXPLAINED

if TYPE_CHECKING:
    from engram.daemon.rpc.vault_pool import VaultPool

PORT: Final = 8181
_HOST: Final = "localhost"


@dataclass(frozen=True, slots=True)
class ServerArguments:
    """The parsed arguments."""

    http: bool = False
    daemon: bool = False
    stop: bool = False
    port: str = str(PORT)
    host: str = _HOST
    index: str = DEFAULT


def main(argv: list[str]) -> int:
    """Run `mcp` with the arguments behind it; the exit code, 1 for one that cannot be used."""
    asked = asked_of(argv, os.environ)
    try:
        if asked.stop:
            return mcp_daemon.stop(_files(asked))
        return _http(asked) if asked.http or asked.daemon else _stdio(asked)
    except (*EXPLAINED, OSError) as error:
        complain(str(error))
    return 1


def asked_of(argv: Sequence[str], environment: Mapping[str, str]) -> ServerArguments:
    """The arguments, wherever they stand; the last of two values counts."""
    values = {
        "--port": str(PORT),
        "--host": environment.get("QMD_HOST") or _HOST,
        "--index": DEFAULT,
    }
    flags: set[str] = set()
    rest = iter(argv)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in values:
            values[name] = value if equals else next(rest, values[name])
        else:
            flags.add(word)
    return ServerArguments(
        "--http" in flags, "--daemon" in flags, "stop" in flags,
        values["--port"], values["--host"], values["--index"],
    )  # fmt: skip


def lender(index: str, folder: Path | None = None, pool: VaultPool | None = None) -> Lender:
    """The face, which opens the index for each call: it sees every update, in any thread.

    `folder` is the one in which a server with a single client was started; `pool` keeps its vaults
    open, for one thread.
    """

    @contextmanager
    def lend() -> Iterator[Face]:
        with Borders(os.environ, folder, pool) as borders:
            yield Face.open(os.environ, index, borders)

    return lend


def complain(line: str) -> None:
    """One line on stderr; errors of writing it are ignored."""
    with suppress(OSError, ValueError):
        print(f"qmd mcp: {plain_line(line)}", file=sys.stderr, flush=True)


def _stdio(asked: ServerArguments) -> int:
    from engram.daemon.rpc.vault_pool import VaultPool
    from engram.surfaces.qmd.mcp_stdio import serve

    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGINT, _leave)
    lend = lender(asked.index, Path(), VaultPool(watch=False))
    return serve(Endpoint(lend, complain, os.environ).respond)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """Exit at once: nothing here is ever half done."""
    os._exit(128 + number)


def _http(asked: ServerArguments) -> int:
    from engram.surfaces.qmd.mcp_guard import Guard, is_loopback

    if not re.fullmatch("[0-9]{1,5}", asked.port) or int(asked.port) > 65_535:
        complain(f"Not a port: {asked.port}")
        return 1
    if not is_loopback(asked.host):
        complain(f"Not this machine: {asked.host}; the server is for localhost only")
        return 1
    guard = Guard.of(os.environ)
    where = f"http://{f'[{asked.host}]' if ':' in asked.host else asked.host}"

    def serve(listens: Callable[[], None]) -> int:
        from engram.surfaces.qmd.mcp_callers import Callers, token_in
        from engram.surfaces.qmd.mcp_http import Server

        callers, file = Callers(), _files(asked).token
        try:
            callers = Callers(token_in(file))
        except OSError as error:
            complain(f"No token in {file}: {error.strerror}")
        lend = lender(asked.index)
        endpoint = Endpoint(lend, complain)
        try:
            address = asked.host, int(asked.port)
            server = Server(address, endpoint, lend, guard, callers, complain)
        except OSError as error:
            complain(f"Port {asked.port} cannot be used: {error}")
            return 1
        with server, suppress(_ServerEnd):
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, _end)
            listens()
            print(
                f"QMD MCP server listening on {where}:{server.server_port}/mcp",
                file=sys.stderr,
                flush=True,
            )
            server.serve_forever(poll_interval=60)
        return 0

    if not asked.daemon:
        return serve(lambda: None)
    try:
        return mcp_daemon.start(_files(asked), serve, complain, f"{where}:{asked.port}/mcp")
    except mcp_daemon.Busy as busy:
        complain(f"Already running (PID {busy}). Run 'qmd mcp stop' first.")
        return 1


class _ServerEnd(BaseException):
    """The signal that ends the server, on its way out of its loop."""


def _end(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    raise _ServerEnd


def _files(asked: ServerArguments) -> mcp_daemon.Files:
    places = places_of(os.environ, asked.index)
    return mcp_daemon.Files.of(places.cache, "" if asked.index == DEFAULT else asked.index)
