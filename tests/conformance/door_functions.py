"""The functions of outside cases that go through a verb of a real vault -> its outcome.

`error` is the code that programs are told, `status` what the verb says that it did.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

from engram.model.errors import EngramError, Locked
from engram.model.instant import plus_minutes
from engram.model.text import sha256_bytes
from engram.store.base.lock import WriterLock
from engram.vault import Vault
from tests.conformance.vaults import NOW, opener

Given = dict[str, Any]
_DECISION: Given = {
    "title": "Use JWT", "tags": ["auth"],
    "content": {
        "status": "accepted", "context": "sessions do not scale", "rationale": ["stateless"],
        "decision": "We use JWT for an hour.",
    },
}  # fmt: skip
_MINUTES = {"s": 1 / 60, "min": 1.0, "h": 60.0, "day": 1440.0, "days": 1440.0}


def _new(vault: Vault, **changed: Any) -> Given:
    """What `engram new` does with the decision, or with another."""
    data = json.dumps(_DECISION | changed).encode("utf-8")
    return _told(lambda: vault.new(data, "decision") and "created")


def _told(act: Callable[[], str]) -> Given:
    try:
        return {"error": None, "exit": 0, "status": act()}
    except EngramError as error:
        return {"error": error.told, "exit": error.exit_code, "status": None}


def _verb(name: str) -> Callable[[Given], Given]:
    """A verb on a memory that is in a state, with how it is found afterwards."""
    done = {"retire": "retired", "archive": "archived", "restore": "restored",
            "unarchive": "unarchived"}[name]  # fmt: skip

    def call(given: Given) -> Given:
        with opener() as at:
            vault, state = at(NOW), given["from"]
            memory = vault.new(json.dumps(_DECISION).encode(), "decision").memory.id
            if state in ("retired", "archived"):
                {"retired": vault.retire, "archived": vault.archive}[state]([memory])
            if state == "missing file":
                memory = "decision-20260306-101000-00000000"

            def act() -> str:
                before = vault.version()
                if name in ("retire", "archive"):
                    {"retire": vault.retire, "archive": vault.archive}[name]([memory])
                else:
                    vault.restore(memory)
                if vault.version() == before:
                    return f"already_{'active' if 'ed' not in state else state}"
                return done

            told = _told(act)
            if state == "missing file":
                return told | {"record_status_after": None, "indexed_after": False}
            found = [hit.id for hit in vault.search("JWT").memories]
            return told | {
                "record_status_after": vault.memory(memory).status,
                "indexed_after": memory in found,
            }

    return call


def _update(given: Given) -> Given:
    with opener() as at:
        vault = at(NOW)
        memory = vault.new(json.dumps(_DECISION).encode(), "decision").memory
        data = (vault.root / vault.memory(memory.id).path).read_bytes()
        told = {"current": sha256_bytes(data), "omitted": ""}.get(given["hash"], given["hash"])
        after = data.replace(b"- stateless", b"- stateless\n- small")
        return _told(lambda: vault.replace_text(memory.id, after, told) and "updated")


def _create_over_active(given: Given) -> Given:
    with opener() as at:
        vault = at(NOW)
        _new(vault)
        if given["same_content"]:
            return _new(vault)
        return _new(vault, content=_DECISION["content"] | {"decision": "We use cookies."})


def _create_over_retired(given: Given) -> Given:
    with opener() as at:
        vault = at(NOW)
        memory = vault.new(json.dumps(_DECISION).encode(), "decision").memory.id
        vault.retire([memory])
        if given["retired_age"] == "retired_at missing":
            file = vault.root / vault.memory(memory).path
            lines = file.read_text("utf-8").splitlines(keepends=True)
            kept = [line for line in lines if not line.startswith("status_since")]
            file.write_text("".join(kept), "utf-8")
            return _new(vault)
        return _new(at(plus_minutes(NOW, _minutes(given["retired_age"]))))


def _minutes(age: str) -> float:
    words = age.split()
    return sum(float(n) * _MINUTES[unit] for n, unit in zip(words[::2], words[1::2], strict=True))


def _create_other_slug(given: Given) -> Given:
    with opener() as at:
        vault = at(NOW)
        vault.retire([vault.new(json.dumps(_DECISION).encode(), "decision").memory.id])
        later = at(plus_minutes(NOW, _minutes(given["retired_age"])))
        return _new(later, id=given["new_slug"], title="Use JWT 2")


def _create_while_lock_held(given: Given) -> Given:
    with opener(**{"store.lock_timeout_seconds": 1}) as at:
        vault, held, over = at(NOW), Event(), Event()

        def hold() -> None:
            with WriterLock(vault.root / "state" / "lock", 1.0).hold():
                held.set()
                over.wait(60)

        holder = Thread(target=hold)
        holder.start()
        held.wait(60)
        try:
            return _new(vault)
        finally:
            over.set()
            holder.join()


def _archive_vs_update(given: Given) -> Given:
    """An update lands while archiving waits: what is archived is what was updated."""
    with opener() as at:
        vault, other = at(NOW), at(NOW)
        memory = vault.new(json.dumps(_DECISION).encode(), "decision").memory.id
        vault.memory(memory)
        data = (other.root / other.memory(memory).path).read_bytes()
        other.replace_text(memory, data.replace(b"stateless", b"small"), sha256_bytes(data))
        vault.archive([memory])
        text = (vault.root / vault.memory(memory).path).read_text("utf-8")
        return {"update_lost": "small" not in text}


def _second_holder(given: Given) -> bool:
    """Whether a second process would get a lock whose owner lives, however old its file is."""
    import os

    with TemporaryDirectory() as folder:
        path = Path(folder) / "lock"
        with WriterLock(path, 1.0).hold():
            old = path.stat().st_mtime - 600
            os.utime(path, (old, old))
            try:
                with WriterLock(path, 1.0).hold(0.0):
                    return True
            except Locked:
                return False


def _cli_create_target(given: Given) -> Given:
    with opener() as at:
        return _new(at(NOW), id=given["target"])


FUNCTIONS: dict[str, Callable[[Given], Any]] = {
    "archive": _verb("archive"),
    "retire": _verb("retire"),
    "delete": _verb("retire"),
    "restore": _verb("restore"),
    "unarchive": _verb("unarchive"),
    "update": _update,
    "create_over_active": _create_over_active,
    "create_over_retired": _create_over_retired,
    "create_other_slug_same_content": _create_other_slug,
    "create_while_lock_held": _create_while_lock_held,
    "archive_vs_update": _archive_vs_update,
    "release_foreign_lock": lambda given: {"lock_of_B_removed": _second_holder(given)},
    "stale_lock_live_owner": lambda given: {"second_holder": _second_holder(given)},
    "cli_create_target": _cli_create_target,
}
