"""Callers of the HTTP server: processes of the user it runs for, and those that show its token.

Every user of a machine reaches its loopback addresses. Linux tells in `/proc/net` whose socket is
at the other end of a connection, so that a client of the same user needs nothing; any other, and
any client where the system does not tell, sends `Authorization: Bearer TOKEN`. Guarantees: the
token lies in a file of mode 0600 and is made anew where another could have read or written it; a
socket that has no owner any more is nobody's. Refused: whoever is not known.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

#: host and port, as a socket tells them
Address = tuple[Any, ...]
#: states of a connection that its client can still read from: established, half closed
_READS: Final = frozenset({b"01", b"04", b"05"})
#: the table is no snapshot: a row can be missed while others come and go
_LOOKS = 3
_TOKEN = re.compile("[!-~]{16,200}")
_NOT_FOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class Callers:
    """Whom a server answers; an empty token is shown by nobody."""

    token: str = ""

    def may_ask(self, here: Address, there: Address, authorizations: Sequence[str]) -> bool:
        """Whether the client at the other end is answered, with these `Authorization` headers."""
        if hasattr(os, "getuid") and _user_of(here, there) == os.getuid():
            return True
        scheme, _, shown = authorizations[0].partition(" ") if authorizations else ("", "", "")
        right = hmac.compare_digest(shown.strip().encode("utf-8", "replace"), self.token.encode())
        return bool(self.token) and scheme.lower() == "bearer" and right


def token_in(file: Path) -> str:
    """The token in a file, which is made when there is none. Raises OSError."""
    kept = _kept(file)
    if kept:
        return kept
    token = secrets.token_urlsafe(32)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOT_FOLLOWED, 0o600)
    with open(handle, "w", encoding="ascii") as stream:
        stream.write(f"{token}\n")
    return token


def _kept(file: Path) -> str:
    """The token that a file holds; "" when it is no secret of this user."""
    try:
        with open(os.open(file, os.O_RDONLY | _NOT_FOLLOWED), encoding="utf-8") as stream:
            found = os.fstat(stream.fileno())
            if not stat.S_ISREG(found.st_mode):
                return ""
            if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o077):
                return ""
            token = stream.read(1_000).strip()
    except (OSError, ValueError):
        return ""
    return token if _TOKEN.fullmatch(token) else ""


def _user_of(here: Address, there: Address) -> int | None:
    """The user whose socket is at the other end of a loopback connection; None if not known."""
    if sys.platform != "linux":
        return None
    for _ in range(_LOOKS):
        for table, ours, theirs in _names(here, there):
            user = _owner(table, ours, theirs)
            if user is not None:
                return user
    return None


def _names(here: Address, there: Address) -> Iterator[tuple[str, bytes, bytes]]:
    """The tables in which a client's socket may stand, with both addresses as they are written."""
    yield ("tcp6" if ":" in here[0] else "tcp"), _written(here), _written(there)
    if ":" not in here[0]:  # a client may use IPv6 sockets for IPv4
        yield "tcp6", _written(here, "::ffff:"), _written(there, "::ffff:")


def _written(address: Address, prefix: str = "") -> bytes:
    """An address as the kernel writes it: each 32 bits as a number of this machine."""
    packed = ip_address(f"{prefix}{address[0]}").packed
    words = (packed[at : at + 4] for at in range(0, len(packed), 4))
    name = "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
    return f"{name}:{address[1]:04X}".encode("ascii")


def _owner(table: str, ours: bytes, theirs: bytes) -> int | None:
    """The owner of the socket that is connected from `theirs` to `ours`."""
    try:
        rows = Path("/proc/net", table).read_bytes().splitlines()
    except OSError:
        return None
    for row in rows:
        fields = row.split()
        if fields[1:3] == [theirs, ours] and fields[3] in _READS and fields[9] != b"0":
            return int(fields[7])
    return None
