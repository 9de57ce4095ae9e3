"""Promotion of the memory contract: asked for in words, and judged by the preset `contract`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engram.language.promotion_hints import promotion_hint
from engram.model.promotion import promotion_code
from tests.conformance.contract_functions import contract_policy


def _promotion(given: dict[str, Any]) -> dict[str, Any]:
    authority = given["authority"]
    spaces = given["from_space"], given["to_space"]
    code = promotion_code(contract_policy(), *spaces, given["event_type"], authority)
    # the part of the rule that decided; a pair without a rule has none
    rule = None if code == "promotion_disallowed" else code.removeprefix("promotion_")
    return {
        "allowed": code == "allowed", "reason": code, "authority_used": authority, "rule": rule,
    }  # fmt: skip


def _promotion_hint(given: dict[str, Any]) -> dict[str, str] | None:
    found = promotion_hint(given["text"])
    return None if found is None else {"target_space": found.space, "reason": found.code}


FUNCTIONS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "promotion": _promotion,
    "promotion_hint": _promotion_hint,
}
