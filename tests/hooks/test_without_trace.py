"""What an agent is given is the same bytes whether or not anything of it can be noted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from engram.store.base import layout
from tests.cli.shop import Shop
from tests.golden.console import prompt_context, run
from tests.hooks.conversation import hook, said_by

_AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "shop-9"}


def asked(shop: Shop) -> dict[str, str]:
    """All that an agent and a person are given."""
    said = said_by("UserPromptSubmit", session_id="shop-9", prompt="why postgres?")
    # what a hook complains of is for its log, not for the agent
    found = {event: hook(shop, event, said)[0] for event in ("session-start", "prompt")}
    found["person"] = shop.run("recall", "why postgres", "--project", "shop").out
    folder = shop.folder / "shop"
    folder.mkdir(exist_ok=True)
    environment = prompt_context(shop.folder) | _AGENT | {"ENGRAM_VAULT": str(shop.vault)}
    found["agent"] = run(["recall", "why postgres"], folder, environment).out
    return found


def _without_logs(state: Path) -> None:
    (state / "trace.jsonl").unlink()
    (state / "access.jsonl").unlink()


def _unwritable_logs(state: Path) -> None:
    """Neither log can be appended to: folders stand in their place."""
    _without_logs(state)
    (state / "trace.jsonl").mkdir()
    (state / "access.jsonl").mkdir()


def _empty(state: Path) -> None:
    shutil.rmtree(state)
    for folder in (layout.TURNS, layout.PENDING, layout.JOURNAL):
        (state.parent / folder).mkdir(parents=True)


def _gone(state: Path) -> None:
    shutil.rmtree(state)


@pytest.mark.parametrize("change", [_without_logs, _unwritable_logs, _empty, _gone])
def test_what_is_given_depends_on_no_log(change: Callable[[Path], None], shop: Shop) -> None:
    expected = asked(shop)
    assert all("Postgres" in text for text in expected.values()), expected
    change(shop.vault / layout.STATE)
    assert asked(shop) == expected
    assert asked(shop) == expected  # what was noted of the first time changes nothing


def test_what_is_given_is_the_same_where_state_may_not_be_written(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = asked(shop)
    writable = os.access

    def access(path: str | Path, mode: int, **more: bool) -> bool:
        return mode != os.W_OK and writable(path, mode, **more)

    monkeypatch.setattr(os, "access", access)
    before = _sizes(shop.vault / layout.STATE)
    assert asked(shop) == expected
    # a hook writes nothing where it may not; `recall` notes what it gave wherever it can
    assert _sizes(shop.vault / layout.STATE).keys() == before.keys()


def _sizes(state: Path) -> Mapping[str, int]:
    return {path.name: path.stat().st_size for path in state.iterdir() if path.is_file()}
