"""Pokes: a transcript that has grown is written down, and taken in later."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engram.daemon.spool import (
    TranscriptNotice,
    hook_failures,
    noted,
    put_back,
    record_failure,
    taken,
)
from engram.model.errors import Locked
from tests.cli.shop import Shop
from tests.hooks.conversation import hook, said_by

LINE = {
    "type": "user", "uuid": "1", "sessionId": "s9", "timestamp": "2026-03-06T11:00:00Z",
    "cwd": "/home/kim/shop",
    "message": {"role": "user", "content": "We decided to print receipts on recycled paper."},
}  # fmt: skip


@pytest.fixture
def transcript(shop: Shop) -> Path:
    return shop.write(".claude/projects/-home-kim-shop/s9.jsonl", json.dumps(LINE) + "\n")


@pytest.mark.parametrize("event", ["pre-compact", "session-end"])
def test_what_is_poked_is_taken_in_by_the_next_catch_up(
    event: str, shop: Shop, transcript: Path
) -> None:
    data = said_by("SessionEnd", transcript_path=str(transcript), reason="exit")
    for _ in range(3):
        assert hook(shop, event, data) == ("", [])
    state = shop.folder / "home"
    assert [(notice.source, notice.path) for notice in noted(state)] == [
        ("claude-code", str(transcript.resolve()))
    ]
    assert "1 transcript of an agent waits: `engram hook catch-up`" in shop.run("status").out
    assert shop.run("hook", "catch-up").out == "took in 1 new turn from 1 transcript\n"
    assert "recycled paper" in shop.run("search", "receipts").out
    assert "catch-up" not in shop.run("status").out
    assert shop.run("hook", "catch-up").out == "took in 0 new turns from 0 transcripts\n"


def test_only_a_transcript_in_its_agents_own_folder_counts(shop: Shop, transcript: Path) -> None:
    elsewhere = shop.write("elsewhere.jsonl", json.dumps(LINE) + "\n")
    link = transcript.with_name("link.jsonl")
    link.symlink_to(elsewhere)
    for path in (
        "", "relative.jsonl", str(elsewhere), str(link), str(transcript.parent),
        str(transcript) + "x", f"{transcript.parent}/../../../elsewhere.jsonl",
    ):  # fmt: skip
        data = said_by("SessionEnd", transcript_path=path)
        assert hook(shop, "session-end", data) == ("", [])
    assert noted(shop.folder / "home") == []


@pytest.mark.parametrize("glob", ["shop", "/home/kim/shop/**"])
def test_what_is_excluded_is_not_written_down(shop: Shop, transcript: Path, glob: str) -> None:
    assert shop.run("config", "set", "capture.exclude", glob).code == 0
    data = said_by("SessionEnd", transcript_path=str(transcript), cwd="/home/kim/shop")
    assert hook(shop, "session-end", data) == ("", [])
    assert noted(shop.folder / "home") == []


def test_a_vault_that_is_not_registered_gets_nothing(shop: Shop, transcript: Path) -> None:
    shop.write("cloned/engram.toml", 'format = 1\nid = "cloned"\n')
    data = said_by("SessionEnd", transcript_path=str(transcript))
    assert hook(shop, "session-end", data, "--vault", str(shop.folder / "cloned")) == ("", [])
    assert noted(shop.folder / "home") == []


def test_other_agents_are_known_by_their_folders(shop: Shop) -> None:
    places = {
        "codex": ".codex/sessions/2026/03/06/rollout-x.jsonl",
        "gemini-cli": ".gemini/tmp/abc/chats/session-x.json",
    }
    for path in places.values():
        data = said_by("SessionEnd", transcript_path=str(shop.write(path, "{}")))
        hook(shop, "session-end", data)
    assert [notice.source for notice in noted(shop.folder / "home")] == list(places)


def test_what_cannot_be_taken_in_waits(shop: Shop, transcript: Path) -> None:
    hook(shop, "session-end", said_by("SessionEnd", transcript_path=str(transcript)))
    moved = shop.vault.rename(shop.folder / "moved")
    ran = shop.run("hook", "catch-up", "--json")
    assert json.loads(ran.out) == {"turns": 0, "files": 0, "waiting": 1, "failed_hooks": 0}
    assert "does not exist" in ran.err
    moved.rename(shop.vault)
    assert json.loads(shop.run("hook", "catch-up", "--json").out)["turns"] == 1


def test_a_line_holds_no_words_and_a_damaged_one_is_passed_over(tmp_path: Path) -> None:
    notice = TranscriptNotice("2026-03-06T12:00:00Z", "session-end", "codex", "/x", "/v")
    put_back(tmp_path, [notice, notice])
    path = tmp_path / "hooks" / "spool.jsonl"
    path.write_bytes(b'{"torn\n[]\n{"time": "x"}\n\xff\n' + path.read_bytes())
    assert path.stat().st_mode & 0o777 == 0o600
    with taken(tmp_path) as waiting:
        assert waiting == [notice]
        waiting.clear()
    with taken(tmp_path) as waiting:
        assert waiting == []
    assert [one.name for one in (tmp_path / "hooks").iterdir()] == ["taking.lock"]


def test_a_notification_waits_until_it_is_done_with(tmp_path: Path) -> None:
    first, second, third = (
        TranscriptNotice("2026-03-06T12:00:00Z", "session-end", "codex", path, "/v")
        for path in ("/1", "/2", "/3")
    )
    put_back(tmp_path, [first, second])
    with pytest.raises(KeyboardInterrupt), taken(tmp_path) as waiting:
        waiting.remove(first)
        put_back(tmp_path, [third])
        with pytest.raises(Locked), taken(tmp_path):
            pass
        raise KeyboardInterrupt
    assert noted(tmp_path) == [second, third]


def test_an_end_that_is_noted_while_the_start_is_taken_counts(tmp_path: Path) -> None:
    begun = TranscriptNotice("2026-03-06T12:00:00Z", "session-start", "codex", "/1", "/v")
    put_back(tmp_path, [begun])
    with taken(tmp_path) as waiting:
        put_back(tmp_path, [replace(begun, event="session-end")])
        assert waiting == [begun]
    assert [one.event for one in noted(tmp_path)] == ["session-end"]


def test_what_a_killed_process_had_taken_is_taken_by_the_next(tmp_path: Path) -> None:
    notice = TranscriptNotice("2026-03-06T12:00:00Z", "session-end", "codex", "/x", "/v")
    put_back(tmp_path, [notice])
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from engram.daemon.spool import taken\n"
        "with taken(Path(sys.argv[1])) as waiting:\n"
        "    os._exit(len(waiting))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False, timeout=60)
    assert done.returncode == 1
    put_back(tmp_path, [replace(notice, time="2026-03-06T11:00:00Z", event="pre-compact")])
    assert noted(tmp_path) == [notice], "what was said last counts"
    with taken(tmp_path) as waiting:
        assert waiting == [notice]


def test_nothing_grows_without_end(tmp_path: Path) -> None:
    for _ in range(4000):
        record_failure(tmp_path, "2026-03-06T12:00:00Z", "prompt", "x" * 40)
    size = (tmp_path / "hooks" / "trouble.jsonl").stat().st_size
    assert 262_144 <= size < 262_144 + 200
    assert hook_failures(tmp_path)[0] > 1000
