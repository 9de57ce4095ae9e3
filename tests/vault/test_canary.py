"""The canary: quiet where a memory lives, and loud at the step where it was lost."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from engram.model.candidate import Candidate
from engram.model.errors import StorageError
from engram.model.hit import Answers
from engram.model.intake import CaptureResult
from engram.model.memory import Memory
from engram.model.turn import Turn
from engram.vault import Adapters, Vault
from engram.vault.canary import sing
from tests.kit import Cheap


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made in this test."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_memory_lives_and_nothing_is_left(
    tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAM_HOME", str(tmp_path / "mine"))
    monkeypatch.setenv("ENGRAM_LLM_MODEL", "a-model")
    assert sing() == []
    assert list(scratch.iterdir()) == []
    assert not (tmp_path / "mine").exists()


class Silent(Cheap):
    """An Extractor that finds nothing."""

    def extract(self, turns: Sequence[Turn]) -> list[Candidate]:
        return []


class Deaf(Vault):
    def capture(self, turns: object) -> CaptureResult:
        return CaptureResult()


class Blind(Vault):
    def search(self, query: str, **_: object) -> Answers:
        return Answers()


class Unforgetting(Vault):
    def forget(self, reference: str, reason: str = "") -> None:  # type: ignore[override]
        pass


class Full(Vault):
    def forget(self, reference: str, reason: str = "") -> Memory:
        raise StorageError("the disk is full", "free some space")


class HalfForgetting(Vault):
    """The memory goes, and what was said is found for ever."""

    def search(self, query: str, **_: object) -> Answers:
        found = super().search(query)
        return found if found.memories else Answers([], ["a turn"])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("step", "kind", "adapters"),
    [
        ("written", Deaf, Adapters()),
        ("extracted", Vault, Adapters(extractor=Silent())),
        ("found", Blind, Adapters()),
        ("forgotten", Unforgetting, Adapters()),
    ],
)
def test_what_quietly_does_nothing_is_found_at_its_step(
    step: str, kind: type[Vault], adapters: Adapters
) -> None:
    (finding,) = sing(kind, adapters)
    assert (finding.severity, finding.code, finding.subject) == ("error", "canary", step)
    assert f"could not be {step}" in finding.message and finding.fix


def test_what_was_said_is_forgotten_too() -> None:
    assert [finding.subject for finding in sing(HalfForgetting)] == ["forgotten"]


def test_an_error_is_told_with_its_hint() -> None:
    (finding,) = sing(Full)
    assert finding.subject == "forgotten" and "the disk is full" in finding.message
    assert finding.fix == "free some space"


def test_without_a_temporary_folder_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    (finding,) = sing()
    assert finding.subject == "written" and "nowhere" in finding.message
