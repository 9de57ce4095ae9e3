"""What goes wrong is said in one `error:` and one `hint:` line, with the exit code of design 6."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engram.store.base import layout
from tests.cli.shop import Shop
from tests.golden.console import Ran
from tests.kit import tree_digest


def refused(ran: Ran, code: int, *, says: str = "") -> None:
    """Whether a run ended as an error shall end, and its error line says this."""
    assert ran.code == code, (ran.out, ran.err)
    assert ran.out == ""
    lines = ran.err.splitlines()
    kinds = [line.partition(": ")[0] for line in lines]
    assert kinds.count("error") == kinds.count("hint") == 1, ran.err
    assert kinds[-2:] == ["error", "hint"]
    assert says in lines[-2], lines[-2]
    assert all(line.partition(": ")[2].strip() for line in lines[-2:])
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("says", "arguments"),
    [
        ("there is no command `serach`; did you mean `search`?", ["serach", "x"]),
        ("there is no command `x`", ["x"]),
        ("there is no option --frob", ["--frob"]),
        ("there is no option --frob", ["list", "--frob"]),
        ("missing argument", ["show"]),
        ("missing argument", ["import"]),
        ("extra argument", ["list", "everything"]),
        ("not in the range", ["log", "--limit", "0"]),
        ("not a valid integer", ["search", "x", "--limit", "many"]),
        ("it is empty", ["--vault", "", "list"]),
        ("needs a value", ["recall", "x", "--budget"]),
        ("requires an argument", ["list", "--vault"]),
        ("is no day", ["today", "--day", "2026-02-30"]),
        ("is no day", ["today", "--day", "20260306"]),
        ("is no day", ["list", "--since", "2026-3-6"]),
        ("is no day", ["list", "--before", "2026-00"]),
        ("is not one of", ["list", "--category", "wish"]),
        ("is not one of", ["remember", "x", "--category", "wish"]),
        ("missing command", ["config"]),
        ("there is no command `get`", ["config", "get"]),
    ],
)
def test_a_mistake_in_the_arguments_ends_with_2(
    says: str, arguments: list[str], same_shop: Shop
) -> None:
    refused(same_shop.run(*arguments), 2, says=says)


@pytest.mark.parametrize(
    ("says", "arguments"),
    [
        ("does not exist", ["--vault", "nowhere", "list"]),
        ("is no vault", ["--vault", "empty", "list"]),
        ("is not a folder", ["--vault", "chat.jsonl", "list"]),
        ("there is no memory 'x'", ["show", "x"]),
        ("there is no memory ''", ["why", ""]),
        ("there is no memory '#abcdef'", ["links", "#abcdef"]),
        ("there is no memory, turn or conversation 'x'", ["forget", "x"]),
        ("there is no memory 'x'", ["restore", "x"]),
        ("there is no memory, turn or conversation 'x'", ["purge", "x", "--yes"]),
        ("there is no transaction 99", ["undo", "99"]),
        ("there is no change '²'", ["undo", "²"]),
        ("there is no change '99999999999999999999'", ["undo", "99999999999999999999"]),
        ("there is no change 'import-9'", ["undo", "import-9", "--dry-run"]),
        ("not a regular expression", ["grep", "("]),
        ("not a regular expression", ["grep", "[[:alpha:]-\\d]{9,1}"]),
        ("takes too long to match", ["grep", "(\\w|.)*\\d$"]),
        ("unknown source: 'smoke'", ["import", "smoke", "chat.jsonl"]),
        ("unknown source: 'smoke'", ["import", "smoke"]),
        ("cannot read nowhere", ["import", "jsonl", "nowhere"]),
        ("not a file", ["import", "jsonl", "/dev/null"]),
        ("there are no jsonl transcripts", ["import", "jsonl"]),
        ("there are no transcripts in empty", ["import", "auto", "empty"]),
        ("is no vault", ["trust", "empty"]),
        ("does not exist", ["trust", "nowhere"]),
        ("is a file", ["init", "chat.jsonl"]),
        ("cannot make", ["init", "chat.jsonl/vault"]),
        ("is not a folder", ["capture", "--follow", "nowhere"]),
        ("there is nothing to remember", ["remember", " "]),
        ("not confirmed", ["purge", "decision"]),
        ("unknown key", ["config", "set", "x", "1"]),
        ("must be", ["config", "set", "recall.limit", "0"]),
    ],
)
def test_what_cannot_be_done_ends_with_1(says: str, arguments: list[str], same_shop: Shop) -> None:
    (same_shop.folder / "empty").mkdir(exist_ok=True)
    before = tree_digest(same_shop.vault)
    refused(same_shop.run(*arguments), 1, says=says)
    assert tree_digest(same_shop.vault) == before


def test_an_ambiguous_name_is_refused_with_examples(shop: Shop) -> None:
    shop.run("remember", "--category", "decision", "The logo is blue.")
    ran = shop.run("show", "decision")
    refused(ran, 1, says="could be 2 memories")
    assert ran.err.count("decision-2026030") == 2


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.jsonl", b""),
        ("blank.jsonl", b"\n\n \n"),
        ("binary.jsonl", bytes(range(256)) * 40),
        ("utf16.jsonl", "\ufeff{}\n".encode("utf-16-le")),
        ("other.jsonl", b'{"a": 1}\n[1, 2]\n"x"\n7\nnull\n'),
        ("torn.jsonl", b'{"role": "user", "content": "half'),
        ("deep.jsonl", b"[" * 100_000 + b"\n"),
    ],
)
def test_a_file_that_holds_no_turns_is_counted_and_adds_nothing(
    name: str, data: bytes, shop: Shop
) -> None:
    shop.write(name, data)
    for source in ("jsonl", "claude-code"):
        ran = shop.run("import", source, name)
        if not data or data.startswith(b'{"role"'):
            assert (ran.code, ran.out) == (0, "nothing new in 1 file\n")
        else:
            refused(ran, 1, says=f"{name} holds no conversation of {source}")


def test_text_that_is_not_utf_8_is_taken_in_without_a_word(shop: Shop) -> None:
    shop.write("latin.txt", "Die T\xfcr ist blau.\n".encode("latin-1"))
    assert shop.run("import", "text", "latin.txt").code == 0
    assert "ist blau." in shop.run("grep", "blau").out


# -- a vault that cannot be used ---------------------------------------------------------------


def test_without_a_vault_the_hint_says_how_to_make_one(shop: Shop) -> None:
    shop.environment.clear()
    shop.environment["ENGRAM_HOME"] = str(shop.folder / "another")
    ran = shop.run("list")
    refused(ran, 1, says=f"{shop.folder}/engram does not exist")
    assert "`engram init " in ran.err


@contextmanager
def held(lock: Path) -> Iterator[None]:
    """The writer lock in another process's hands: a descriptor of its own is as good as one."""
    handle = os.open(lock, os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(handle)


@pytest.mark.parametrize(
    "arguments", [["remember", "x is y"], ["undo"], ["forget", "decision"], ["extract"]]
)
def test_a_locked_vault_is_not_written(arguments: list[str], shop: Shop) -> None:
    shop.environment["ENGRAM_STORE_LOCK_TIMEOUT_SECONDS"] = "0"
    with held(shop.vault / layout.LOCK):
        refused(shop.run(*arguments), 3, says="another process has been writing")
    assert shop.run(*arguments).code == 0


@pytest.mark.parametrize("arguments", [["list"], ["search", "writers"], ["status"], ["log"]])
def test_a_locked_vault_is_read(arguments: list[str], shop: Shop) -> None:
    expected = shop.run(*arguments)
    shop.environment["ENGRAM_STORE_LOCK_TIMEOUT_SECONDS"] = "0"
    with held(shop.vault / layout.LOCK):
        assert shop.run(*arguments) == expected


READ = (["list"], ["search", "writers"], ["grep", "writers"], ["show", "decision"], ["status"])
WRITE = (
    ["remember", "x is y"], ["import", "jsonl", "chat.jsonl"], ["capture", "-"], ["extract"],
    ["forget", "decision"], ["undo"], ["purge", "decision", "--yes"], ["retry"],
)  # fmt: skip


def test_a_newer_vault_is_read_and_not_written(shop: Shop) -> None:
    config = shop.vault / layout.CONFIG
    config.write_text(config.read_text("utf-8").replace("format = 1", "format = 2"), "utf-8")
    before = tree_digest(shop.vault)
    for arguments in READ:
        ran = shop.run(*arguments)
        assert ran.code == 0 and ran.out, ran.err
    assert "of a newer engram: read only" in " ".join(shop.run("status").out.split())
    for arguments in WRITE:
        ran = shop.run(*arguments)
        refused(ran, 1, says="was written by a newer engram")
        assert "upgrade engram" in ran.err
    assert tree_digest(shop.vault) == before


def test_an_unregistered_vault_is_searched_and_not_written(shop: Shop) -> None:
    (shop.folder / "home" / "vaults.json").unlink()
    before = tree_digest(shop.vault)
    for arguments in READ:
        assert shop.run(*arguments).code == 0
    for arguments in WRITE:
        refused(shop.run(*arguments), 1, says="is not registered on this machine")
    refused(shop.run("recall", "writers"), 1, says="not given to agents")
    assert tree_digest(shop.vault) == before


@pytest.mark.parametrize(
    "damage",
    [b"format = ", b"\xff\xfe", b"[[[[", b"format = 1\nid = 7\n", b"format = 1\nvault = 3\n"],
)
def test_a_damaged_engram_toml_is_named(damage: bytes, shop: Shop) -> None:
    (shop.vault / layout.CONFIG).write_bytes(damage)
    for arguments in (["list"], ["remember", "x is y"], ["doctor"], ["config", "show"]):
        refused(shop.run(*arguments), 1, says="engram.toml")


# -- a disk that refuses -----------------------------------------------------------------------


@contextmanager
def disk_that(monkeypatch: pytest.MonkeyPatch, code: int) -> Iterator[None]:
    """A disk that takes no bytes, and no new names, with an error of the system."""

    def refuse(*_: object, **__: object) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        for name in ("write", "fsync", "fdatasync", "mkdir", "link", "rename", "replace"):
            patch.setattr(os, name, refuse)
        yield


@pytest.mark.parametrize(
    ("code", "says"), [(errno.ENOSPC, "disk is full"), (errno.EROFS, "permission")]
)
@pytest.mark.parametrize("arguments", (*WRITE[:6], ["init", "new"]), ids=lambda words: words[0])
def test_a_disk_that_takes_nothing_is_an_error_and_not_a_bug(
    code: int, says: str, arguments: list[str], shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = shop.folder / "more.jsonl"
    more.write_bytes(b'{"role": "user", "content": "The oven has two doors."}\n')
    arguments = ["import", "jsonl", "more.jsonl"] if arguments[0] == "import" else arguments
    before = shop.run("list", "--json").out
    with disk_that(monkeypatch, code):
        ran = shop.run(*arguments, stdin=more.read_bytes())
    if arguments[0] == "extract":
        assert ran.code == 0  # there is nothing pending, so nothing to be written
    else:
        refused(ran, 1)
        assert says in ran.err or os.strerror(code) in ran.err
    assert shop.run("list", "--json").out == before
    assert shop.run(*arguments, stdin=more.read_bytes()).code == 0
    assert shop.run("doctor").out == "all is well\n"


@pytest.mark.parametrize(
    ("told", "code", "arguments"),
    [
        ("NOT_FOUND", 1, ["show", "x", "--json"]),
        ("NOT_FOUND", 1, ["--json", "undo", "99"]),
        ("INPUT_ERROR", 1, ["--json", "grep", "("]),
        ("USAGE_ERROR", 2, ["--json", "show"]),
        ("USAGE_ERROR", 2, ["list", "--json", "--since", "2026-3-6"]),
        ("USAGE_ERROR", 2, ["list", "--since", "2026-3-6", "--json"]),
        ("USAGE_ERROR", 2, ["serach", "x", "--json"]),
        ("USAGE_ERROR", 2, ["config", "--frob", "--json"]),
    ],
)
def test_an_error_is_one_object_for_programs(
    told: str, code: int, arguments: list[str], same_shop: Shop
) -> None:
    ran = same_shop.run(*arguments)
    assert ran.code == code
    said = json.loads(ran.out)
    assert (said["code"], set(said)) == (told, {"code", "message", "hint"})
    assert ran.err.splitlines()[-2:] == [f"error: {said['message']}", f"hint: {said['hint']}"]


def test_an_error_without_json_is_told_on_stderr_alone(same_shop: Shop) -> None:
    assert same_shop.run("--json", "list").code == 0
    refused(same_shop.run("show", "x"), 1)
