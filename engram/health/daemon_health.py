"""Judgement of the daemon's state: `DaemonSnapshot` -> findings, each with one fix.

Pure, as `doctor` is: `daemon.inspect` collects, this judges. Without any sign that a daemon was
wanted there is no finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engram.model.findings import Finding


@dataclass(frozen=True, slots=True)
class DaemonSnapshot:
    """State of one user's daemon, as it was found.

    `unit` is the file of the installed service; `unwritable` the registered vaults that it does not
    let the daemon write to; `pid` who holds the lock, with the `version` that it reports, beside
    `ours`. `paused` are sources, or "everything"; `absent` the sources that are to be watched, and
    where each would lie; `exposed` the folders that other users may enter. `left` is what the last
    catch-up could not take in, an error's code by path; `failed_hooks` how many hooks failed, of
    which `hooks_log` tells.
    """

    unit: str = ""
    unwritable: Sequence[str] = ()
    pid: int = 0
    version: str = ""
    ours: str = ""
    paused: Sequence[str] = ()
    absent: Mapping[str, str] = field(default_factory=dict)
    exposed: Sequence[str] = ()
    left: Mapping[str, str] = field(default_factory=dict)
    failed_hooks: int = 0
    hooks_log: str = ""


def attended(seen: DaemonSnapshot) -> Iterator[Finding]:
    """The differences to what the user asked for."""
    if seen.unit and not seen.pid:
        yield Finding(
            "warning", "daemon_down", seen.unit, "the daemon is installed and does not run",
            "`engram daemon start` starts it again; `engram daemon logs` says why it ended",
        )  # fmt: skip
    if seen.pid and seen.version and seen.version != seen.ours:
        yield Finding(
            "warning", "daemon_old", str(seen.pid),
            f"the daemon that is running is engram {seen.version}, this is {seen.ours}",
            "run `engram daemon stop`, then `engram daemon start`",
        )  # fmt: skip
    for path in seen.unwritable:
        yield Finding(
            "warning", "daemon_shut_out", path, f"the service may not write to {path}",
            "run `engram daemon install` again: it lists the vaults that are registered",
        )  # fmt: skip
    for name in seen.paused:
        what = "capture" if name == "everything" else f"capture from {name}"
        words = "resume" if name == "everything" else f"resume {name}"
        yield Finding(
            "warning", "paused", name, f"{what} is paused", f"`engram daemon {words}` goes on"
        )
    for name, place in seen.absent.items():
        why = f"{place} is not there" if place else "there is no folder of such a source"
        yield Finding(
            "warning", "no_source", name, f"{name} is to be watched, and {why}",
            f"run that agent once, or `engram sources --unwatch {name}`",
        )  # fmt: skip
    for path in seen.exposed:
        yield Finding(
            "error", "exposed", path, f"{path} can be entered by other people on this machine",
            f"run `chmod go-rwx {path}`",
        )  # fmt: skip
    for path, code in seen.left.items():
        yield Finding(
            "warning", "not_taken_in", path, f"what agents noted waits, {path} failed: {code}",
            "`engram hook catch-up` tries again, and says why",
        )  # fmt: skip
    if seen.failed_hooks:
        yield Finding(
            "warning", "hooks_failed", seen.hooks_log,
            f"hooks of agents, or what they started, failed {seen.failed_hooks} times",
            f"look into {seen.hooks_log}, and remove it once that is mended",
        )  # fmt: skip
