"""The judge that asks a model where the rules are not sure: many pairs in one bounded question.

Implements the Judge port on top of another judge. Accepts `supersedes` only at high confidence, and
`duplicate` only so and where both have the same numbers and none denies the other; a likely
replacement, and any contradiction, is a suspicion for the person; every other answer, and every
failure, leaves the rules' opinion (seed 004: false negatives preferred). A row counts that names a
pair which was asked by its number and both ids, and is the only one to do so. Never asked: pairs
that the rules decide, that are of two scopes, or that share too little. Of two of one moment only
`duplicate` is believed. Each pair is asked about once, and after a failure nothing more is asked.
Authority counts as for the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engram.admit.judge.rule_judge import comparable, of_one_scope, outranked
from engram.language.denial import is_turned
from engram.language.near_duplicates import LEAST, alike
from engram.language.numerals import has_other_numbers, values_of
from engram.language.paraphrase.phrasing import phrasing
from engram.language.same_subject import subjects_of
from engram.language.wording import telling, terms_of
from engram.model.errors import BudgetExceeded, ModelError
from engram.model.instant import Day, local_day
from engram.model.markdown import neutralise
from engram.model.memory import Memory
from engram.model.model_request import Request, fenced, list_of, prompt_of
from engram.model.ports import Judge, Model
from engram.model.step import Opinion
from engram.model.succession import LOWER_AUTHORITY
from engram.model.text import tokens_of

KEY = "pairs"
#: pairs in one question, and questions that one judge asks, at most
MOST_PAIRS, MOST_QUESTIONS = 20, 10
#: as much of one memory is shown, and of a reason kept, characters
_MOST_TEXT, _MOST_REASON = 1000, 200
#: room for the fence, and for what redaction makes longer, tokens
_SPARE_TOKENS = 300
#: what two texts must share to be worth a question: so many words, or so much of the shorter
_WORDS, _SHARE = 3, 0.5
_RELATIONS = ("supersedes", "contradiction", "duplicate", "complementary", "unrelated")
_TEXT = {"type": "string"}
SCHEMA = list_of(KEY, {
    "pair": {"type": "integer"},
    "older": _TEXT,
    "newer": _TEXT,
    "relation": {"type": "string", "enum": list(_RELATIONS)},
    "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
    "reason": _TEXT,
})  # fmt: skip

Pair = tuple[Memory, Memory]


class ModelJudge:
    """Rules first, then a model."""

    def __init__(
        self, rules: Judge, prompt: Mapping[str, Any], model: Model, most: int,
        timezone: str = "UTC",
    ) -> None:  # fmt: skip
        """`prompt` is config/prompts/judge.toml, `most` the tokens that one question may have.

        A question tells the days of `timezone`. Raises ConfigError when it is no prompt.
        """
        self._version, self._instructions = prompt_of(prompt, "judge")
        self._rules = rules
        self._model = model
        self._room = most - tokens_of(self._instructions) - tokens_of(str(SCHEMA)) - _SPARE_TOKENS
        self._answers: dict[tuple[str, str], Opinion | None] = {}
        self._left = MOST_QUESTIONS
        self._timezone = timezone

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        """The rules' opinion where they are sure, else the model's where it is to be trusted."""
        return self.compare_all([(older, newer)])[0]

    def compare_all(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """The same for many pairs; those to be asked about share questions."""
        opinions = self._rules.compare_all(pairs)
        waiting = {
            _key(pair): pair
            for pair, opinion in zip(pairs, opinions, strict=True)
            if not opinion.sure and _key(pair) not in self._answers and _is_worth_asking(*pair)
        }
        self._ask(list(waiting.values()))
        return [
            opinion if opinion.sure else self._answers.get(_key(pair)) or opinion
            for pair, opinion in zip(pairs, opinions, strict=True)
        ]

    def request(self, pairs: Sequence[Pair]) -> tuple[Request, list[Pair]]:
        """The question about as many of the first pairs as fit, and those pairs."""
        parts: list[str] = []
        room = self._room
        for number, (older, newer) in enumerate(pairs[:MOST_PAIRS], 1):
            first, second = _names(number)
            said = [
                _shown(place, name, memory, local_day(memory.created, self._timezone))
                for place, name, memory in (("older", first, older), ("newer", second, newer))
            ]
            part = "\n".join((f"Pair {number}", *said))
            room -= tokens_of(part) + 1
            if room < 0:
                break
            parts.append(part)
        text = fenced("\n\n".join(parts))
        request = Request(self._version, self._instructions, text, SCHEMA, KEY)
        return request, list(pairs[: len(parts)])

    def _ask(self, waiting: list[Pair]) -> None:
        while waiting and self._left > 0:
            request, asked = self.request(waiting)
            if not asked:
                return
            self._left -= 1
            try:
                answer = self._model.ask(request).value
            except (ModelError, BudgetExceeded):
                self._left = 0  # the usage log has it; nobody who is silent is asked again now
                return
            self._answers |= _opinions(answer, asked)
            waiting = waiting[len(asked) :]


def _key(pair: Pair) -> tuple[str, str]:
    return pair[0].id, pair[1].id


def _names(number: int) -> tuple[str, str]:
    """The ids under which a question shows the memories of a pair: short, and all different."""
    return f"m{2 * number - 1}", f"m{2 * number}"


def _shown(place: str, name: str, memory: Memory, day: Day) -> str:
    text = " ".join(memory.text.split())
    text = text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} [...]"
    return f"- {place} [{name}] {day}, {memory.category}: {text}"


def _is_worth_asking(older: Memory, newer: Memory) -> bool:
    if not of_one_scope(older, newer):
        return False
    if comparable(older, newer):
        held, said = telling(terms_of(older.text)), telling(terms_of(newer.text))
        shared = len(held & said)
        if shared >= _WORDS or (shared and shared >= _SHARE * min(len(held), len(said))):
            return True
        if subjects_of(older) & subjects_of(newer):
            return True
    return alike(phrasing(older.text), phrasing(newer.text)) >= LEAST


def _opinions(answer: object, asked: Sequence[Pair]) -> dict[tuple[str, str], Opinion | None]:
    """What an answer is worth for each pair that was asked; None where the rules stand."""
    rows = answer.get(KEY) if isinstance(answer, dict) else None
    found: dict[int, list[Mapping[str, object]]] = {}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and type(number := row.get("pair")) is int:
            found.setdefault(number, []).append(row)
    made: dict[tuple[str, str], Opinion | None] = {}
    for number, pair in enumerate(asked, 1):
        rows_said = found.get(number, [])
        alone = len(rows_said) == 1 and _is_about(rows_said[0], number)
        made[_key(pair)] = _opinion(rows_said[0], *pair) if alone else None
    return made


def _is_about(row: Mapping[str, object], number: int) -> bool:
    return (row.get("older"), row.get("newer")) == _names(number)


def _opinion(row: Mapping[str, object], older: Memory, newer: Memory) -> Opinion | None:
    relation, confidence = row.get("relation"), row.get("confidence")
    why = _reason(row.get("reason"))
    if relation == "duplicate" and confidence == "high":
        return Opinion("same", sure=True, code="model", why=why) if _agree(older, newer) else None
    if not comparable(older, newer):
        return None
    if relation == "supersedes" and confidence == "high":
        if outranked(older, newer):
            return Opinion("contradicts", code=LOWER_AUTHORITY, why=why)
        return Opinion("supersedes", sure=True, code="model", why=why)
    if relation in ("supersedes", "contradiction") and confidence in ("high", "medium"):
        return Opinion("contradicts", code="model", why=why)
    return None


def _agree(older: Memory, newer: Memory) -> bool:
    """Whether two texts have the same numbers, and neither says what the other denies."""
    one, other = older.text, newer.text
    values, others = values_of(one), values_of(other)
    if has_other_numbers(one, others) or has_other_numbers(other, values):
        return False
    if is_turned(one, other):
        return False
    return bool(values & others) or not (values and others)


def _reason(value: object) -> str:
    said = " ".join(value.split())[:_MOST_REASON] if isinstance(value, str) else ""
    return neutralise(said) or "the model gave no reason"
