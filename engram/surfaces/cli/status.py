"""`engram status`: what is captured, pending, refused and put aside."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engram.daemon.catch_up import CaughtUp, last_catch_up, waiting_for
from engram.daemon.spool import hook_failures
from engram.daemon.state.heartbeat import read_heartbeat
from engram.daemon.state.instance_lock import InstanceLock
from engram.model.display import plain
from engram.model.errors import EngramError
from engram.model.refusal_codes import meaning
from engram.model.report import ModelStatus, Status
from engram.model.turn import Waiting
from engram.settings.paths import places_of
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import chosen, common
from engram.surfaces.cli.output import emit_json, line, opened, plural, say, wants_json
from engram.surfaces.cli.shown_times import shown_instant

if TYPE_CHECKING:
    from engram.settings.vaults_read import ReadVault

#: files of the inbox that are named
_NAMED = 3


@click.command("status")
@common
def command() -> None:
    """Counts of memories and turns, what waits for extraction, and what was refused in the last 30
    days, by code: `engram why --refused` tells more. Where agents are given memories of another
    vault than this one, that is said too."""
    with opened() as vault:
        state = vault.status()
        newer = vault.read_only
        left = vault.left_in_inbox()
    own, problem, beside = _own()
    folder = places_of(os.environ).state_dir
    failed, log = hook_failures(folder)
    grown, caught = waiting_for(folder, str(state.vault)), last_catch_up(folder)
    holder = InstanceLock(folder).holder()
    if wants_json():
        agents = shapes.vaults_of_agents(own, problem, beside)
        emit_json(shapes.status(state, failed, bool(holder), grown, caught, left) | agents)
        return
    note = "  (not registered: read only)" if not state.trusted else ""
    # a path is copied whole
    say(f"vault      {state.vault}{'  (of a newer engram: read only)' if newer else note}")
    if state.shares and state.trusted:
        served = ", ".join(state.served) or "nobody yet"
        line(f"shared     {state.shares} memories, with {served}")
    if state.sharing_problem:
        line(f"shared     not read: {state.sharing_problem}")
    if problem is not None:
        line(f"own vault  agents are given nothing: {problem} (fix: {problem.hint})")
    elif own != state.vault:
        say(f"own vault  {own}")
    if beside:
        names = ", ".join(f"{one.label} ({', '.join(one.spaces)})" for one in beside)
        line(f"beside     agents in this folder are also given of {names}")
    if state.policy_problem:
        line(f"policy     not understood, nothing is learnt or given: {state.policy_problem}")
    kinds = ", ".join(f"{count:,} {status}" for status, count in state.memories.items()) or "none"
    line(f"memories   {kinds}")
    if any(state.tiers.values()):
        tiers = ", ".join(f"{count:,} {tier}" for tier, count in state.tiers.items() if count)
        line(f"tiers      {tiers}")
    if state.to_review:
        wait = plural(state.to_review, "memory waits", "memories wait")
        line(f"review     {wait} for you: `engram review`")
    _say_records(state)
    line(f"turns      {state.turns:,} in {plural(state.transcripts, 'conversation')}")
    line(f"pending    {plural(state.pending, 'turn')}")
    if grown:
        wait = plural(grown, "transcript of an agent waits", "transcripts of agents wait")
        line(f"noted      {wait}: `engram hook catch-up` takes in what is new at once;")
        line("           the next session, or the daemon, does it by itself")
    for waiting in state.waiting:
        turns = plural(waiting.turns, "turn")
        since = f"{shown_instant(waiting.oldest)}{_why(waiting)}"
        line(f"           {waiting.transcript}: {turns} since {since}")
    if any(waiting.reason and not waiting.attempts for waiting in state.waiting):
        line("           `engram extract --rules` reads them without a model")
    if left:
        files = plural(len(left), "file is", "files are")
        shown = ", ".join(sorted(left)[:_NAMED])
        line(f"inbox      {files} not taken in: {shown}; `engram doctor` says why")
    if state.dead_letter:
        line(f"dead       {plural(state.dead_letter, 'turn')}; `engram retry` queues them again")
    index = state.index
    held = f"{plural(index.memories, 'memory', 'memories')}, {plural(index.turns, 'turn')}"
    made = f"generation {index.generation} by {index.made_by}" if index.generation else index.reason
    line(f"index      {held}; {made or 'in memory'}")
    if state.vectors is not None:
        made = plural(state.vectors.memories, "memory", "memories")
        line(f"vectors    {made}, {plural(state.vectors.turns, 'turn')} by {state.vectors.model}")
    if (run := state.last_run) is not None:
        steps = sum(count for _, counts in run.steps for _, count in counts)
        done = f"{plural(steps, 'step')} of consolidation at {shown_instant(run.time)}"
        line(f"last run   {done}: `engram log {run.number}`")
    if state.model is not None:
        _say_model(state.model)
    _say_daemon(folder, holder)
    if caught is not None:
        _say_caught_up(caught)
    for code, count in sorted(state.refused.items()):
        line(f"refused    {count:,} {code}: {meaning(code)}")
    for code, count in sorted(state.failures.items()):
        line(f"failed     {count:,} {code}")
    if failed:
        line(f"hooks      {plural(failed, 'hook')} of agents failed; {log} says why")


def _own() -> tuple[str, EngramError | None, tuple[ReadVault, ...]]:
    """The person's own vault, why agents are given nothing of it, and what is read beside it."""
    from engram.settings.vault_folders import is_shared, own_vault
    from engram.settings.vaults_read import own_entry, read_by_agents

    places, named = places_of(os.environ), chosen().vault
    if named and is_shared(Path(named).expanduser(), os.environ):
        named = ""  # whoever asks for its state does not call it their own
    own = os.path.realpath(own_vault(named, os.environ).expanduser())
    try:
        entry = own_entry(named, os.environ, places)
    except EngramError as error:
        return own, error, ()
    return own, None, read_by_agents(entry, str(Path().absolute()), places)[1:]


def _say_records(state: Status) -> None:
    """How many records of each schema there are, and which of them are worth a look."""
    if not state.records:
        return
    shown = ", ".join(f"{one.live:,} {name}" for name, one in state.records.items())
    line(f"records    {shown}")
    for name, counts in state.records.items():
        if counts.often_updated:
            often = plural(counts.often_updated, "record")
            line(f"           {name}: {often} changed more than 5 times")
        if counts.retired:
            line(f"           {name}: {counts.retired:,} retired in the last 7 days")
        if counts.many:
            most = "more than `records.most`; retire what is over, or merge what says the same"
            line(f"           {name}: {counts.live:,} are {most}")


def _why(waiting: Waiting) -> str:
    """What pending turns wait for, or how often reading them failed, and when it is tried again."""
    if not waiting.reason:
        return ", for the model" if waiting.for_model else ""
    wanted = "a new budget" if waiting.reason == "budget" else "the model"
    often = f"failed {waiting.attempts}x" if waiting.attempts else f"waits for {wanted}"
    again = f", again at {waiting.retry_at}" if waiting.retry_at else ""
    return f", {often} ({waiting.reason}){again}"


def _say_daemon(folder: Path, holder: int) -> None:
    """Whether somebody captures in the background, and whether that goes well."""
    heartbeat = read_heartbeat(folder)
    if not holder or heartbeat is None:
        line("daemon     not running" if not holder else f"daemon     running (process {holder})")
        return
    failing = f", {plural(len(heartbeat.failing), 'task')} failing" if heartbeat.failing else ""
    paused = f", paused: {', '.join(heartbeat.paused)}" if heartbeat.paused else ""
    since = shown_instant(heartbeat.since)
    line(f"daemon     running since {since}, {heartbeat.queue:,} queued{failing}{paused}")


def _say_caught_up(caught: CaughtUp) -> None:
    """What was last taken in without the daemon, and what could not be."""
    turns, files = plural(caught.turns, "new turn"), plural(caught.files, "transcript")
    learnt = plural(caught.memories, "memory", "memories")
    line(f"caught up  {turns} of {files} at {shown_instant(caught.time)}: {learnt}")
    for path, code in caught.failed.items():
        line(f"           {plain(path)}: {code}")


def _say_model(model: ModelStatus) -> None:
    """Who is asked, and what is left of the day's budget."""
    spent = model.spent
    line(f"model      {', then '.join(model.models)}")
    money = f"${spent.usd:.4f} of ${spent.cap_usd:.2f}"
    line(f"spent      {money} and {spent.tokens:,} of {spent.cap_tokens:,} tokens today (UTC)")
    if spent.exhausted:
        line(
            "           the budget of the day is used up: turns wait until tomorrow, or for"
            " `engram extract --rules`"
        )
    for away in model.away:
        until = shown_instant(away.until)
        line(f"away       {away.provider} ({away.code}), is asked again after {until}")
