"""One hook as a process: from its arguments to its end, within a time limit and without errors.

Guarantees: whatever goes wrong (no JSON, no vault, a damaged catalog, a bug) the answer is nothing
and the exit code 0, because a host may take anything else for a veto; a hook that is not done in
time is ended by its own timer; failures are counted in the user's state folder, by name. What is
given is noted in the access log; where that fails it is given all the same.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from engram.model.errors import EngramError
from engram.surfaces.hooks.agents import (
    PRE_COMPACT,
    PROMPT,
    SESSION_END,
    SESSION_START,
    agent_of,
    reader_of,
)

if TYPE_CHECKING:
    from engram.surfaces.hooks.agents import Agent
    from engram.surfaces.hooks.context_block import ContextSource
    from engram.surfaces.hooks.host_protocol import HookCall

FOR_HOSTS = frozenset({SESSION_START, PROMPT, PRE_COMPACT, SESSION_END})
#: time limit, seconds, and how many of it a hook has that answers nothing; a host waits longer
DEADLINE, _PATIENCE = 1.0, 2
#: set to 1, nothing is noted, counted or started, and who is too slow says so (`hook_trial`)
DRY_RUN, TOO_SLOW = "ENGRAM_HOOK_DRY_RUN", "TooSlow"
#: the hosts' names of the events that are answered
_HOST_EVENTS = {SESSION_START: ("SessionStart",), PROMPT: ("UserPromptSubmit", "BeforeAgent")}
_PIECE = 1 << 16


def serve(arguments: Sequence[str]) -> NoReturn:
    """Run one hook as this process, and end it."""
    # also when SQLite or a pipe does not return; nothing here leaves anything half done
    # the end of a session is told once: on a busy machine its notice is worth waiting for
    patience = 1 if arguments[0] in _HOST_EVENTS else _PATIENCE
    timer = threading.Timer(patience * DEADLINE, _too_late, (arguments[0],))
    timer.daemon = True
    timer.start()
    started: list[Callable[[], None]] = []
    said = respond(arguments, _stdin, os.environ, later=started.append)
    with suppress(OSError):
        _print(said)
    for start in started:
        start()
    os._exit(0)


def _too_late(event: str) -> None:
    # not for a host, which may have stopped reading
    if is_dry_run(os.environ):
        _complain(f"engram hook {event}: {TOO_SLOW}")
    os._exit(0)


def is_dry_run(environment: Mapping[str, str]) -> bool:
    """Whether a hook is only tried."""
    return environment.get(DRY_RUN, "0") not in ("", "0")


def respond(
    arguments: Sequence[str],
    read: Callable[[], bytes],
    environment: Mapping[str, str],
    complain: Callable[[str], None] | None = None,
    later: Callable[[Callable[[], None]], object] = lambda start: None,
) -> str:
    """The output of one hook. `arguments` are its event and options; never raises an Exception.

    `later` is given what starts a catch-up, where one is wanted once the host has its answer.
    """
    if environment.get("ENGRAM_DISABLE", "0") not in ("", "0"):
        return ""
    deadline = time.monotonic() + DEADLINE

    def failed(error: Exception) -> None:
        code = error.code if isinstance(error, EngramError) else type(error).__name__
        (complain or _complain)(f"engram hook {arguments[0]}: {code}")
        with suppress(Exception):
            if not is_dry_run(environment):
                _count(arguments[0], code, environment)

    try:
        chosen = _vault(arguments[1:])
        return _respond(arguments[0], chosen, read(), environment, deadline, failed, later)
    except Exception as error:  # noqa: BLE001 - a hook must not fail its host
        failed(error)
        return ""


def _respond(
    event: str, chosen: str, data: bytes, environment: Mapping[str, str], deadline: float,
    failed: Callable[[Exception], None], later: Callable[[Callable[[], None]], object],
) -> str:  # fmt: skip
    # imported here: a failing import is counted like any other error
    from engram.settings.paths import places_of
    from engram.surfaces.hooks import context_block
    from engram.surfaces.hooks.given_log import note_given
    from engram.surfaces.hooks.host_protocol import answer, asked_of

    asked = asked_of(data)
    places = places_of(environment)
    source = context_block.source_of(chosen, asked, environment, places)
    if source is None:
        return ""
    notes = not is_dry_run(environment)

    def attempt(work: Callable[[], object]) -> None:
        """What is found is given all the same."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - a hook must not fail its host
            failed(error)

    def learn() -> None:
        if (start := _catch_up(event, source, environment)) is not None:
            later(partial(attempt, start))

    if event not in _HOST_EVENTS:
        if notes:
            _notify(event, asked, source, agent_of(asked.transcript, environment, places.home))
            learn()
        return ""
    # a host calls the first hook of a session before there is a transcript
    agent = agent_of(asked.transcript, environment, places.home, planned=True)
    reader = reader_of(agent, asked.session)
    if event == SESSION_START:
        if notes:
            attempt(learn)  # of the sessions before: this one has said nothing yet
            # no hook tells the end of a session that is killed
            attempt(partial(_notify, event, asked, source, agent))
        from engram.surfaces.hooks.earlier_block import earlier_block

        earlier = earlier_block(asked, environment, places.home)
        context = context_block.at_session_start(source, asked, deadline, reader, earlier)
    else:
        context = context_block.beside_a_prompt(source, asked, deadline, reader)
    if notes:
        attempt(partial(note_given, context, source, event, reader))
    names = _HOST_EVENTS[event]
    return answer(context.text, asked.host_event if asked.host_event in names else names[0])


def _notify(event: str, asked: HookCall, source: ContextSource, agent: Agent | None) -> None:
    """Record a transcript that lies in its agent's own folder; any other path is ignored.

    What is excluded is not recorded: the path tells the folder.
    """
    if agent is None or source.leaves_out(asked.transcript) or source.leaves_out(asked.folder):
        return
    from engram.daemon.spool import TranscriptNotice, spool

    path = os.path.realpath(asked.transcript)
    notice = TranscriptNotice(source.now, event, agent.name, path, str(source.root))
    spool(source.places.state_dir, notice)


def _catch_up(
    event: str, source: ContextSource, environment: Mapping[str, str]
) -> Callable[[], None] | None:
    """What starts a catch-up, where one is wanted."""
    from engram.surfaces.hooks.background import is_wanted, start

    if not (source.known and is_wanted(event, source.root, source.places.state_dir)):
        return None
    return partial(start, source.root, environment)


def _vault(options: Sequence[str]) -> str:
    """The value of `--vault`, wherever it stands; other options are for later versions."""
    found = ""
    for at, option in enumerate(options):
        if option == "--vault" and at + 1 < len(options):
            found = options[at + 1]
        elif option.startswith("--vault="):
            found = option.partition("=")[2]
    return found


def _count(event: str, code: str, environment: Mapping[str, str]) -> None:
    from engram.daemon.spool import record_failure
    from engram.settings.paths import places_of
    from engram.store.base.clock import clock_of

    state = places_of(environment).state_dir
    record_failure(state, clock_of(environment).now(), event, code)


def _stdin() -> bytes:
    from engram.surfaces.hooks.host_protocol import MOST_BYTES

    pieces: list[bytes] = []
    size = 0
    while size <= MOST_BYTES and (piece := os.read(0, _PIECE)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _print(text: str) -> None:
    rest = memoryview(text.encode("ascii"))
    while rest:
        rest = rest[os.write(1, rest) :]


def _complain(line: str) -> None:
    with suppress(OSError):
        os.write(2, line.encode("ascii", "replace") + b"\n")


def in_this_process(arguments: Sequence[str]) -> str:
    """The same for a caller that continues afterwards: streams of Python, no timer."""
    stdin = sys.stdin
    return respond(
        arguments,
        lambda: stdin.buffer.read() if stdin is not None else b"",
        os.environ,
        lambda line: print(line, file=sys.stderr),
    )
