"""The judge that asks a model where the rules are not sure: ten pairs in one bounded question.

Implements the Judge port on top of another judge. Accepts `supersedes` only at high confidence, and
`duplicate` only so and where both have the same numbers and none denies the other. A likely
replacement, the replacement of a part, and any contradiction are suspicions for the person; every
other answer, and every failure, leaves the rules' opinion (seed 004: false negatives preferred). A
row counts that names a pair which was asked by its number and both ids, and is the only one to do
so. Never asked: pairs that the rules decide, that are of two scopes, or that share too little. Of
two of one moment only `duplicate` is believed. The questions of one comparison are asked side by
side; one that fails leaves its own pairs undecided. What was answered is kept by what was asked
(`Verdicts`): the same pair is not asked about again, in no later run. Authority counts as for the
rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from engram.admit.judge.rule_judge import comparable
from engram.language.denial import is_turned
from engram.language.near_duplicates import LEAST, alike
from engram.language.numerals import has_other_numbers, values_of
from engram.language.paraphrase.phrasing import phrasing
from engram.language.rulings import outranked
from engram.model.asking import AskAll, one_by_one
from engram.model.instant import Day, local_day
from engram.model.markdown import neutralise
from engram.model.memory import Memory, space_and_project
from engram.model.model_request import Reply, Request, fenced, list_of, prompt_of
from engram.model.pair_verdict import CONFIDENCES, RELATIONS, PairKey, PairVerdict, text_digest
from engram.model.ports import Judge, Model, Verdicts
from engram.model.step import Opinion
from engram.model.succession import LIKELY
from engram.model.text import tokens_of

KEY = "pairs"
#: pairs in one question, and questions that one judge asks, at most
MOST_PAIRS, MOST_QUESTIONS = 10, 40
#: as much of one memory is shown, and of a reason kept, characters
_MOST_TEXT, _MOST_REASON = 1000, 200
#: room for the fence, and for what redaction makes longer, tokens
_SPARE_TOKENS = 300
_TEXT = {"type": "string"}
SCHEMA = list_of(KEY, {
    "pair": {"type": "integer"},
    "older": _TEXT,
    "newer": _TEXT,
    "relation": {"type": "string", "enum": list(RELATIONS)},
    "confidence": {"type": "string", "enum": list(CONFIDENCES)},
    "replaced": _TEXT,
    "reason": _TEXT,
})  # fmt: skip

Pair = tuple[Memory, Memory]


class _OfOneRun:
    """Verdicts that are kept no longer than a judge lives."""

    def __init__(self) -> None:
        self._learnt: dict[PairKey, PairVerdict] = {}

    def known(self, key: PairKey) -> PairVerdict | None:
        return self._learnt.get(key)

    def learn(self, key: PairKey, verdict: PairVerdict) -> None:
        self._learnt[key] = verdict


class ModelJudge:
    """Rules first, then a model."""

    def __init__(
        self, rules: Judge, prompt: Mapping[str, Any], model: Model, most: int,
        timezone: str = "UTC", *, verdicts: Verdicts | None = None, asked_as: str = "",
        ask_all: AskAll = one_by_one,
    ) -> None:  # fmt: skip
        """`prompt` is config/prompts/judge.toml, `most` the tokens that one question may have.

        A question tells the days of `timezone`. `verdicts` are those of earlier runs, `asked_as`
        names who answers: another model is asked anew. `ask_all` asks several questions. Raises
        ConfigError when it is no prompt.
        """
        self._version, self._instructions = prompt_of(prompt, "judge")
        self._rules = rules
        self._model = model
        self._ask_all = ask_all
        self._room = most - tokens_of(self._instructions) - tokens_of(str(SCHEMA)) - _SPARE_TOKENS
        self._tried: set[tuple[str, str]] = set()
        self._left = MOST_QUESTIONS
        self._timezone = timezone
        self._verdicts = verdicts or _OfOneRun()
        self._asked_as = text_digest(f"{self._version} {asked_as}")

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        """The rules' opinion where they are sure, else the model's where it is to be trusted."""
        return self.compare_all([(older, newer)])[0]

    def compare_all(self, pairs: Sequence[Pair]) -> list[Opinion]:
        """The same for many pairs; those of which the rules find more are asked about first."""
        opinions = self._rules.compare_all(pairs)
        waiting = {
            _ids(pair): (_promise(opinion), pair)
            for pair, opinion in zip(pairs, opinions, strict=True)
            if not opinion.sure and _may_be_asked(*pair) and self._said(pair) is None
        }
        likeliest = sorted(waiting.values(), key=itemgetter(0))
        self._ask([pair for _, pair in likeliest if _ids(pair) not in self._tried])
        return [
            opinion if opinion.sure else self._opinion(pair) or opinion
            for pair, opinion in zip(pairs, opinions, strict=True)
        ]

    def _said(self, pair: Pair) -> PairVerdict | None:
        return self._verdicts.known(self._key(pair))

    def _key(self, pair: Pair) -> PairKey:
        older, newer = pair
        return PairKey(text_digest(older.text), text_digest(newer.text), self._asked_as)

    def _opinion(self, pair: Pair) -> Opinion | None:
        verdict = self._said(pair) if _may_be_asked(*pair) else None
        return None if verdict is None else _opinion(verdict, *pair)

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

    def _ask(self, waiting: Sequence[Pair]) -> None:
        questions: list[tuple[Request, list[Pair]]] = []
        while waiting and len(questions) < self._left:
            request, asked = self.request(waiting)
            if not asked:
                break
            questions.append((request, asked))
            waiting = waiting[len(asked) :]
        self._left -= len(questions)
        replies = self._ask_all(self._model, [request for request, _ in questions])
        for (_, asked), reply in zip(questions, replies, strict=True):
            # the usage log has what failed; nobody who is silent is asked the same again now
            self._tried.update(map(_ids, asked))
            if not isinstance(reply, Reply):
                self._left = 0
                continue
            for pair, verdict in _verdicts(reply.value, asked):
                self._verdicts.learn(self._key(pair), verdict)


def _promise(opinion: Opinion) -> int:
    """Sort key of what the rules leave open: what they suspect, what may replace, what is alike."""
    if opinion.relation == "contradicts":
        return 0
    return 1 if opinion.code == LIKELY else 2 if opinion.relation in ("same", "extends") else 3


def _ids(pair: Pair) -> tuple[str, str]:
    return pair[0].id, pair[1].id


def _names(number: int) -> tuple[str, str]:
    """The ids under which a question shows the memories of a pair: short, and all different."""
    return f"m{2 * number - 1}", f"m{2 * number}"


def _shown(place: str, name: str, memory: Memory, day: Day) -> str:
    text = " ".join(memory.text.split())
    text = text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} [...]"
    return f"- {place} [{name}] {day}, {memory.category}: {text}"


def _may_be_asked(older: Memory, newer: Memory) -> bool:
    if space_and_project(older) != space_and_project(newer):
        return False
    return comparable(older, newer) or alike(phrasing(older.text), phrasing(newer.text)) >= LEAST


def _verdicts(answer: object, asked: Sequence[Pair]) -> Iterator[tuple[Pair, PairVerdict]]:
    """What an answer says about each pair that was asked; what is not sound is left out."""
    rows = answer.get(KEY) if isinstance(answer, dict) else None
    found: dict[int, list[Mapping[str, object]]] = {}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and type(number := row.get("pair")) is int:
            found.setdefault(number, []).append(row)
    for number, pair in enumerate(asked, 1):
        said = found.get(number, [])
        verdict = _verdict(said[0], number) if len(said) == 1 else None
        if verdict is not None:
            yield pair, verdict


def _verdict(row: Mapping[str, object], number: int) -> PairVerdict | None:
    if (row.get("older"), row.get("newer")) != _names(number):
        return None
    relation = next((one for one in RELATIONS if one == row.get("relation")), None)
    confidence = next((one for one in CONFIDENCES if one == row.get("confidence")), None)
    if relation is None or confidence is None:
        return None
    return PairVerdict(relation, confidence, _line(row.get("reason")), _line(row.get("replaced")))


def _opinion(said: PairVerdict, older: Memory, newer: Memory) -> Opinion | None:
    """What a verdict is worth for two memories; None where the rules stand."""
    why = said.reason or "the model gave no reason"
    if said.relation == "duplicate" and said.confidence == "high":
        return Opinion("same", sure=True, code="model", why=why) if _agree(older, newer) else None
    if not comparable(older, newer) or said.confidence == "low":
        return None
    if said.relation == "supersedes" and said.confidence == "high":
        if code := outranked(older, newer):
            return Opinion("contradicts", code=code, why=why)
        return Opinion("supersedes", sure=True, code="model", why=why)
    if said.relation == "partial":
        part = f"it replaces only a part: {said.replaced or why}"
        return Opinion("contradicts", partial=True, code="model", why=part)
    if said.relation in ("supersedes", "contradiction"):
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


def _line(value: object) -> str:
    """A phrase of an answer as one short inert line."""
    return neutralise(" ".join(value.split())[:_MOST_REASON]) if isinstance(value, str) else ""
