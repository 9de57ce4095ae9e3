"""The same turns give the same bytes, whatever machine, zone, hash seed or order of files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.kit import files, tree_digest

_RUN = """
import sys
from pathlib import Path
from engram.store.base.clock import FixedClock
from engram.vault import Vault
root, source = Path(sys.argv[1]), Path(sys.argv[2])
vault = Vault.create(root / "vault", environment={"ENGRAM_HOME": str(root / "home")},
                     clock=FixedClock("2026-03-06T12:00:00Z"))
vault.import_files("jsonl", source)
memory = vault.remember("I always deploy on Tuesdays, never on Fridays.")
vault.forget(memory.memory.id)
vault.undo()
"""

_SAID = [
    "we decided to use postgres instead of sqlite because two writers need it",
    "i prefer tabs over spaces in go code",
    "from now on never push to main without a review",
    "my name is Kim and i work at a bakery in Aarhus",
    "the deadline for the privacy page is 2026-03-20, i'll write it by then",
    "no, that's wrong: the shop closes at 17:00, not 18:00",
]


def _transcripts(folder: Path, *, backwards: bool) -> Path:
    """Three session files, made in one order or the other."""
    folder.mkdir(parents=True)
    for name in sorted(["a", "b", "c"], reverse=backwards):
        rows = [
            {"role": "user", "content": f"{text} ({name})", "session": name, "project": "shop",
             "timestamp": f"2026-03-0{day}T10:00:00Z"}
            for day, text in enumerate(_SAID, 1)
        ]  # fmt: skip
        (folder / f"{name}.jsonl").write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    return folder


def _run(root: Path, source: Path, **environment: str) -> Path:
    repository = Path(__file__).parents[2]
    clean = {key: value for key, value in os.environ.items() if not key.startswith("ENGRAM_")}
    subprocess.run(
        [sys.executable, "-c", _RUN, str(root), str(source)],
        env=clean | {"PYTHONPATH": str(repository)} | environment,
        check=True,
        timeout=120,
    )
    return root / "vault"


def test_two_runs_are_equal_byte_for_byte(tmp_path: Path) -> None:
    one = _run(
        tmp_path / "one", _transcripts(tmp_path / "x" / "said", backwards=False),
        PYTHONHASHSEED="1", TZ="UTC", LANG="C",
    )  # fmt: skip
    two = _run(
        tmp_path / "elsewhere" / "two", _transcripts(tmp_path / "y" / "said", backwards=True),
        PYTHONHASHSEED="4711", TZ="Pacific/Auckland", LANG="tr_TR.UTF-8", LC_ALL="tr_TR.UTF-8",
    )  # fmt: skip
    names = [[path.relative_to(root).as_posix() for path in files(root)] for root in (one, two)]
    assert names[0] == names[1]
    different = [
        name for name in names[0] if (one / name).read_bytes() != (two / name).read_bytes()
    ]
    assert different == []
    assert tree_digest(one) == tree_digest(two)
    assert len(list((one / "facts").rglob("*.md"))) >= 6


def test_a_rebuild_changes_no_byte_but_the_order_of_the_hashes(tmp_path: Path) -> None:
    vault = _run(tmp_path / "one", _transcripts(tmp_path / "said", backwards=False))
    before = {path: path.read_bytes() for path in files(vault)}
    shutil.rmtree(tmp_path / "one" / "home" / "cache")
    command = "from engram.surfaces.cli.app import main; main()"
    subprocess.run(
        [sys.executable, "-c", command, "--vault", str(vault), "rebuild"],
        env={**os.environ, "ENGRAM_HOME": str(tmp_path / "one" / "home"),
             "PYTHONPATH": str(Path(__file__).parents[2])},
        check=True,
        capture_output=True,
    )  # fmt: skip
    after = {path: path.read_bytes() for path in files(vault)}
    assert after.keys() == before.keys()
    different = {path.name for path in before if before[path] != after[path]}
    assert different <= {"fact-hashes.txt"}
    # appended to in the order of transactions, it is sorted by a rebuild, and says the same
    hashes = vault / "state" / "fact-hashes.txt"
    assert after[hashes].splitlines() == sorted(before[hashes].splitlines())
