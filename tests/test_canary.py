"""The canary: quiet where a memory lives, and loud at the step where it was lost."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.model.errors import StorageError
from engram.pipeline.flow import CaptureResult, ExtractionResult
from engram.vault import Vault
from engram.vault.canary import sing
from engram.vault.reading import Answers


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


def no_capture(vault: Vault, turns: object) -> CaptureResult:
    return CaptureResult()


def no_flush(vault: Vault) -> ExtractionResult:
    return ExtractionResult()


def no_answers(vault: Vault, question: str) -> Answers:
    return Answers([], [])


def refused(vault: Vault, reference: str) -> None:
    raise StorageError("the disk is full", "free some space")


@pytest.mark.parametrize(
    ("step", "broken"),
    [
        ("written", {"capture": no_capture}),
        ("extracted", {"extract_due": no_flush, "flush": no_flush}),
        ("found", {"search": no_answers}),
        ("forgotten", {"forget": lambda vault, reference: None}),
    ],
)
def test_what_quietly_does_nothing_is_found_at_its_step(
    step: str, broken: dict[str, Callable[..., object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, instead in broken.items():
        monkeypatch.setattr(Vault, name, instead)
    (finding,) = sing()
    assert (finding.severity, finding.code, finding.subject) == ("error", "canary", step)
    assert f"could not be {step}" in finding.message and finding.fix


def test_what_was_said_is_forgotten_too(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Vault.search
    asked: list[str] = []

    def only_the_memory_goes(vault: Vault, question: str) -> Answers:
        asked.append(question)
        found = search(vault, question)
        return found if len(asked) == 1 else Answers([], ["a turn"])  # type: ignore[list-item]

    monkeypatch.setattr(Vault, "search", only_the_memory_goes)
    assert [finding.subject for finding in sing()] == ["forgotten"]


def test_an_error_is_told_with_its_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Vault, "forget", refused)
    (finding,) = sing()
    assert finding.subject == "forgotten" and "the disk is full" in finding.message
    assert finding.fix == "free some space"


def test_without_a_temporary_folder_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    (finding,) = sing()
    assert finding.subject == "written" and "nowhere" in finding.message
