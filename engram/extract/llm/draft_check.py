"""The second look at drafts: those that would do harm if wrong are shown to a checking model.

Asked about, all in one question, are decisions, constraints, retirements and what its own model was
not sure of. `block` takes a draft out, `advisory` stays with it by code, anything else passes. A
model that gives no answer blocks nothing: that is counted as one fault, `check_failed`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engram.model.errors import BudgetExceeded, ModelError
from engram.model.model_request import Request, fenced, list_of, prompt_of
from engram.model.ports import Model
from engram.model.records_found import ADVISED, BLOCKED, CHECK_FAILED, DraftFound, RecordFault
from engram.model.text import tokens_of

KEY = "checks"
_TEXT = {"type": "string"}
SCHEMA = list_of(KEY, {
    "draft": _TEXT,
    "verdict": {"type": "string", "enum": ["pass", "block", "advisory"]},
    "reason": _TEXT,
})  # fmt: skip
#: always asked about; and below this confidence everything is
_SCHEMAS, _SURE = frozenset({"decision", "constraint"}), 0.5
#: room for the fence, and for what redaction makes longer, tokens
_SPARE_TOKENS = 300
_NAME = re.compile(r"d([1-9]\d?)")


class DraftCheck:
    """The question of one version to one model. Raises ConfigError when `table` is no prompt."""

    def __init__(self, table: Mapping[str, Any], model: Model, max_input_tokens: int) -> None:
        self._version, self._instructions = prompt_of(table, "verify")
        self._model = model
        own = tokens_of(self._instructions) + tokens_of(str(SCHEMA)) + _SPARE_TOKENS
        self._room = max_input_tokens - own

    def request(self, drafts: Sequence[DraftFound], excerpt: str) -> Request:
        """The question about some drafts."""
        told = [_shown(number, one) for number, one in enumerate(drafts, 1)]
        text = "\n\n".join([*told, "Excerpts:", excerpt])
        if tokens_of(text) > self._room:
            # what was said last holds
            spare = len(text.encode("utf-8", "replace")) * self._room // tokens_of(text)
            rest = spare - sum(len(one.encode("utf-8", "replace")) + 2 for one in told) - 20
            kept = excerpt.encode("utf-8", "replace")[-max(rest, 1) :].decode("utf-8", "ignore")
            text = "\n\n".join([*told, "Excerpts:", kept])
        return Request(self._version, self._instructions, fenced(text), SCHEMA, KEY)

    def checked(
        self, drafts: Sequence[DraftFound], excerpt: str
    ) -> tuple[list[DraftFound], list[RecordFault]]:
        """The drafts that may go on, in their order, and the faults of those that may not."""
        asked = [one for one in drafts if _is_asked(one)]
        if not asked:
            return list(drafts), []
        try:
            answer = self._model.ask(self.request(asked, excerpt)).value
        except (ModelError, BudgetExceeded):
            return list(drafts), [RecordFault("", CHECK_FAILED)]
        verdicts = _verdicts(answer, len(asked))
        kept: list[DraftFound] = []
        faults: list[RecordFault] = []
        for one in drafts:
            number = asked.index(one) + 1 if one in asked else 0
            verdict = verdicts.get(number, "")
            if verdict == "block":
                faults.append(RecordFault(one.draft.record.schema, BLOCKED))
            elif verdict == "advisory":
                kept.append(one._replace(advisories=(*one.advisories, ADVISED)))
            else:
                kept.append(one)
        return kept, faults


def _is_asked(one: DraftFound) -> bool:
    draft = one.draft
    risky = draft.record.schema in _SCHEMAS or draft.action == "retire"
    return risky or draft.confidence < _SURE


def _shown(number: int, one: DraftFound) -> str:
    record = one.draft.record
    lines = [f"- {name}: {record.text(name)}" for name, _ in record.values]
    reason = [f"- why: {one.draft.reason}"] if one.draft.reason else []
    return "\n".join([f"[d{number}] {one.draft.action} a {record.schema}", *lines, *reason])


def _verdicts(answer: object, count: int) -> dict[int, str]:
    """The verdict on each draft that the answer names once; of one named twice the stricter."""
    rows = answer.get(KEY) if isinstance(answer, Mapping) else None
    found: dict[int, str] = {}
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, Mapping):
            continue
        match = _NAME.fullmatch(str(row.get("draft", "")).strip(" []"))
        verdict = str(row.get("verdict", "")).strip().casefold()
        if match and int(match[1]) <= count and found.get(int(match[1])) != "block":
            found[int(match[1])] = verdict
    return found
