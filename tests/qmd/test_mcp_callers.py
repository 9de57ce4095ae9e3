"""Whom the HTTP server answers: processes of its own user, and who shows its token."""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.surfaces.qmd import mcp_callers
from engram.surfaces.qmd.mcp_callers import Callers, token_in

TOKEN = "a-token-of-some-length"
HOSTS = ["127.0.0.1", "127.0.0.9", "::1"]
linux = pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell")


def may_ask(callers: Callers, ours: socket.socket, shown: list[str]) -> bool:
    return callers.may_ask(ours.getsockname(), ours.getpeername(), shown)


@pytest.fixture(params=HOSTS)
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends of a connection on loopback: the server's, the client's."""
    host = request.param
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with (
        socket.create_server((host, 0), family=family) as listener,
        socket.create_connection((host, listener.getsockname()[1])) as theirs,
        listener.accept()[0] as ours,
    ):
        yield ours, theirs


@linux
def test_a_process_of_the_same_user_may_ask(ends: tuple[socket.socket, socket.socket]) -> None:
    assert may_ask(Callers(), ends[0], [])
    ends[1].shutdown(socket.SHUT_WR)
    assert may_ask(Callers(), ends[0], ["Basic eDp5"])


@linux
def test_an_ipv6_socket_that_speaks_ipv4_is_known_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        theirs = socket.socket(socket.AF_INET6)
        theirs.connect(("::ffff:127.0.0.1", listener.getsockname()[1]))
        with theirs, listener.accept()[0] as ours:
            assert may_ask(Callers(), ours, [])


def test_another_user_shows_the_token(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    callers = Callers(TOKEN)
    assert may_ask(callers, ends[0], [f"Bearer {TOKEN}"])
    assert may_ask(callers, ends[0], [f"bearer  {TOKEN} "])
    for shown in ([], [""], [TOKEN], ["Bearer"], [f"Basic {TOKEN}"], [f"Bearer {TOKEN}x"],
                  ["Bearer \udcff\xe9"[:8]], ["Bearer ä"], ["no", f"Bearer {TOKEN}"]):  # fmt: skip
        assert not may_ask(callers, ends[0], shown), shown
    assert not may_ask(Callers(""), ends[0], ["Bearer "])


def test_where_the_system_does_not_tell_everyone_shows_the_token(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_callers.sys, "platform", "darwin")
    assert not may_ask(Callers(TOKEN), ends[0], [])
    assert may_ask(Callers(TOKEN), ends[0], [f"Bearer {TOKEN}"])


@linux
def test_a_client_that_has_gone_is_nobody(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[1].close()  # the kernel shows such a socket as one of root
    assert not may_ask(Callers(), ends[0], [])


@linux
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs a second user")
def test_a_process_of_another_user_may_not_ask() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        child = os.fork()
        if child == 0:
            os.setuid(65_534)
            with socket.create_connection(listener.getsockname()) as theirs:
                theirs.recv(1)
            os._exit(0)
        with listener.accept()[0] as ours:
            assert mcp_callers._user_of(ours.getsockname(), ours.getpeername()) == 65_534
            assert not may_ask(Callers(TOKEN), ours, [])
            assert may_ask(Callers(TOKEN), ours, [f"Bearer {TOKEN}"])
        os.waitpid(child, 0)


def test_a_token_is_made_once_for_its_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "token"
    token = token_in(file)
    assert len(token) >= 32 and token_in(file) == token
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("  my own choice is not one word\n")
    assert token_in(file) not in ("", token)
    file.write_text("chosen-by-the-person\n")
    assert token_in(file) == "chosen-by-the-person"


def test_a_token_that_others_could_know_is_made_anew(tmp_path: Path) -> None:
    file, elsewhere = tmp_path / "token", tmp_path / "planted"
    elsewhere.write_text(f"{TOKEN}\n")
    elsewhere.chmod(0o600)
    file.symlink_to(elsewhere)
    first = token_in(file)
    file.chmod(0o640)
    second = token_in(file)
    assert len({TOKEN, first, second}) == 3
    assert not file.is_symlink() and elsewhere.read_text() == f"{TOKEN}\n"
