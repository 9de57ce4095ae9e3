"""The command line as a process of its own: streams and signals are real.

One process for each way in; users and limits are those of this process, for as long as a command
takes, so that the command can run inside it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engram.surfaces.cli.app import main
from tests.cli.shop import Shop
from tests.golden.console import prompt_context, run

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "engram"]


def environment(shop: Shop, **more: str) -> dict[str, str]:
    """What a process on this shop sees."""
    seen = prompt_context(shop.folder) | shop.environment
    # without it, warnings of Python itself (an unclosed file, a failed flush) would show
    python = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default"}
    return seen | python | more


def start(
    shop: Shop, *arguments: str | bytes, more: dict[str, str] | None = None,
    command: list[str] = COMMAND, **how: Any,
) -> Any:  # fmt: skip
    """Start `engram ARGUMENTS` in the shop's folder, both streams piped if not told otherwise."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    around = {"cwd": shop.folder, "env": environment(shop, **(more or {}))}
    return subprocess.Popen([*command, *arguments], **around | streams | how)


def finish(process: Any) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, (out or b"").decode("utf-8"), (err or b"").decode("utf-8")


SCRIPT = [sys.executable, "-c", "from engram.surfaces.entry import main; main()"]


@pytest.mark.parametrize(
    ("command", "arguments"),
    [(COMMAND, ["search", "writers", "--json"]), (SCRIPT, ["show", "x"])],
    ids=["module", "console script"],
)
def test_process_says_what_the_function_says(
    command: list[str], arguments: list[str], shop: Shop
) -> None:
    ran = shop.run(*arguments)
    process = start(shop, *arguments, command=command)
    assert finish(process) == (ran.code, ran.out, ran.err)


def test_output_closed_by_its_reader_is_no_error(shop: Shop) -> None:
    process = start(shop, "show", "decision", "--json")
    process.stdout.close()
    process.stdout = None
    assert finish(process) == (0, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [["list"], ["--help"]])
def test_full_output_is_an_error(arguments: list[str], shop: Shop) -> None:
    with open("/dev/full", "wb") as full:
        code, _, err = finish(start(shop, *arguments, stdout=full))
    assert code == 1, err
    assert err.splitlines()[-2].startswith("error: the output cannot be written: ")
    assert err.splitlines()[-1].startswith("hint: ")
    assert "Exception ignored" not in err and "Traceback" not in err


def test_remember_works_with_all_streams_closed(shop: Shop) -> None:
    """As `engram remember ... >&- 2>&- <&-` in a shell, or a service without a terminal."""
    words = " ".join([*map(str, COMMAND), "remember The logo is blue."])
    subprocess.run(
        ["sh", "-c", f"exec {words} <&- >&- 2>&-"],
        cwd=shop.folder,
        env=environment(shop),
        check=True,
    )
    assert "The logo is blue" in shop.run("list").out


def test_ascii_locale_reads_and_prints_utf8(shop: Shop) -> None:
    more = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    code, _, err = finish(start(shop, "remember", "The café is at Østergade 3.", more=more))
    assert code == 0, err
    assert "Østergade" in finish(start(shop, "list", more=more))[1]


def test_arguments_that_are_no_utf8_are_no_bug(shop: Shop) -> None:
    code, _, err = finish(start(shop, "search", b"\xff\xfe"))
    assert code in (0, 1) and "Traceback" not in err, err
    for arguments in (["show", b"\xed\xa0\x80"], ["import", "text", b"\xff"]):
        assert shop.run(*map(os.fsdecode, arguments)).code in (0, 1)


@pytest.mark.parametrize("words", [["list", "--vault=vault"], ["list"], ["config", "path"]])
def test_a_missing_working_directory_hinders_no_command(words: list[str], shop: Shop) -> None:
    gone = shop.folder / "gone"
    gone.mkdir()
    words = [word.replace("=", f"={shop.folder}/") for word in words]

    def start_there(arguments: list[str]) -> object:
        gone.rmdir()
        return main(arguments)

    ran = run(words, gone, prompt_context(shop.folder), start=start_there)
    assert ran.code == 0, ran.err


def test_process_starts_in_a_missing_working_directory(shop: Shop) -> None:
    gone = shop.folder / "gone"
    gone.mkdir()
    command = ["sh", "-c", f'rmdir "{gone}"; exec "$@"', "sh", *COMMAND]
    vault = f"--vault={shop.vault}"
    code, out, err = finish(start(shop, "list", vault, command=command, cwd=gone))
    assert code == 0 and " decision " in out, err


def test_purge_interrupted_at_its_question_keeps_the_memory(shop: Shop) -> None:
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
    assert " decision " in shop.run("list").out


@pytest.mark.parametrize("limit", [0, 3_000, 50_000])
def test_file_size_limit_is_an_error_and_loses_nothing(limit: int, shop: Shop) -> None:
    """As a full disk, also for the catalog, whose writing is not Python's."""
    more = "".join(
        f'{{"role": "user", "content": "Shelf {number} holds flour, {"and rye " * 30}"}}\n'
        for number in range(200)
    )
    shop.write("more.jsonl", more)
    before = shop.run("list", "--json").out

    was = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, was[1]))
    try:
        ran = shop.run("import", "jsonl", "more.jsonl")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, was)
    assert (ran.code, beginnings(ran.err)) == (1, ["error", "hint"])
    assert shop.run("list", "--json").out == before
    assert shop.run("import", "jsonl", "more.jsonl").code == 0
    assert shop.run("doctor").out == "all is well\n"
    assert '"turns": 203' in shop.run("status", "--json").out


# -- files that a mode protects ----------------------------------------------------------------


def beginnings(err: str) -> list[str]:
    """The first words of the last two lines."""
    return [line.partition(": ")[0] for line in err.splitlines()[-2:]]


class Capabilities(ctypes.Structure):
    """What capget(2) and capset(2) take: the first 32 capabilities, and the others."""

    _fields_ = [
        (f"{kind}{word}", ctypes.c_uint32)
        for word in (0, 1)
        for kind in ("effective", "permitted", "inheritable")
    ]


@pytest.fixture
def without_override() -> Iterator[None]:
    """For this thread modes of files count: root gives up its power over them."""
    if os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root may read and write everything here")
    library = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this thread
    were, fewer = Capabilities(), Capabilities()
    assert library.capget(header, ctypes.byref(were)) == 0
    assert library.capget(header, ctypes.byref(fewer)) == 0
    fewer.effective0 &= ~(1 << 1 | 1 << 2)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    assert library.capset(header, ctypes.byref(fewer)) == 0
    yield
    assert library.capset(header, ctypes.byref(were)) == 0


@pytest.mark.parametrize(
    "closed", ["vault", "vault/state", "vault/facts", "vault/engram.toml", "home"]
)
def test_unreadable_files_are_an_error_and_nothing_changes(
    closed: str, shop: Shop, without_override: None
) -> None:
    before = shop.run("list", "--json").out
    path = shop.folder / closed
    mode = path.stat().st_mode
    path.chmod(0)
    for arguments in (["remember", "The logo is blue."], ["search", "writers"], ["list"]):
        ran = shop.run(*arguments)
        assert ran.code in (0, 1), ran.err
        if ran.code:
            assert beginnings(ran.err) == ["error", "hint"]
    path.chmod(mode)
    after = shop.run("list", "--json").out
    if closed != "vault/facts":
        assert after == before
    assert set(_ids(before)) <= set(_ids(after))


@pytest.mark.parametrize("shut", ["vault", "vault/state", "vault/facts"])
def test_unwritable_files_are_an_error_and_can_be_searched(
    shut: str, shop: Shop, without_override: None
) -> None:
    folder = shop.folder / shut
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        path.chmod(0o500)
    ran = shop.run("remember", "The logo is blue.")
    if ran.code:
        assert (ran.code, beginnings(ran.err)) == (1, ["error", "hint"])
    ran = shop.run("search", "writers")
    assert (ran.code, ran.out[:8]) == (0, "memories"), ran.err
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        path.chmod(0o700)
    assert shop.run("doctor").out == "all is well\n"


def _ids(listing: str) -> list[str]:
    return [line for line in listing.splitlines() if line.startswith('    "id"')]
