"""The memory contract's functions: each calls what a vault runs, under the preset `contract`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from engram.admit.gate.write_policy import evaluate_write
from engram.capture.redact.redactor import Redactor, compile_redactor
from engram.model.authority import Assertion, contest
from engram.model.item import item_id
from engram.model.plain_view import plain_view
from engram.model.policy import Policy
from engram.model.write_rules import (
    Attempt,
    is_low_signal,
    read_border,
    write_border,
    write_policy,
)
from engram.settings.load import shipped
from engram.settings.paths import places_of
from engram.settings.policy_files import load_policy


@cache
def contract_policy() -> Policy:
    """The preset `contract` as it is shipped."""
    with TemporaryDirectory() as folder:
        Path(folder, "policy.toml").write_text('preset = "contract"\n', encoding="utf-8")
        return load_policy(places_of({"ENGRAM_HOME": folder}), None).policy


@cache
def _redactor() -> Redactor:
    return compile_redactor(shipped("redaction"))


def _evaluate_write(given: dict[str, Any]) -> dict[str, Any]:
    lists = ("allow_event_types", "deny_event_types", "deny_patterns")
    named = {name: tuple(given[name]) for name in lists if name in given}
    single = {name: given[name] for name in ("write_policy", "deny_sensitive") if name in given}
    attempt = Attempt(
        "session", given["kind"], given["event_type"], given.get("meta_key", ""),
        low_signal=given.get("low_signal", False),
    )  # fmt: skip
    texts = [given.get("privacy_text", given["text"])]
    found = evaluate_write(
        replace(contract_policy(), **named, **single), attempt, texts, _redactor().clean
    )
    return {"allowed": found.allowed, "reason": found.reason, "tags": list(found.tags)}


def _semantic_attempt(given: dict[str, Any]) -> bool:
    """Whether a text is tried at all: the seed denies at once what says nothing, and context."""
    chosen, text = given["write_policy"], str(given["text"])
    if not text.strip() or is_low_signal(text):
        return False
    attempt = Attempt("session", "semantic", given["event_type"])
    # nothing is kept under `none`, which the seed says with an event, of all but context
    least = "normal" if chosen == "none" else chosen
    return write_policy(replace(contract_policy(), write_policy=least), attempt).passed


def _border(given: dict[str, Any]) -> dict[str, Any]:
    codes = {
        "read": read_border(contract_policy(), given["space"]),
        "write": write_border(contract_policy(), given["space"]),
    }
    return {name: [code == "allowed", code] for name, code in codes.items()}


def _claim(row: dict[str, Any]) -> Assertion:
    since, number = f"{row['created_at']:09d}", item_id(row["id"]) if "id" in row else None
    return Assertion(
        row["authority"], row["correction"], since, row["importance"],
        number.number if number else 0,
    )  # fmt: skip


def _conflict(given: dict[str, Any]) -> dict[str, str]:
    return contest(_claim(given["existing"]), _claim(given["incoming"]))._asdict()


def _conflict_tie(given: dict[str, Any]) -> dict[str, str]:
    sides = ("existing", "incoming")
    both = {name: given[name] for name in ("authority", "correction")}
    rows = [
        both | {name: given[f"{side}_{name}"] for name in ("created_at", "importance", "id")}
        for side in sides
    ]
    return contest(*map(_claim, rows))._asdict()


FUNCTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "evaluate_write": _evaluate_write,
    "semantic_attempt": _semantic_attempt,
    "border": _border,
    "conflict": _conflict,
    "conflict_tie": _conflict_tie,
    "low_signal": lambda given: is_low_signal(given["text"]),
    "plain_view": plain_view,
}
