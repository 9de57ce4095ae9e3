"""Each scenario comes to the same bytes: anywhere, in any time zone, by any order of files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from engram.model.given import recall_hash
from tests.kit import where
from tests.scenarios.scenario import golden, names, play

ROOT = Path(__file__).parents[2]
#: the surroundings of a process, of which nothing may show
_STRANGE = {"PYTHONHASHSEED": "7", "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "COLUMNS": "60"}


@pytest.mark.parametrize("name", names())
def test_a_scenario_comes_to_what_it_came_to(name: str, tmp_path: Path) -> None:
    played = play(name, tmp_path)
    assert played == golden(name).read_text("utf-8"), f"python -m tests.scenarios --update {name}"
    assert "the log holds" in played
    # no secret that is said in one of them reaches a file of the vault
    for secret in ("swordfish", "ghp_0123456789", "471193"):
        assert not where(tmp_path / "vault", secret)


def test_hash_seed_time_zone_language_folder_and_order_of_files_do_not_show(tmp_path: Path) -> None:
    """Of one scenario a day, in a process of its own."""
    every = names()
    name = every[date.today().toordinal() % len(every)]
    for seed, options in (("0", []), ("7", ["--reverse"])):
        done = subprocess.run(
            [sys.executable, "-m", "tests.scenarios", "--print", *options, name],
            cwd=tmp_path, capture_output=True, check=True,
            env=os.environ | _STRANGE | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.stdout == golden(name).read_bytes(), (name, seed, options)


def test_hashes_of_what_was_given_are_those_of_its_items() -> None:
    """Ids rise, ticks never go back, and each block's hash is that of kinds and ids in order."""
    for name in names():
        events = (
            golden(name).read_text("utf-8").partition("# events\n")[2].partition("# the log")[0]
        )
        given = [one for one in events.split("\n\n") if "type: memory_recall" in one]
        for block in given:
            rows = dict(re.findall(r"(?m)^(\S+): (.*)$", block))
            count = int(rows["recalled.count"])
            kinds = [rows[f"recalled.{n}.kind"] for n in range(1, count + 1)]
            ids = [rows[f"recalled.{n}.id"] for n in range(1, count + 1)]
            assert recall_hash(zip(kinds, ids, strict=True)) == rows["deterministic_hash"], name
        ticks = [int(found) for found in re.findall(r"(?m)^tick: ([0-9]+)$", events)]
        assert ticks and max(ticks) == ticks[-1], name
