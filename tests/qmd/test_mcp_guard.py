"""Which names in `Host` and `Origin` mean this machine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.surfaces.qmd.mcp_guard import Guard, is_loopback

OURS = ["localhost", "LOCALHOST", "app.localhost", "127.0.0.1", "127.8.4.2", "::1"]
OTHERS = [
    "", "evil.example", "localhost.evil.example", "evillocalhost", "127.0.0.1.evil.example",
    "0.0.0.0", "::", "10.0.0.1", "192.168.1.2", "2130706433", "0x7f000001", "127.1", "0177.0.0.1",
    "::ffff:10.0.0.1", "localhost.", "null", "*",
]  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_names_of_this_machine(name: str) -> None:
    assert is_loopback(name)
    bracketed = f"[{name}]" if ":" in name else name
    for host in (bracketed, f"{bracketed}:8181"):
        assert Guard().objection([host], []) == ""
        assert Guard().objection([host], [f"http://{host}"]) == ""
        assert Guard().objection([], [f"https://{host}"]) == ""


@pytest.mark.parametrize("name", OTHERS)
def test_names_of_others(name: str) -> None:
    assert not is_loopback(name)
    bracketed = f"[{name}]" if ":" in name else name
    for host in (bracketed, f"{bracketed}:8181"):
        assert Guard().objection([host], []).startswith("Host not allowed")
        assert Guard().objection(["localhost"], [f"http://{host}"]).startswith("Origin not allowed")


@pytest.mark.parametrize(
    "origin",
    [
        "null", "file://localhost", "localhost", "http:localhost", "ftp://localhost",
        "http://localhost@evil.example", "http://evil.example/localhost", "http://[::1",
        "http://evil.example#localhost", "http://evil.example\\@localhost", "http://localhost:x",
        "chrome-extension://localhost", "http://localhost, http://evil.example", "",
    ],
)  # fmt: skip
def test_an_origin_is_one_address_of_the_web(origin: str) -> None:
    assert Guard().objection(["localhost"], [origin])


@pytest.mark.parametrize(
    "host",
    ["a@localhost", "localhost/..", "localhost:99999", "localhost:x", "localhost evil", "[::1"],
)
def test_a_host_is_a_name_and_a_port(host: str) -> None:
    assert Guard().objection([host], [])


def test_no_browser_sends_no_origin_and_nobody_sends_two_hosts() -> None:
    assert Guard().objection(["localhost"], []) == ""
    assert Guard().objection([], []) == ""
    assert Guard().objection(["localhost", "localhost"], [])
    assert Guard().objection(["localhost"], ["http://localhost", "http://evil.example"])


def test_the_person_can_let_names_in() -> None:
    guard = Guard.of(
        {
            "QMD_ALLOWED_HOSTS": "Box.example:8181, other.example",
            "QMD_ALLOWED_ORIGINS": "https://app.example/, chrome-extension://abcd",
        }
    )
    assert guard.objection(["box.example:8181"], ["https://APP.example"]) == ""
    assert guard.objection(["other.example:99"], ["chrome-extension://abcd"]) == ""
    assert guard.objection(["box.example"], [])
    assert guard.objection(["localhost"], ["https://app.example.evil.example"])
    assert guard.objection(["localhost"], ["chrome-extension://efgh"])


def test_a_star_lets_nobody_in() -> None:
    guard = Guard.of({"QMD_ALLOWED_HOSTS": "*", "QMD_ALLOWED_ORIGINS": "*,"})
    assert guard == Guard()


def test_what_was_refused_is_shown_cut() -> None:
    assert len(Guard().objection(["localhost"], ["http://" + "e" * 9000])) < 300


@given(st.text(), st.text())
def test_any_headers_have_an_answer(host: str, origin: str) -> None:
    assert isinstance(Guard().objection([host], [origin]), str)
