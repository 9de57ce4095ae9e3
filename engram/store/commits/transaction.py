"""Transaction file: a Plan as JSON and back, with the SHA-256 of every file before and after.

One file a transaction, `state/pending/<n>.json` while it is applied and `state/journal/YYYY-MM/`
afterwards. Guarantees: bytes survive (UTF-8 text as text, anything else as base64), the same plan
gives the same bytes. A file that does not decode raises StorageError; a purged body decodes as
`purged`, never as something else.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engram.model.change import Change, Event, Plan, Range, Transaction
from engram.model.errors import StorageError
from engram.model.numbering import MOST
from engram.model.text import sha256_bytes

_RANGES = ("ack", "dead", "requeue", "withdraw", "readmit")
_PURGED = {"purged": True}


@dataclass(frozen=True, slots=True)
class Purged(Change):
    """A change whose bodies were purged: the path and the fact that it happened remain.

    `after` is what is left of another page that showed the purged memory.
    """


def encode(transaction: Transaction) -> bytes:
    """A transaction as the bytes of its file: sorted keys, one line feed at the end."""
    plan = transaction.plan
    row: dict[str, Any] = {
        "format": 1,
        "n": transaction.number,
        "time": transaction.time,
        "kind": plan.kind,
        "changes": [_encode_change(change) for change in plan.changes],
        "events": [[event.name, event.subject, dict(event.details)] for event in plan.events],
    }
    for name in _RANGES:
        if ranges := getattr(plan, name):
            row[name] = [list(pair) for pair in ranges]
    if plan.seen:
        row["seen"] = [_encode_change(change) for change in plan.seen]
    if plan.batch:
        row["batch"] = plan.batch
    if plan.undoes:
        row["undoes"] = list(plan.undoes)
    if transaction.left:
        row["left"] = list(transaction.left)
    if transaction.tick:
        row["tick"] = transaction.tick
    if transaction.policy:
        row["policy"] = transaction.policy
    if transaction.chain:
        row["chain"] = transaction.chain
    # a line for each value: readable and diffable, and the fast encoder still does it
    text = json.dumps(row, ensure_ascii=False, separators=(",\n", ": "), sort_keys=True)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def decode(data: bytes, path: str = "") -> Transaction:
    """The bytes of a transaction file -> Transaction; raises StorageError when they are not one."""
    try:
        row = json.loads(data.decode("utf-8", "surrogatepass"))
        if row["format"] != 1:
            raise ValueError(f"format {row['format']}")
        ranges = {name: _decode_ranges(row.get(name, ())) for name in _RANGES}
        plan = Plan(
            kind=row["kind"],
            changes=tuple(_decode_change(change) for change in row["changes"]),
            events=tuple(
                [
                    Event(name, subject, tuple(details.items()))
                    for name, subject, details in row["events"]
                ]
            ),
            seen=tuple(_decode_change(change) for change in row.get("seen", ())),
            batch=row.get("batch", ""),
            undoes=tuple(row.get("undoes", ())),
            **ranges,
        )
        found = Transaction(
            row["n"], row["time"], plan, tuple(row.get("left", ())),
            row.get("tick", 0), row.get("policy", ""), row.get("chain", ""),
        )  # fmt: skip
        if not _is_typed(found):
            raise ValueError("a value is of the wrong type")
        # a number that no clock can have reached is nobody's tick
        return found if 0 <= found.tick < MOST else found._replace(tick=0)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise StorageError(
            f"the transaction file {path} cannot be read: {error}",
            "restore it from a backup; `engram doctor` lists what depends on it",
        ) from error


def _is_typed(transaction: Transaction) -> bool:
    """Whether every field has its type: a vault may come from anywhere."""
    plan = transaction.plan
    heads = (transaction.time, plan.kind, plan.batch, transaction.policy, transaction.chain)
    texts: list[object] = [*heads, *transaction.left]
    for change in (*plan.changes, *plan.seen):
        texts += (change.path, change.why)
    for name, subject, _ in plan.events:
        texts += (name, subject)
    texts += [value for *_, details in plan.events for _, value in details]
    numbers = (transaction.number, transaction.tick, *plan.undoes)
    return set(map(type, texts)) == {str} and set(map(type, numbers)) == {int}


def purged(transaction: Transaction, paths: Sequence[str]) -> Transaction:
    """The same transaction without the bodies of these paths."""
    unwanted = frozenset(paths)

    def emptied(change: Change) -> Change:
        if change.path not in unwanted:
            return change
        return Purged(change.path, None, None, change.why)

    return _with_changes(transaction, emptied)


def rewritten(
    transaction: Transaction,
    concerned: Callable[[str], bool],
    rewrite: Callable[[str, bytes], bytes],
) -> Transaction:
    """The same transaction with other bodies at the paths concerned; it can still be undone."""

    def other(change: Change) -> Change:
        if not concerned(change.path):
            return change
        before, after = (
            None if body is None else rewrite(change.path, body)
            for body in (change.before, change.after)
        )
        return replace(change, before=before, after=after)

    return _with_changes(transaction, other)


def _with_changes(transaction: Transaction, make: Callable[[Change], Change]) -> Transaction:
    plan = transaction.plan
    changes, seen = tuple(map(make, plan.changes)), tuple(map(make, plan.seen))
    return transaction._replace(plan=plan._replace(changes=changes, seen=seen))


def _encode_change(change: Change) -> dict[str, Any]:
    row: dict[str, Any] = {"path": change.path}
    if isinstance(change, Purged):
        row |= _PURGED | ({"why": change.why} if change.why else {})
        return row | ({} if change.after is None else {"after": _encode_body(change.after)})
    row["before"] = _encode_body(change.before)
    row["after"] = _encode_body(change.after)
    if change.why:
        row["why"] = change.why
    return row


def _decode_change(row: dict[str, Any]) -> Change:
    if row.get("purged"):
        return Purged(row["path"], None, _decode_body(row.get("after")), row.get("why", ""))
    before, after = _decode_body(row["before"]), _decode_body(row["after"])
    return Change(row["path"], before, after, row.get("why", ""))


def _encode_body(body: bytes | None) -> dict[str, str] | None:
    if body is None:
        return None
    try:
        return {"sha256": sha256_bytes(body), "text": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"sha256": sha256_bytes(body), "base64": base64.b64encode(body).decode("ascii")}


def _decode_body(row: dict[str, str] | None) -> bytes | None:
    if row is None:
        return None
    body = row["text"].encode("utf-8") if "text" in row else base64.b64decode(row["base64"])
    if sha256_bytes(body) != row["sha256"]:
        raise ValueError("a body does not match its SHA-256")
    return body


def _decode_ranges(rows: Sequence[Sequence[int]]) -> tuple[Range, ...]:
    return tuple((int(first), int(last)) for first, last in rows)
