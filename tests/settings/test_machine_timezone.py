"""The zone that a new vault gets: the one that the machine names, or UTC."""

from __future__ import annotations

from pathlib import Path

import pytest

from engram.settings.load import load
from engram.settings.machine_timezone import machine_timezone
from tests.golden.console import run

NOWHERE = Path("no-such-link")


@pytest.mark.parametrize(
    ("named", "zone"),
    [
        ("Europe/Oslo", "Europe/Oslo"), (":Europe/Oslo", "Europe/Oslo"), ("", "UTC"),
        ("/usr/share/zoneinfo/Europe/Oslo", "Europe/Oslo"), ("UTC", "UTC"), ("Etc/UTC", "UTC"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "UTC"), ("Moon/Tranquility", "UTC"), ("../passwd", "UTC"),
        ("/etc/localtime", "UTC"),
    ],
)  # fmt: skip
def test_the_variable_names_a_known_zone_or_none(named: str, zone: str) -> None:
    assert machine_timezone({"TZ": named}, NOWHERE) == zone


def test_without_the_variable_the_link_of_the_system_names_it(tmp_path: Path) -> None:
    for number, (target, zone) in enumerate((
        ("../usr/share/zoneinfo/Europe/Oslo", "Europe/Oslo"),
        ("/var/db/timezone/zoneinfo/America/Los_Angeles", "America/Los_Angeles"),
        ("/usr/share/zoneinfo/Etc/UTC", "UTC"), ("/etc/elsewhere", "UTC"),
    )):  # fmt: skip
        link = tmp_path / str(number)
        link.symlink_to(target)
        assert machine_timezone({}, link) == zone
    copied = tmp_path / "copied"
    copied.write_bytes(b"TZif2")
    assert machine_timezone({}, copied) == machine_timezone({}, NOWHERE) == "UTC"


def test_init_writes_the_zone_of_the_machine_and_says_so(tmp_path: Path) -> None:
    made = run(["init", "vault"], tmp_path, {"TZ": "Europe/Oslo"})
    assert made.code == 0 and "Europe/Oslo" in made.err
    header = load(tmp_path / "vault", {"ENGRAM_HOME": str(tmp_path / "home")}).vault
    assert header is not None and header.timezone == "Europe/Oslo"
