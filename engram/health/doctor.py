"""Doctor: what a check of the vault collected -> findings, each with one fix.

Pure: it takes an `Examination` of plain values that `queries.checks` collects, and judges. A clean
vault has no finding; `error` means that a promise is not kept, `warning` that a person should look.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engram.model.findings import Finding, in_order


@dataclass(slots=True)
class Examination:
    """State of a vault, collected without judging.

    `problems` are unreadable or doubtful files by path; `no_memories` are the kinds of notes that
    are none, by path; `refused` what was not read, and why;
    `damaged_transactions` are files of the journal by path; `stuck` is why nothing can be written;
    `unguarded` are ignore files, each with a folder that it should leave out and does not; `left`
    is what the inbox does not take, and why; `records` are files of records by path, with what of
    them is not as their schema says; `missing_sources` are the memories that summaries tell of and
    that are not there, by path; `phases` are what of phases.md is no phase, and why; `policy` is
    why a policy file is not understood, and how to mend that; `idle_policy` are the places of
    values of the vault that have no effect, by key; `sharing` is how vault and registry differ on
    its being shared, and how to mend that; `unfollowed` are the program's files with links to names
    that files had before.
    """

    problems: Mapping[str, str] = field(default_factory=dict)
    no_memories: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    conflict_copies: Sequence[str] = ()
    pending_transactions: int = 0
    stale_views: Sequence[str] = ()
    missing_transactions: Sequence[int] = ()
    damaged_transactions: Mapping[str, str] = field(default_factory=dict)
    stuck: str = ""
    damaged_lines: int = 0
    dead_turns: int = 0
    unsettled: int = 0
    index_reason: str = ""
    exposed: Sequence[str] = ()
    unguarded: Sequence[tuple[str, str]] = ()
    left: Mapping[str, str] = field(default_factory=dict)
    records: Mapping[str, str] = field(default_factory=dict)
    secrets: Sequence[str] = ()
    missing_sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    phases: Sequence[str] = ()
    policy: tuple[str, str] | None = None
    idle_policy: Mapping[str, str] = field(default_factory=dict)
    sharing: tuple[str, str] | None = None
    unfollowed: Sequence[str] = ()


#: as many files of a kind are named
_MOST_TOLD = 3
_TRAVELS = {
    "state": "which is the history of this machine alone",
    "inbox": "where files lie as they were dropped, with what is secret or private in them",
}


def diagnose(seen: Examination) -> list[Finding]:
    """Every finding, errors first, in a stable order."""
    return in_order([*_transactions(seen), *_files(seen), *_prompt_context(seen), *_policy(seen)])


def _transactions(seen: Examination) -> Iterator[Finding]:
    if seen.pending_transactions:
        yield Finding(
            "error", "pending_transaction", "state/pending",
            f"{seen.pending_transactions} committed transactions are not applied",
            "any writing command finishes them: run `engram extract`",
        )  # fmt: skip
    if seen.stuck:
        yield Finding(
            "error", "stuck", "state", f"nothing can be written: {seen.stuck}",
            "mend that first; until then the vault can only be read",
        )  # fmt: skip
    for path, problem in seen.damaged_transactions.items():
        yield Finding(
            "error", "damaged_transaction", path, problem,
            "restore it from a backup; without it, what it did is not known and cannot be undone",
        )  # fmt: skip
    for number in seen.missing_transactions:
        yield Finding(
            "warning", "missing_transaction", str(number),
            f"transaction {number} is not in the journal: it cannot be undone",
            "restore state/journal from a backup, or go on without it",
        )  # fmt: skip
    if seen.damaged_lines:
        yield Finding(
            "error", "damaged_turns", "state/turns",
            f"{seen.damaged_lines} lines of the turn journal are damaged",
            "restore state/turns from a backup; the transcripts still show what was said",
        )  # fmt: skip
    for path in seen.stale_views:
        yield Finding(
            "error",
            "stale_view",
            path,
            f"{path} is not what the vault says",
            "run `engram rebuild`",
        )
    if seen.unsettled:
        yield Finding(
            "warning", "unsettled_edits", "facts",
            f"{seen.unsettled} hand edits are not taken up yet", "run `engram doctor` again",
        )  # fmt: skip


def _files(seen: Examination) -> Iterator[Finding]:
    duplicates = {path: why for path, why in seen.problems.items() if why.startswith("the id ")}
    for path, problem in list(duplicates.items())[:_MOST_TOLD]:
        yield Finding(
            "error", "duplicate_id", path, f"{path}: {problem}",
            "give one of the two files another id, or remove it",
        )  # fmt: skip
    if len(duplicates) > _MOST_TOLD:
        rest = list(duplicates)[_MOST_TOLD:]
        yield Finding(
            "error", "duplicate_id", rest[0],
            f"{len(rest):,} more files have the id of another one",
            "remove the folder that is a copy; or give its files other ids",
        )  # fmt: skip
    for problem, paths in _by_value(seen.problems, without=duplicates):
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        yield Finding(
            "warning", "header", paths[0], f"{paths[0]}{more}: {problem}",
            "mend the header in an editor; the text is searchable meanwhile",
        )  # fmt: skip
    for kind, paths in _by_value(seen.no_memories):
        what = f"{len(paths):,} files are" if len(paths) > 1 else "a file is"
        yield Finding(
            "warning", "no_memory", paths[0],
            f"{what} left as no memory ({kind}): {', '.join(paths[:_MOST_TOLD])}"
            + (" ..." if len(paths) > _MOST_TOLD else ""),
            "nothing needs doing; outside facts/ they are told of no more",
        )  # fmt: skip
    for path, problem in seen.records.items():
        yield Finding(
            "warning", "record", path, f"{path}: {problem}",
            "mend it in an editor if you like; it is read as far as that is sure",
        )  # fmt: skip
    for path, names in seen.missing_sources.items():
        shown = ", ".join(names[:3])
        yield Finding(
            "warning", "missing_source", path, f"{path} tells of what is not there: {shown}",
            f"`engram restore {names[0]}` brings it back; or remove its lines in an editor",
        )  # fmt: skip
    for path, problem in seen.refused.items():
        yield Finding("error", "unreadable", path, problem, "check the file's type, owner and mode")
    for problem in seen.phases:
        yield Finding(
            "warning", "phases", "phases.md", f"phases.md: {problem}",
            "mend that line in an editor; `engram phases list` shows the phases there are",
        )  # fmt: skip
    for path in seen.conflict_copies:
        if path.startswith("state/"):
            yield Finding(
                "warning", "state_travels", path, f"{path}: two machines write to one state/",
                "take state/ out of what is synced (README.md of the vault); then remove this file",
            )  # fmt: skip
            continue
        yield Finding(
            "warning", "conflict_copy", path, f"{path} was left by a sync tool and is not indexed",
            "run `engram conflicts`; what that leaves is to be compared, then removed",
        )  # fmt: skip
    for path in seen.unfollowed:
        yield Finding(
            "warning", "links", path, f"{path} has a link to the name that a file had before",
            "run `engram consolidate`: links follow a renamed file",
        )  # fmt: skip
    for path in seen.secrets:
        yield Finding(
            "error", "secret", path, f"{path} holds something that looks like a secret",
            "run `engram purge --secrets`: it puts a mark in its place, in copies of the past too",
        )  # fmt: skip


def _by_value(
    found: Mapping[str, str], without: Container[str] = ()
) -> Iterator[tuple[str, list[str]]]:
    """What is said of several paths, once each, with all of them."""
    paths: dict[str, list[str]] = {}
    for path, what in found.items():
        if path not in without:
            paths.setdefault(what, []).append(path)
    yield from paths.items()


def _prompt_context(seen: Examination) -> Iterator[Finding]:
    if seen.dead_turns:
        yield Finding(
            "warning", "dead_letter", "state/dead-letter",
            f"{seen.dead_turns} turns failed to be extracted and are put aside",
            "run `engram retry`",
        )  # fmt: skip
    if seen.index_reason:
        yield Finding(
            "warning", "index", "index", f"the index is not usable: {seen.index_reason}",
            "run `engram rebuild`; until then search reads the files",
        )  # fmt: skip
    for name, folder in seen.unguarded:
        yield Finding(
            "warning", f"{folder}_travels", name,
            f"{name} does not leave out {folder}/, {_TRAVELS[folder]}",
            f"run `echo {folder} >> {name}` in its folder, as a new vault has it",
        )  # fmt: skip
    for path, reason in seen.left.items():
        yield Finding(
            "warning", "inbox", path, f"{path} is not taken in: {reason}",
            "mend it, or move it out of inbox/",
        )  # fmt: skip
    for path in seen.exposed:
        yield Finding(
            "warning", "exposed", path, f"{path} can be read by other people on this machine",
            f"run `chmod go-rwx {path}`",
        )  # fmt: skip


def _policy(seen: Examination) -> Iterator[Finding]:
    if seen.sharing is not None:
        message, fix = seen.sharing
        yield Finding(
            "error", "sharing", "engram.toml",
            f"no agent is given anything of it, and it takes no conversation: {message}", fix,
        )  # fmt: skip
    if seen.policy is not None:
        message, fix = seen.policy
        yield Finding(
            "error", "policy", "policy.toml",
            f"nothing is learnt, and no agent is given anything: {message}", fix,
        )  # fmt: skip
    for key, place in seen.idle_policy.items():
        yield Finding(
            "warning", "idle_policy", key,
            f"{place}: {key} has no effect: a vault only makes stricter, and yours is as strict",
            "take the line out; `engram policy show` says what holds",
        )  # fmt: skip
