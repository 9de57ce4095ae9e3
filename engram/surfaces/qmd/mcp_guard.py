"""Access check of the HTTP server: the names in `Host` and `Origin`, as a pure function.

A socket on loopback keeps other machines out, but not a web page: its own name can be made to point
at this machine after it was loaded (DNS rebinding), and then the browser lets it read answers. The
two headers give such a page away. Guarantees: only names that mean this machine are allowed, and
those that the user listed in QMD_ALLOWED_HOSTS or QMD_ALLOWED_ORIGINS, which have to match as a
whole; `*` is not a name. A missing Origin is no browser and is allowed. Refused besides: an opaque
origin (`null`), more than one Host, and 0.0.0.0, which browsers lead to this machine.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

#: what is shown of a name that was refused
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Guard:
    """The names that are allowed beside this machine's own, in lower case."""

    hosts: frozenset[str] = frozenset()
    origins: frozenset[str] = frozenset()

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Guard:
        """The names that the environment allows."""
        hosts = _listed(environment.get("QMD_ALLOWED_HOSTS", ""))
        origins = _listed(environment.get("QMD_ALLOWED_ORIGINS", ""))
        return cls(hosts, frozenset(origin.rstrip("/") for origin in origins))

    def objection(self, hosts: Sequence[str], origins: Sequence[str]) -> str:
        """Why a request with these headers is refused; "" when it is allowed."""
        for origin in origins:
            if not self._origin(origin.strip()):
                return f"Origin not allowed: {origin.strip()[:_SHOWN]}"
        if len(hosts) > 1:
            return "Host not allowed: more than one"
        for host in hosts:
            if not self._host(host.strip().lower()):
                return f"Host not allowed: {host.strip()[:_SHOWN]}"
        return ""

    def _origin(self, origin: str) -> bool:
        if origin.lower() in self.origins:
            return True
        scheme, _, rest = origin.partition("://")
        return scheme.lower() in ("http", "https") and is_loopback(_name(rest))

    def _host(self, host: str) -> bool:
        return host in self.hosts or _name(host) in self.hosts or is_loopback(_name(host))


def is_loopback(name: str) -> bool:
    """Whether a host name, or an address without brackets, always means this machine."""
    lower = name.lower()
    if lower == "localhost" or lower.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(lower)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _name(authority: str) -> str:
    """The host in `name`, `name:port` or `[address]:port`; "" where anything else stands."""
    if not authority or any(sign in authority for sign in "/\\@?#, \t"):
        return ""
    try:
        parts = urlsplit(f"//{authority}")
        _ = parts.port  # refuses what is no number
        return parts.hostname or ""
    except ValueError:
        return ""


def _listed(text: str) -> frozenset[str]:
    return frozenset(name for one in text.split(",") if (name := one.strip().lower()) not in "*")
