"""The demo that `make demo` runs, from the outside: what it prints and what it leaves behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.kit import tree_digest, where

HERE = Path(__file__).parent
SECRETS = ("Tr0ub4dor-and-3", "ghp_0123456789abcdef")
POISON = "keys.collector.example"

pytestmark = [
    pytest.mark.skipif(shutil.which("bash") is None, reason="the demo is a bash script"),
    pytest.mark.xdist_group("demo"),
]


class Demo(NamedTuple):
    """One run: its folder, what it printed, and the `engram` that it used."""

    folder: Path
    printed: str
    engram: Path

    @property
    def vault(self) -> Path:
        return self.folder / "demo-vault"

    def run(self, *words: str) -> str:
        """What a further command on the demo's vault prints."""
        environment = os.environ | {
            "ENGRAM_HOME": str(self.folder / ".demo-home"), "ENGRAM_VAULT": str(self.vault),
            "ENGRAM_CLOCK": "2026-03-06T21:30:00Z", "PYTHONPATH": str(HERE.parents[1]),
            "HOME": str(self.folder),  # whose agents' settings are no part of this
        }  # fmt: skip
        done = subprocess.run(
            [self.engram, *words], env=environment, capture_output=True, check=True, text=True,
            encoding="utf-8",
        )  # fmt: skip
        return done.stdout

    def facts(self) -> list[Path]:
        return sorted((self.vault / "facts").glob("*/*.md"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo, run once with this interpreter, below a folder with a blank in its name."""
    folder = tmp_path_factory.mktemp("the demo")
    bin_dir = tmp_path_factory.mktemp("bin")
    engram = bin_dir / "engram"
    engram.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c '
        "'from engram.surfaces.cli.app import main; main()' \"$@\"\n",
        encoding="utf-8",
    )
    engram.chmod(0o755)
    python = bin_dir / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    # a person's own settings and colours must not show in it
    environment = os.environ | {
        "DEMO_FOLDER": str(folder), "ENGRAM_RECALL_LIMIT": "1", "ENGRAM_VAULT": "/nowhere",
        "PYTHONPATH": str(HERE.parents[1]),
    }  # fmt: skip
    done = subprocess.run(
        ["bash", str(HERE / "run.sh"), str(bin_dir)], env=environment, text=True, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return Demo(folder, done.stdout, engram)


def test_it_keeps_fifteen_memories_in_five_categories(demo: Demo) -> None:
    categories = {path.name.partition("-")[0] for path in demo.facts()}
    assert len(demo.facts()) >= 15
    assert len(categories) >= 5
    assert f"{len(demo.facts())} memories in {len(categories)} categories" in demo.printed


def test_no_secret_is_anywhere_and_nothing_of_the_poisoned_page(demo: Demo) -> None:
    for text in (*SECRETS, POISON):
        assert where(demo.folder, text) == []
        assert text not in demo.printed
    assert "[REDACTED:github-token:40]" in demo.printed


def test_undo_leaves_no_fact_and_its_undo_the_same_bytes(demo: Demo) -> None:
    before = tree_digest(demo.vault, "facts")
    demo.run("undo", "import-1")
    assert demo.facts() == []
    demo.run("undo", demo.run("log", "--limit", "1").split()[0])
    assert tree_digest(demo.vault, "facts") == before


def test_the_review_asks_of_the_import_and_takes_an_answer_back(demo: Demo) -> None:
    asked = demo.printed.partition("$ engram review import-1\n")[2]
    assert asked.startswith("1/20  import-1 brought it: is it right?")
    assert "\n  took back: kept #" in asked


def test_every_question_it_asks_finds_a_memory(demo: Demo) -> None:
    asked = [line for line in demo.printed.splitlines() if line.startswith("$ engram search ")]
    shown = demo.printed.split("\n$ engram ")
    answers = [part for part in shown if part.startswith("search ")]
    assert len(asked) == len(answers) == 3
    assert all("\nmemories\n" in answer for answer in answers)


def test_the_recall_tells_the_day_of_the_decision_and_its_source(demo: Demo) -> None:
    block, _, rest = demo.printed.partition("<engram-memory>")[2].partition("</engram-memory>")
    assert "- answer (confidence 0." in block and "2026-03-04 decision" in block
    assert "source: [[claude-code-" in block
    said = rest.partition("<engram-memory>")[2].partition("</engram-memory>")[0]
    answer = said.partition("\n- answer ")[2].partition("\n- ")[0]
    assert "(confidence 0.90)" in answer and '"tonight" in a turn of ' in answer
    assert "rotate the token tonight" in answer and "source: [[claude-code-" in answer


def test_it_prints_no_escape_codes_into_a_pipe_and_no_error(demo: Demo) -> None:
    assert "\x1b" not in demo.printed
    assert "error:" not in demo.printed and "Traceback" not in demo.printed


def test_the_night_gathers_who_and_what_is_spoken_of(demo: Demo) -> None:
    assert demo.run("tiers").startswith("hot  ")
    assert {"person-jonas.md", "person-maja.md"} <= {
        path.name for path in (demo.vault / "entities").iterdir()
    }
    assert demo.run("consolidate") == ""
    assert "look" not in demo.run("audit")


def test_the_vault_that_it_leaves_is_sound(demo: Demo) -> None:
    assert demo.run("doctor") == "all is well\n"


def test_a_model_reads_them_too_and_its_mistakes_stay_out(demo: Demo) -> None:
    vault = demo.folder / "demo-vault-model"
    facts = list((vault / "facts").glob("*/*.md"))
    assert len(facts) >= 35
    assert "the model costs about $0." in demo.printed
    for refused in (
        "1 dangling", "1 injection_override", "1 low_trust", "1 quote-not-found",
        "1 unknown_category",
    ):  # fmt: skip
        assert f" {refused} (" in " ".join(demo.printed.split())  # a long line is folded
    texts = [path.read_text(encoding="utf-8") for path in facts]
    for lie in ("next month", "post the deploy keys", "agent prefers", "docker compose"):
        assert not any(lie in text for text in texts)
    hosting = [text for text in texts if "shop::hosting" in text]
    assert [text.count("status: superseded") for text in hosting].count(1) == 2
    for secret in (*SECRETS, POISON):
        assert not where(vault, secret)
