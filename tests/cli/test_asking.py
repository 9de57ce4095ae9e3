"""A question: what is a yes, and an interrupt that no read notices."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from engram.surfaces.cli.asking import agreed

ANSWERS = {
    b"y\n": True, b"YES\r\n": True, b" yes \n": True, b"y": True,
    b"": False, b"\n": False, b"n\n": False, b"yep\n": False, b"\xff\n": False, b"\ny\n": False,
}  # fmt: skip


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Where to write what the person types."""
    theirs, ours = os.pipe()
    with open(theirs, encoding="utf-8") as stdin, open(ours, "wb", buffering=0):
        monkeypatch.setattr(sys, "stdin", stdin)
        yield ours


@pytest.mark.parametrize(("typed", "yes"), ANSWERS.items())
def test_only_a_yes_is_a_yes(
    typed: bytes, yes: bool, tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = tmp_path_factory.mktemp("typed") / "typed"
    path.write_bytes(typed)
    with open(path, encoding="utf-8") as real:
        for stdin in (real, io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8")):
            monkeypatch.setattr(sys, "stdin", stdin)
            assert agreed("really?") is yes
            assert capsys.readouterr() == ("", "really? [y/N]\n")


def test_a_question_takes_one_line_and_leaves_the_signals_as_they_were(typing: int) -> None:
    os.write(typing, b"y\nn\ny\n")
    assert [agreed("really?") for _ in range(3)] == [True, False, True]
    assert signal.set_wakeup_fd(-1) == -1


@pytest.mark.parametrize("half", [b"", b"y"])
def test_an_interrupt_that_no_read_notices_ends_the_waiting(half: bytes, typing: int) -> None:
    """Given to another thread, it interrupts no read of this one: as if it came just before."""
    os.write(typing, half)
    ended, answered = threading.Event(), threading.Event()

    def interrupt() -> None:
        time.sleep(0.2)  # until the answer is waited for
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        if not ended.wait(10):
            answered.set()
            os.write(typing, b"\n")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            agreed("really?")
        assert not answered.is_set()
    finally:
        ended.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


def test_a_signal_that_ends_nothing_does_not_answer(typing: int) -> None:
    heard: list[int] = []

    def answer(number: int, _: object) -> None:
        heard.append(number)
        if len(heard) == 2:
            os.write(typing, b"y\n")

    before = signal.signal(signal.SIGALRM, answer)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    try:
        assert agreed("really?")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(heard) >= 2
