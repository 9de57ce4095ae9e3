"""The memory contract's functions: each calls what a vault runs, under the preset `contract`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from engram.admit.gate.write_policy import evaluate_write
from engram.capture.redact.redactor import Redactor, compile_redactor
from engram.model.plain_view import plain_view
from engram.model.policy import Policy, PromotionRule
from engram.model.write_rules import (
    Attempt,
    is_low_signal,
    read_border,
    write_border,
    write_policy,
)
from engram.settings.load import shipped

_PROMOTED = ("preference", "decision", "fact", "correction")
#: specs of the contract, 2.1
CONTRACT = Policy(
    preset="contract",
    promotion={"profile": ("fact", "correction")},
    write_spaces=("session",),
    promotions=(
        PromotionRule("session", "user", _PROMOTED),
        PromotionRule("session", "project", _PROMOTED, "tool_verified", decision_override=True),
        PromotionRule("user", "project", _PROMOTED),
    ),
    deny_patterns=(
        "password", "secret", "token", "api key", "apikey", "credit card", "ssn",
        "social security", "private key",
    ),
    allow_profile_keys=("name", "timezone", "language", "project", "editor", "units"),
    short_term=2,
)  # fmt: skip


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
    found = evaluate_write(replace(CONTRACT, **named, **single), attempt, texts, _redactor().clean)
    return {"allowed": found.allowed, "reason": found.reason, "tags": list(found.tags)}


def _semantic_attempt(given: dict[str, Any]) -> bool:
    """Whether a text is tried at all: the seed denies at once what says nothing, and context."""
    chosen, text = given["write_policy"], str(given["text"])
    if not text.strip() or is_low_signal(text):
        return False
    attempt = Attempt("session", "semantic", given["event_type"])
    # nothing is kept under `none`, which the seed says with an event, of all but context
    least = "normal" if chosen == "none" else chosen
    return write_policy(replace(CONTRACT, write_policy=least), attempt).passed


def _border(given: dict[str, Any]) -> dict[str, Any]:
    codes = {
        "read": read_border(CONTRACT, given["space"]),
        "write": write_border(CONTRACT, given["space"]),
    }
    return {name: [code == "allowed", code] for name, code in codes.items()}


FUNCTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "evaluate_write": _evaluate_write,
    "semantic_attempt": _semantic_attempt,
    "border": _border,
    "low_signal": lambda given: is_low_signal(given["text"]),
    "plain_view": plain_view,
}
