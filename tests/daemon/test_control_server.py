"""A command that a daemon carries out is the command: same words, same code, done once."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from unittest import mock

import pytest

from engram.daemon.rpc import messages
from engram.daemon.rpc import server as door_module
from engram.daemon.rpc.server import CommandAnswer, CommandRequest, ControlServer
from engram.model.errors import StorageError
from engram.surfaces.cli.app import main
from engram.surfaces.remote.client import HANDED, handed_over, verb_of
from tests.cli.shop import Shop, make_shop
from tests.daemon.control_server import ROOT, door_in
from tests.golden.console import Ran, prompt_context, run
from tests.golden.transcript import HERE, play

_USED = re.compile(r"^\$ .*\bengram (?:--\S+ (?!--)\S+ )*(\S+)", re.MULTILINE)
_HANDED = [
    path.stem
    for path in sorted(HERE.glob("*.eng"))
    if HANDED & set(_USED.findall(path.read_text(encoding="utf-8")))
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path: that of a socket may not be long."""
    with tempfile.TemporaryDirectory(prefix="door-") as name:
        yield Path(name).resolve()


@pytest.fixture
def shop(folder: Path) -> Shop:
    return make_shop(folder)


class Caller:
    """The console script as far as it is this program's: hands a command over, or runs it."""

    def __init__(self) -> None:
        self.handed: list[str] = []

    def __call__(self, arguments: list[str]) -> int:
        code = handed_over(arguments)
        if code is None:
            main(arguments)
        self.handed.append(verb_of(arguments))
        assert code is not None
        return code


def call(shop: Shop, *arguments: str) -> tuple[Ran, bool]:
    """What a command prints, and whether a daemon carried it out."""
    caller = Caller()
    ran = run(arguments, shop.folder, shop.environment, start=caller)
    return ran, bool(caller.handed)


@pytest.fixture
def door(shop: Shop) -> Iterator[BaseProcess]:
    with door_in(prompt_context(shop.folder)) as worker:
        yield worker


def process(shop: Shop, *arguments: str, **more: object) -> subprocess.Popen[str]:
    """The console script as a process."""
    script = "from engram.surfaces.entry import main; main()"
    environment = prompt_context(shop.folder) | shop.environment | {"PYTHONPATH": str(ROOT)}
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments], env=environment, cwd=shop.folder, text=True,
        **given,
    )  # type: ignore[call-overload, no-any-return]  # fmt: skip


# -- the same words ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", _HANDED)
def test_every_transcript_reads_the_same_through_a_daemon(name: str, folder: Path) -> None:
    text = (HERE / f"{name}.eng").read_text(encoding="utf-8")
    caller = Caller()
    with door_in(prompt_context(folder)):
        assert play(text, folder, caller) == text
    assert caller.handed


def test_most_verbs_are_played_in_some_transcript() -> None:
    used = {
        verb
        for path in HERE.glob("*.eng")
        for verb in _USED.findall(path.read_text(encoding="utf-8"))
    }
    assert used >= HANDED


@pytest.mark.parametrize("columns", ["", "40"])
def test_a_terminal_is_the_caller_s(shop: Shop, door: object, columns: str) -> None:
    more = {"TERM": "xterm", "COLUMNS": columns}
    shop.environment |= more

    class Terminal(Caller):
        def __call__(self, arguments: list[str]) -> int:
            sys.stdout.isatty = lambda: True  # type: ignore[method-assign]
            with mock.patch.object(os, "get_terminal_size", lambda _: os.terminal_size((50, 9))):
                sys.stdout.fileno = lambda: 1  # type: ignore[method-assign]
                return super().__call__(arguments)

    class Alone(Terminal):
        def __call__(self, arguments: list[str]) -> int:
            with mock.patch.dict(os.environ, ENGRAM_NO_DAEMON="1"):
                return super().__call__(arguments)

    through, alone = Terminal(), Alone()
    there = run(["search", "writers"], shop.folder, shop.environment, start=through)
    here = run(["search", "writers"], shop.folder, shop.environment, start=alone)
    assert through.handed and not alone.handed
    assert there == here and "\x1b[" in there.out
    assert max(map(len, re.sub(r"\x1b\[\d+m", "", there.out).splitlines()[2:3])) <= 50


def test_what_nobody_reads_or_takes_is_told_as_ever(shop: Shop, door: object) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        for arguments in (["list"], ["remember", "The logo is blue."]):
            ended = process(shop, *arguments, stdout=full)
            _, err = ended.communicate()
            assert (ended.returncode, err.splitlines()) == (1, [
                "error: the output cannot be written: No space left on device",
                "hint: give it another place",
            ])  # fmt: skip
    ours, theirs = os.pipe()
    os.close(ours)
    gone = process(shop, "list", stdout=theirs)
    os.close(theirs)
    assert (gone.communicate()[1], gone.returncode) == ("", 0)


def test_a_folder_within_a_vault_names_it(shop: Shop, door: object) -> None:
    shop.environment.clear()
    # outside of any, the only vault that is registered is meant
    for where in (shop.vault / "facts", shop.folder):
        caller = Caller()
        ran = run(["list", "--json"], where, prompt_context(shop.folder), start=caller)
        assert caller.handed
        assert ran == run(["list", "--json"], where, prompt_context(shop.folder))


def test_what_changes_meanwhile_counts_at_once(shop: Shop, door: object) -> None:
    assert call(shop, "list", "--json")[1]
    fact = next((shop.vault / "facts").rglob("decision*.md"))
    fact.write_text(fact.read_text("utf-8").replace("Postgres", "Zebrafinch"), "utf-8")
    assert "Zebrafinch" in call(shop, "search", "zebrafinch")[0].out
    fact.rename(fact.with_name("moved.md"))
    assert "facts/2026-03-04/moved.md" in call(shop, "search", "zebrafinch")[0].out
    (shop.folder / "home" / "config.toml").write_text("[recall]\nlimit = 1\n", "utf-8")
    assert len(call(shop, "search", "commits", "zebrafinch")[0].out.splitlines()) == len(
        shop.run("search", "commits", "zebrafinch").out.splitlines()
    )
    assert shop.run("remember", "The", "pelican", "is", "grey.").code == 0
    assert "pelican" in call(shop, "search", "pelican")[0].out
    os.rename(shop.vault, shop.folder / "away")
    assert call(shop, "search", "pelican")[0] == shop.run("search", "pelican")
    assert shop.run("init", "vault").code == 0
    assert call(shop, "search", "pelican")[0] == shop.run("search", "pelican")


# -- done here in every doubt ----------------------------------------------------------------------


@contextmanager
def listening(path: str, behave: Callable[[socket.socket], object]) -> Iterator[None]:
    """Something else at the place of the door."""
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def answer() -> None:
            with listener.accept()[0] as caller:
                behave(caller)

        thread = threading.Thread(target=answer)
        thread.start()
        yield
        thread.join()


def hello(caller: socket.socket, *more: bytes) -> None:
    caller.sendall(messages.framed(map(os.fsencode, messages.greeting())))
    messages.receive(caller, 5)
    caller.sendall(b"".join(more))


@pytest.mark.parametrize(
    "behave",
    [
        lambda caller: caller.sendall(messages.framed([b"engram door 1", b"0.0.0", b"/x"])),
        lambda caller: caller.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        lambda caller: time.sleep(0.5),
        lambda caller: None,
        lambda caller: hello(caller, messages.framed([messages.REFUSED])),
        lambda caller: hello(caller),
        lambda caller: hello(caller, messages.framed([messages.DONE, b"0", b"out", b"x"])[:-1]),
    ],
    ids=["other version", "no door", "busy", "closes", "refuses", "dies", "dies while it speaks"],
)
def test_a_question_that_is_not_answered_is_asked_here(
    shop: Shop, behave: Callable[[socket.socket], object]
) -> None:
    with listening(str(shop.folder / "home/daemon/control.sock"), behave):
        ran, handed = call(shop, "search", "writers")
    assert not handed
    assert ran == shop.run("search", "writers")


@pytest.mark.parametrize("variable", ["HOME", "XDG_STATE_HOME", "ENGRAM_NO_DAEMON"])
def test_other_surroundings_are_not_the_daemon_s(shop: Shop, door: object, variable: str) -> None:
    shop.environment[variable] = "1" if variable == "ENGRAM_NO_DAEMON" else str(shop.folder / "x")
    assert not call(shop, "list")[1]


def test_a_vault_that_the_daemon_cannot_open_is_opened_here(shop: Shop, door: object) -> None:
    assert call(shop, "list")[1]
    shop.environment["ENGRAM_VAULT"] = "nowhere"
    for arguments in (["list"], ["remember", "The logo is blue."]):
        ran, handed = call(shop, *arguments)
        assert not handed and ran == shop.run(*arguments) and ran.code == 1


def test_what_asks_reads_or_helps_stays_here(shop: Shop, door: object) -> None:
    for arguments in (
        ["capture", "-"], ["status"], ["purge", "decision", "--yes"], ["search", "--help"],
        ["--version"], [], ["--vault"],
    ):  # fmt: skip
        assert not call(shop, *arguments)[1], arguments


def test_what_may_ask_a_model_stays_here(shop: Shop, door: object) -> None:
    assert call(shop, "recall", "which till?")[1]
    assert not call(shop, "recall", "which till?", "--reason")[1]


def test_a_daemon_that_was_killed_is_not_missed(shop: Shop, door: BaseProcess) -> None:
    assert call(shop, "list")[1]
    door.kill()
    door.join()
    assert Path(shop.folder, "home/daemon/control.sock").is_socket()
    assert not call(shop, "list")[1]
    with door_in(prompt_context(shop.folder)):
        assert call(shop, "list")[1]
    assert not Path(shop.folder, "home/daemon/control.sock").exists()


# -- done once, or not at all ----------------------------------------------------------------------


@pytest.mark.parametrize(("mood", "kept"), [("die before", 0), ("die after", 1)])
def test_a_killed_daemon_never_has_a_change_made_twice(shop: Shop, mood: str, kept: int) -> None:
    with door_in(prompt_context(shop.folder), mood) as worker:
        ran, handed = call(shop, "remember", "The logo is blue.")
        worker.join()
        assert worker.exitcode == -signal.SIGKILL
    assert handed and (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "error: the daemon ended before it said whether that is done\n"
        "hint: `engram log` shows what was done; if it was not, run the command again\n"
    )
    assert shop.run("list").out.count("logo") == kept
    assert shop.run("doctor").code == 0


def test_a_killed_daemon_leaves_a_question_to_the_caller(shop: Shop) -> None:
    with door_in(prompt_context(shop.folder), "die after"):
        ran, handed = call(shop, "search", "writers")
    assert not handed and ran == shop.run("search", "writers")


def test_a_busy_daemon_does_nothing_for_those_who_did_not_wait(shop: Shop) -> None:
    with door_in(prompt_context(shop.folder), "wait"):
        first = process(shop, "remember", "The first logo is blue.")
        time.sleep(0.7)
        ran, handed = call(shop, "remember", "The second logo is green.")
        assert not handed and ran.code == 0
        assert first.communicate()[1] == ""
    assert shop.run("list").out.count("logo is") == 2
    assert shop.run("log").out.count("remember") == 2


def test_eight_at_once_are_all_served(shop: Shop, door: object) -> None:
    words = ("amber", "birch", "cedar", "delta")
    asked = [process(shop, "remember", f"The {word} valve holds 3 bar.") for word in words]
    asked += [process(shop, "search", "writers") for _ in words]
    said = [(one.communicate(), one.returncode) for one in asked]
    assert all(code == 0 and not err for (_, err), code in said)
    assert len({out for (out, _), _ in said[4:]}) == 1
    assert sum(word in shop.run("list", "--limit", "99").out for word in words) == 4
    assert shop.run("doctor").code == 0


# -- who may come in -------------------------------------------------------------------------------


class Silent:
    """A host that is asked nothing, or says one word."""

    def answer(self, request: CommandRequest) -> CommandAnswer | None:
        return CommandAnswer(0, [("out", request.arguments[0])], True)

    def rest(self) -> None:
        pass

    def close(self) -> None:
        pass


def test_the_socket_is_the_user_s_alone(folder: Path) -> None:
    with ControlServer(Silent(), {"ENGRAM_HOME": str(folder)}) as door:
        path = Path(door.path)
        assert stat.S_IMODE(path.lstat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.lstat().st_mode) == 0o700
        with pytest.raises(StorageError, match="another daemon"):
            ControlServer(Silent(), {"ENGRAM_HOME": str(folder)}).open()
    assert not path.exists()


def test_a_folder_that_others_can_use_is_refused(folder: Path) -> None:
    (folder / "daemon").mkdir(mode=0o755)
    with pytest.raises(StorageError, match="others may look into"):
        ControlServer(Silent(), {"ENGRAM_HOME": str(folder)}).open()
    (folder / "daemon").rmdir()
    (folder / "elsewhere").mkdir(mode=0o700)
    (folder / "daemon").symlink_to(folder / "elsewhere")
    with pytest.raises(StorageError, match="no folder of yours"):
        ControlServer(Silent(), {"ENGRAM_HOME": str(folder)}).open()


def test_a_caller_trusts_no_socket_that_another_could_have_made(shop: Shop, door: object) -> None:
    assert call(shop, "list")[1]
    (shop.folder / "home/daemon").chmod(0o770)
    assert not call(shop, "list")[1]


def test_another_user_is_not_heard(folder: Path) -> None:
    with ControlServer(Silent(), {"ENGRAM_HOME": str(folder)}) as door:
        with mock.patch.object(door_module, "_is_ours", lambda _: False):
            assert say(door.path, b"") is None
        assert say(door.path, b"") is not None


def test_the_kernel_says_who_calls() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert door_module._is_ours(ours)
        with mock.patch.object(os, "getuid", lambda: os.geteuid() + 1):
            assert not door_module._is_ours(ours)


def test_a_caller_asks_nobody_but_its_own_user(shop: Shop, door: object) -> None:
    assert call(shop, "list")[1]
    probe = (
        "import os, sys; from engram.surfaces.remote import client\n"
        "client._is_ours = lambda path: True\n"
        "os.getuid = lambda: os.geteuid() + 1\n"
        "sys.exit(client._free_daemon() is not None)"
    )
    environment = prompt_context(shop.folder) | shop.environment | {"PYTHONPATH": str(ROOT)}
    assert (
        subprocess.run([sys.executable, "-c", probe], env=environment, check=False).returncode == 0
    )


def test_a_path_that_is_too_long_is_no_place(folder: Path) -> None:
    deep = {"ENGRAM_HOME": str(folder / ("x" * 100))}
    assert messages.place(deep) == ""
    with pytest.raises(StorageError, match="no place"):
        ControlServer(Silent(), deep).open()


def test_the_place_is_the_session_s_else_the_state_folder() -> None:
    runtime = {"XDG_RUNTIME_DIR": "/run/user/7"}
    assert messages.place(runtime) == "/run/user/7/engram/control.sock"
    assert messages.place({**runtime, "ENGRAM_HOME": "/e"}) == "/e/daemon/control.sock"
    assert messages.place({"XDG_STATE_HOME": "/s"}) == "/s/engram/daemon/control.sock"


# -- what is no request ----------------------------------------------------------------------------


def say(path: str, request: bytes) -> list[bytes] | None:
    """What a door answers to these bytes, the greeting before it when there are none."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(5)
        caller.connect(path)
        try:
            greeting = messages.receive(caller, 5)
            caller.sendall(request)
            caller.shutdown(socket.SHUT_WR)
            return messages.receive(caller, 5) if request else greeting
        except ConnectionError:
            return None


def asked(*fields: str, folder: str = "/", identity: str = "") -> bytes:
    """A request: the fields behind the folder's."""
    seen = identity or messages.identity("/")
    return messages.framed(map(os.fsencode, (folder, seen, *fields)))


@pytest.mark.parametrize(
    "request_",
    [
        b"\n", b"{}\n", b"-1\n", b"1000001\n" + b"x" * 64, b"99999999999999999999\n", b"5\n1:",
        b"3\n9:a", b"3\nx:a", b"3\n:::", asked(), asked("0", "0", "x", "0"),
        asked("0", "0", "0", "1", "word", folder="relative"), b"\xff" * 100,
    ],
)  # fmt: skip
def test_nonsense_is_not_answered_and_does_not_matter(folder: Path, request_: bytes) -> None:
    environment = {"ENGRAM_HOME": str(folder)}
    good = asked("0", "0", "0", "1", "word", f"ENGRAM_HOME={folder}")
    with ControlServer(Silent(), environment) as door:
        assert say(door.path, request_) is None
        assert say(door.path, good) == [messages.DONE, b"0", b"out", b"word"]
        assert say(door.path, good.replace(b"ENGRAM_HOME", b"ENGRAM_HOMX")) == [messages.REFUSED]
        other = asked("0", "0", "0", "0", f"ENGRAM_HOME={folder}", identity="0:0")
        assert say(door.path, other) == [messages.REFUSED]
        nowhere = asked("0", "0", "0", "0", f"ENGRAM_HOME={folder}", folder="/nowhere")
        assert say(door.path, nowhere) == [messages.REFUSED]


def test_a_caller_that_dribbles_its_request_is_left(folder: Path) -> None:
    good = asked("0", "0", "0", "1", "word", f"ENGRAM_HOME={folder}")
    with ControlServer(Silent(), {"ENGRAM_HOME": str(folder)}) as door:
        with socket.socket(socket.AF_UNIX) as slow:
            slow.connect(door.path)
            slow.sendall(b"900000\n")
            with pytest.raises(OSError):
                while True:  # each byte comes long before a single one would be too late
                    slow.sendall(b"x")
                    time.sleep(0.1)
        assert say(door.path, good) == [messages.DONE, b"0", b"out", b"word"]


def test_an_answer_to_a_question_has_its_bounds(folder: Path) -> None:
    class Talker(Silent):
        repeatable = True

        def answer(self, request: CommandRequest) -> CommandAnswer | None:
            return CommandAnswer(0, [("out", "x" * door_module.LARGEST_ANSWER)], self.repeatable)

    host = Talker()
    good = asked("0", "0", "0", "0", f"ENGRAM_HOME={folder}")
    with ControlServer(host, {"ENGRAM_HOME": str(folder)}) as door:
        assert say(door.path, good) == [messages.REFUSED]
        host.repeatable = False
        answer: Sequence[bytes] = say(door.path, good) or []
        assert len(answer) == 4 and len(answer[3]) == door_module.LARGEST_ANSWER


def test_a_caller_who_goes_ends_the_command(folder: Path) -> None:
    seen: list[bool] = []

    class Patient(Silent):
        def answer(self, request: CommandRequest) -> CommandAnswer | None:
            seen.append(request.gone())
            until = time.monotonic() + 5
            while not request.gone() and time.monotonic() < until:
                time.sleep(0.01)
            seen.append(request.gone())
            return None

    with (
        ControlServer(Patient(), {"ENGRAM_HOME": str(folder)}) as door,
        socket.socket(socket.AF_UNIX) as one,
    ):
        one.connect(door.path)
        messages.receive(one, 5)
        one.sendall(asked("0", "0", "0", "0", f"ENGRAM_HOME={folder}"))
        time.sleep(0.3)
        one.close()
    assert seen == [False, True]


def test_a_caller_loads_next_to_nothing(shop: Shop, door: object) -> None:
    probe = (
        "import os, sys\n"
        "real = os._exit\n"
        "os._exit = lambda code: (print(*sys.modules, file=sys.stderr), real(code))\n"
        "from engram.surfaces.entry import main\n"
        "main()\n"
    )
    environment = prompt_context(shop.folder) | shop.environment | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-S", "-c", probe, "search", "writers"], env=environment, cwd=shop.folder,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "Postgres" in done.stdout
    assert not set(done.stderr.split()) & {
        "click", "json", "re", "socket", "typing", "dataclasses", "pathlib", "contextlib", "enum",
        "engram.vault", "engram.model", "engram.settings",
    }  # fmt: skip


# -- the daemon itself -----------------------------------------------------------------------------


def test_a_running_daemon_opens_the_door_and_shuts_it(shop: Shop) -> None:
    socket_file = shop.folder / "home/daemon/control.sock"
    daemon = process(shop, "--vault", "vault", "daemon", "run", stdin=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 30
        while not socket_file.exists() and time.monotonic() < until:
            time.sleep(0.05)
        handed = [call(shop, "remember", f"The {word} logo is blue.")[1] for word in ("old", "new")]
        while not all(handed) and time.monotonic() < until:  # it may be busy with its first look
            handed = [call(shop, "list")[1]]
        assert all(handed)
        assert call(shop, "list")[0] == shop.run("list")
    finally:
        daemon.send_signal(signal.SIGTERM)
        _, err = daemon.communicate(timeout=20)
    assert daemon.returncode == 0, err
    assert not socket_file.exists()
