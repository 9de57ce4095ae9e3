"""The command line as a process of its own: streams, signals, users and limits are real."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shop import Shop
from tests.golden.console import prompt_context

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "engram"]


def environment(shop: Shop, **more: str) -> dict[str, str]:
    """What a process on this shop sees."""
    seen = prompt_context(shop.folder) | shop.environment
    # without it, warnings of Python itself (an unclosed file, a failed flush) would show
    # a limited process would leave half a compiled module behind
    python = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default", "PYTHONDONTWRITEBYTECODE": "1"}
    return seen | python | more


def start(
    shop: Shop, *arguments: str | bytes, more: dict[str, str] | None = None, **how: Any
) -> Any:
    """Start `engram ARGUMENTS` in the shop's folder, both streams piped if not told otherwise."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    around = {"cwd": shop.folder, "env": environment(shop, **(more or {}))}
    return subprocess.Popen([*COMMAND, *arguments], **around | streams | how)


def finish(process: Any) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, (out or b"").decode("utf-8"), (err or b"").decode("utf-8")


def test_a_process_says_what_the_function_says(shop: Shop) -> None:
    for arguments in (["list"], ["search", "writers", "--json"], ["show", "x"], ["x"], ["--help"]):
        ran = shop.run(*arguments)
        assert finish(start(shop, *arguments)) == (ran.code, ran.out, ran.err)


def test_a_reader_that_goes_away_is_no_error(shop: Shop) -> None:
    process = start(shop, "show", "decision", "--json")
    process.stdout.close()
    process.stdout = None
    assert finish(process) == (0, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [["list"], ["show", "decision", "--json"], ["--help"]])
def test_an_output_that_takes_nothing_is_an_error(arguments: list[str], shop: Shop) -> None:
    with open("/dev/full", "wb") as full:
        code, _, err = finish(start(shop, *arguments, stdout=full))
    assert code == 1, err
    assert err.splitlines()[-2].startswith("error: the output cannot be written: ")
    assert err.splitlines()[-1].startswith("hint: ")
    assert "Exception ignored" not in err and "Traceback" not in err


def test_closed_streams_are_nowhere(shop: Shop) -> None:
    """As `engram remember ... >&- 2>&- <&-` in a shell, or a service without a terminal."""
    words = " ".join([*map(str, COMMAND), "remember The logo is blue."])
    subprocess.run(
        ["sh", "-c", f"exec {words} <&- >&- 2>&-"],
        cwd=shop.folder,
        env=environment(shop),
        check=True,
    )
    assert "The logo is blue." in shop.run("list").out


def test_a_locale_without_letters_breaks_nothing(shop: Shop) -> None:
    more = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    code, _, err = finish(start(shop, "remember", "The café is at Østergade 3.", more=more))
    assert code == 0, err
    assert "Østergade" in shop.run("list").out
    assert "Østergade" in finish(start(shop, "list", more=more))[1]


def test_arguments_of_any_bytes_break_nothing(shop: Shop) -> None:
    for arguments in (
        ["search", b"\xff\xfe"],
        ["show", b"\xed\xa0\x80"],
        ["import", "text", b"\xff"],
    ):
        code, _, err = finish(start(shop, *arguments))
        assert code in (0, 1) and "Traceback" not in err, err


def test_a_working_directory_that_is_gone_breaks_nothing(shop: Shop) -> None:
    gone = shop.folder / "gone"
    gone.mkdir()
    vault = f"--vault={shop.vault}"
    script = f'rmdir "{gone}"; exec "$@"'
    for words, expected in ((["list", vault], 0), (["list"], 1), (["config", "path"], 0)):
        shop.environment.clear()
        process = start(shop, cwd=gone, more={}) if not words else subprocess.Popen(
            ["sh", "-c", script, "sh", *COMMAND, *words], cwd=gone, env=environment(shop),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        code, _, err = finish(process)
        assert code == expected and "Traceback" not in err, err
        gone.mkdir(exist_ok=True)


def test_an_interrupt_at_the_question_keeps_the_memory(shop: Shop) -> None:
    # what a shell runs in its background ignores interrupts, and so does all that it starts
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = start(shop, "purge", "decision", stdin=subprocess.PIPE, preexec_fn=heed)
    asked = b""
    while b"[y/N]" not in asked:
        asked += process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=60)  # before its input is closed: an end of input is an answer too
    code, out, err = finish(process)
    assert (code, out) == (130, "")
    assert err.strip() == "interrupted; what was captured before is kept"
    assert "decision-" in shop.run("list").out


@pytest.mark.parametrize("limit", [0, 3_000, 50_000])
def test_a_limit_on_the_size_of_files_is_an_error_and_loses_nothing(limit: int, shop: Shop) -> None:
    """As a full disk, also for the catalog, whose writing is not Python's."""
    more = "".join(
        f'{{"role": "user", "content": "Shelf {number} holds flour, {"and rye " * 30}"}}\n'
        for number in range(200)
    )
    shop.write("more.jsonl", more)
    before = shop.run("list", "--json").out

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    process = start(shop, "import", "jsonl", "more.jsonl", preexec_fn=limited)
    code, _, err = finish(process)
    assert code == 1, err
    assert [line.partition(": ")[0] for line in err.splitlines()[-2:]] == ["error", "hint"]
    assert "Traceback" not in err
    assert shop.run("list", "--json").out == before
    assert shop.run("import", "jsonl", "more.jsonl").code == 0
    assert shop.run("doctor").out == "all is well\n"
    assert '"turns": 203' in shop.run("status", "--json").out


# -- files that a mode protects ----------------------------------------------------------------


@pytest.fixture
def how() -> dict[str, Any]:
    """How to start a process for which modes of files count: root gives up its power over them."""
    if os.geteuid() != 0:
        return {}
    if sys.platform != "linux":
        pytest.skip("root may read and write everything here")
    call = ctypes.CDLL(None).prctl

    def humbled() -> None:
        for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            assert call(24, capability, 0, 0, 0) == 0  # PR_CAPBSET_DROP

    return {"preexec_fn": humbled}


@pytest.mark.parametrize(
    "closed", ["vault", "vault/state", "vault/facts", "vault/engram.toml", "home"]
)
def test_what_may_not_be_read_is_an_error_and_nothing_changes(
    closed: str, shop: Shop, how: dict[str, Any]
) -> None:
    before = shop.run("list", "--json").out
    path = shop.folder / closed
    mode = path.stat().st_mode
    path.chmod(0)
    for arguments in (["remember", "The logo is blue."], ["search", "writers"], ["list"]):
        code, _, err = finish(start(shop, *arguments, **how))
        assert code in (0, 1) and "Traceback" not in err, err
        if code:
            assert [line.partition(": ")[0] for line in err.splitlines()[-2:]] == ["error", "hint"]
    path.chmod(mode)
    after = finish(start(shop, "list", "--json", **how))[1]
    if closed != "vault/facts":
        assert after == before
    assert set(_ids(before)) <= set(_ids(after))


@pytest.mark.parametrize("shut", ["vault", "vault/state", "vault/facts"])
def test_what_may_not_be_written_is_an_error_and_can_be_searched(
    shut: str, shop: Shop, how: dict[str, Any]
) -> None:
    folder = shop.folder / shut
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        path.chmod(0o500)
    code, _, err = finish(start(shop, "remember", "The logo is blue.", **how))
    if code:
        assert (code, err.splitlines()[-2][:6]) == (1, "error:"), err
    code, out, err = finish(start(shop, "search", "writers", **how))
    assert (code, out[:8]) == (0, "memories"), err
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        path.chmod(0o700)
    code, out, err = finish(start(shop, "doctor", **how))
    assert (code, out) == (0, "all is well\n"), err


def _ids(listing: str) -> list[str]:
    return [line for line in listing.splitlines() if line.startswith('    "id"')]
