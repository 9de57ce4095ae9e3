"""A hook as a process: whatever goes wrong, it ends with 0 and has said nothing."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engram.surfaces.hooks import process
from engram.surfaces.hooks.host_protocol import MOST_BYTES
from tests.cli.shop import Shop
from tests.golden.console import prompt_context
from tests.hooks.conversation import hook, said_by
from tests.kit import failing

ROOT = Path(__file__).parents[2]
EVENTS = ["session-start", "prompt", "pre-compact", "session-end"]
PROMPT = said_by("UserPromptSubmit", prompt="why postgres?")
#: the console script, with time enough on any machine: who is late says nothing
PATIENT = """
from engram.surfaces.entry import main
from engram.surfaces.hooks import process
process.DEADLINE = 60.0
main()
"""
#: what must not be loaded on the short way
HEAVY = ("whoosh", "click", "openai", "httpx2", "yaml", "frontmatter", "platformdirs", "rich")


def environment(shop: Shop, **more: str) -> dict[str, str]:
    python = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default", "PYTHONDONTWRITEBYTECODE": "1"}
    return prompt_context(shop.folder) | {"ENGRAM_VAULT": str(shop.vault)} | python | more


def run(
    shop: Shop, *arguments: str, data: bytes = b"", more: dict[str, str] | None = None, **how: Any
) -> tuple[int, bytes, bytes]:
    """Exit code and streams of `engram ARGUMENTS`."""
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if "stdin" not in how:
        how["input"] = data
    done = subprocess.run(
        [sys.executable, "-c", PATIENT, *arguments],
        **({"cwd": shop.folder, "env": environment(shop, **(more or {}))} | streams | how),
        check=False, timeout=60,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_process_says_what_the_function_says(shop: Shop) -> None:
    expected, _ = hook(shop, "prompt", PROMPT)
    assert expected
    assert run(shop, "hook", "prompt", data=PROMPT) == (0, expected.encode(), b"")
    # through the command line as well, and with options of a later version
    through = ("--vault", "vault", "hook", "prompt", "--of-a-later-version")
    assert run(shop, *through, data=PROMPT) == (0, expected.encode(), b"")


@pytest.mark.parametrize("changed", [{}, {"ENGRAM_HOME": ""}], ids=["home", "no home"])
def test_hook_loads_nothing_heavy(changed: dict[str, str], shop: Shop) -> None:
    """All events in one process: what any of them loaded would be there after the last."""
    script = (
        "import os, sys\n"
        "from engram.surfaces.hooks.process import respond\n"
        f"for event in {EVENTS[1:]!r}:\n"
        "    respond([event], lambda: sys.argv[1].encode(), os.environ)\n"
        f"sys.argv = ['engram', 'hook', {EVENTS[0]!r}]\n"
        "end = os._exit\n"
        "def tell(code):\n"
        f"    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
        "    end(code)\n"
        "os._exit = tell\n"
        "from engram.surfaces.entry import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, PROMPT.decode()], input=PROMPT,
        env=environment(shop) | changed, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.stderr.splitlines()[-1] == b"[]"


def test_disabled_hook_loads_nothing(shop: Shop) -> None:
    script = (
        "import os, sys\n"
        "sys.argv = ['engram', 'hook', 'prompt']\n"
        "end = os._exit\n"
        "def tell(code):\n"
        "    print([name for name in sys.modules if name.startswith('engram.')], file=sys.stderr)\n"
        "    end(code)\n"
        "os._exit = tell\n"
        "from engram.surfaces.entry import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment(shop, ENGRAM_DISABLE="1"),
        stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.stderr == b"['engram.surfaces', 'engram.surfaces.entry']\n"
    assert (done.returncode, done.stdout) == (0, b"")
    assert hook(shop, "prompt", PROMPT, more={"ENGRAM_DISABLE": "1"}) == ("", [])
    assert hook(shop, "prompt", PROMPT, more={"ENGRAM_DISABLE": "0"})[0] != ""


INPUTS = (
    b"", b"garbage", b"{", b"[]", b'"x"', b"null", b"\xff\xfe\x00", b"[" * 100_000,
    b'{"prompt": 1, "cwd": [], "transcript_path": {}, "hook_event_name": null}',
    b'{"prompt": "\\ud800", "cwd": "\\u0000", "transcript_path": "/\\u0000/x"}',
    b'{"prompt": "' + b"x " * 1000 + b'", "cwd": "' + b"/x" * 5000 + b'"}',
)  # fmt: skip


@pytest.mark.parametrize("event", EVENTS)
def test_hook_says_nothing_or_answers_whatever_it_is_given(event: str, shop: Shop) -> None:
    def check(data: bytes) -> None:
        out, complaints = hook(shop, event, data)
        assert len(complaints) <= 1
        if out:
            json.loads(out)
            assert event == "session-start"

    assert not failing(INPUTS, check)


def test_hook_names_garbage_on_stdin(shop: Shop) -> None:
    assert hook(shop, "prompt", b"garbage") == ("", ["engram hook prompt: BadInput"])
    said = run(shop, "hook", "session-start", data=b"x" * (MOST_BYTES + 70_000))
    assert said == (0, b"", b"engram hook session-start: BadInput\n")


@pytest.mark.skipif(os.name == "nt", reason="a shell of another kind")
def test_hook_with_closed_streams_ends_well(shop: Shop) -> None:
    for streams in ("<&-", "<&- >&- 2>&-"):
        script = f'exec "{sys.executable}" -m engram hook prompt {streams}'
        done = subprocess.run(
            ["sh", "-c", script], cwd=shop.folder, env=environment(shop), capture_output=True,
            check=False, timeout=60,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_hook_with_a_full_output_ends_well(shop: Shop) -> None:
    with open("/dev/full", "wb") as full:
        code, _, err = run(shop, "hook", "prompt", data=PROMPT, stdout=full)
    assert (code, err) == (0, b"")


def test_hook_does_not_wait_for_a_host_that_keeps_stdin_open(shop: Shop) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "engram", "hook", "prompt"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env=environment(shop), cwd=shop.folder,
    )  # fmt: skip
    with process:
        assert process.wait(timeout=60) == 0
        assert process.stdout is not None and process.stdout.read() == b""


def test_hook_of_an_unknown_event_is_no_failure(shop: Shop) -> None:
    for options in ((), ("--of-a-later-version",)):
        ran = shop.run("hook", "post-everything", *options, stdin=PROMPT)
        told = "note: engram knows no hook 'post-everything'\n"
        assert (ran.code, ran.out, ran.err) == (0, "", told)


# -- vaults and catalogs ---------------------------------------------------------------------------


def break_catalog(shop: Shop, data: bytes) -> None:
    for path in (shop.folder / "home" / "cache").glob("*/catalog.sqlite"):
        path.write_bytes(data)


BREAKS: dict[str, Callable[[Shop], object]] = {
    "no vault": lambda shop: shutil.rmtree(shop.vault),
    "no cache": lambda shop: shutil.rmtree(shop.folder / "home" / "cache"),
    "damaged": lambda shop: break_catalog(shop, b"SQLite format 3\0" + b"\x7f" * 50_000),
    "empty": lambda shop: break_catalog(shop, b""),
    "text": lambda shop: break_catalog(shop, b"no database at all, whatever its name says"),
    "no header": lambda shop: (shop.vault / "engram.toml").write_text("format = 'x'"),
    "settings": lambda shop: (shop.folder / "home" / "config.toml").write_text("recall = ["),
    "registry": lambda shop: (shop.folder / "home" / "vaults.json").write_text("[{]"),
}


@pytest.mark.parametrize("what", BREAKS)
def test_hook_counts_what_is_broken_and_says_nothing(what: str, shop: Shop) -> None:
    BREAKS[what](shop)
    counted = []
    for event in EVENTS:
        out, complaints = hook(shop, event, PROMPT)
        assert out == ""
        asks = event in ("session-start", "prompt")
        if asks or what not in ("no cache", "damaged", "empty", "text"):
            assert len(complaints) == 1
            counted.append(event)
    log = (shop.folder / "home" / "hooks" / "trouble.jsonl").read_text("utf-8")
    assert [json.loads(line)["event"] for line in log.splitlines()] == counted


def test_next_command_mends_a_broken_catalog(shop: Shop) -> None:
    break_catalog(shop, b"no database")
    assert hook(shop, "prompt", PROMPT)[0] == ""
    shop.run("status")
    assert hook(shop, "prompt", PROMPT)[0] != ""


def test_hook_reads_a_locked_vault(shop: Shop) -> None:
    with open(shop.vault / "state" / "lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert hook(shop, "prompt", PROMPT)[0] != ""
        assert hook(shop, "session-end", PROMPT) == ("", [])


def test_hook_with_a_bug_says_nothing(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(process, "_respond", bug)
    assert hook(shop, "prompt", PROMPT) == ("", ["engram hook prompt: ZeroDivisionError"])


def test_hook_works_without_a_state_folder(shop: Shop) -> None:
    (shop.folder / "home" / "hooks").write_text("a file where a folder should be")
    assert hook(shop, "prompt", b"x") == ("", ["engram hook prompt: BadInput"])
