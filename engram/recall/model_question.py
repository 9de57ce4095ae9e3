"""A question, its evidence and the answer by rules -> what a model is asked.

    instructions (config/prompts/recall.toml, versioned) + fenced data: the question, numbered
    sources with the day they were said, what was said before them, and the days that rules found

Guarantees: the fence cannot be closed from inside; a source is one line, so that none can pretend
to be another; a text is redacted before it is cut, for half a secret would not be known as one; the
request fits `max_input_tokens`; the same evidence gives the same bytes. What drops an agent's
instructions is no source. Without a source there is no question. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from engram.language.agent_orders import injection
from engram.language.tokens import query_terms, terms
from engram.language.when import find_times
from engram.model.instant import weekday_of
from engram.model.model_request import Request, fenced, prompt_of, strict_object
from engram.model.sentences import sentences_of
from engram.model.speaker import shown_name
from engram.model.text import tokens_of

if TYPE_CHECKING:
    from engram.model.answer import AnswerSource, ReasonedAnswer
    from engram.model.instant import Day
    from engram.model.time_span import TimeSpan
    from engram.recall.evidence import Evidence

KEY = "answer"
#: sources of one question; as much of one, of the turns before it, and of the question, characters
MOST_SOURCES, _MOST_TEXT, _MOST_BEFORE, _MOST_ASKED = 16, 1_600, 240, 1_000
#: room for the fence, and for what redaction makes longer, tokens
_SPARE_TOKENS = 300
_CUT = "[...]"
#: what a memory's status says of it; others need no word
_STANDING = {
    "superseded": "no longer true", "expired": "no longer true", "archived": "no longer true",
    "needs-review": "unconfirmed",
}  # fmt: skip
_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}
SCHEMA = strict_object({
    "claims": {
        "type": "array",
        "items": strict_object({"text": _TEXT, "sources": {"type": "array", "items": _NUMBER}}),
    },
    KEY: _TEXT,
    "start": _TEXT,
    "end": _TEXT,
    "confidence": {"type": "number"},
    "temporal_resolutions": {
        "type": "array",
        "items": strict_object({"source": _NUMBER, "words": _TEXT, "start": _TEXT, "end": _TEXT}),
    },
    "requires_inference": {"type": "boolean"},
})  # fmt: skip


class ShownSource(NamedTuple):
    """A source as a model is shown it: its words, those said before it, and the spans in them."""

    source: AnswerSource
    text: str
    before: tuple[str, ...]
    spans: tuple[TimeSpan, ...]


class ModelQuestion(NamedTuple):
    """The request, and the sources that it shows, in the order of their numbers from 1."""

    request: Request
    shown: tuple[ShownSource, ...]


class RecallPrompt:
    """The prompt of one version. Raises ConfigError when `table` is no prompt."""

    def __init__(
        self, table: Mapping[str, Any], max_input_tokens: int, redact: Callable[[str], str]
    ) -> None:
        self._version, self._instructions = prompt_of(table, "recall")
        self._redact = redact
        own = tokens_of(self._instructions) + tokens_of(str(SCHEMA)) + _SPARE_TOKENS
        self._room = max_input_tokens - own

    def question(
        self, question: str, evidence: Sequence[Evidence], rules: ReasonedAnswer, today: Day
    ) -> ModelQuestion | None:
        """The question about as many sources as fit; what the rules' answer rests on comes first.

        None where no source has a word of it.
        """
        asked = " ".join(self._redact(question).split())[:_MOST_ASKED]
        parts = [f"Question: {asked}\nAsked on: {today} ({weekday_of(today)})"]
        # what quotes a source may quote one that is not shown
        if rules.found and rules.start:
            parts.append(f"Rules without a model answer: {_one_line(self._redact(rules.answer))}")
        room = self._room - sum(tokens_of(part) + 1 for part in parts)
        resting_on = {source.id for source in rules.source_memories}
        wanted = {*query_terms(asked)}
        shown: list[ShownSource] = []
        for one in sorted(evidence, key=lambda one: one.source.id not in resting_on):
            source = self._source(one, wanted)
            if not source.text or injection("\n".join((source.text, *source.before))):
                continue
            part = _told(source, len(shown) + 1)
            room -= tokens_of(part) + 1
            if room < 0 or len(shown) == MOST_SOURCES:
                break
            parts.append(part)
            shown.append(source)
        if not any(wanted.intersection(terms("\n".join(lines_of(one)))) for one in shown):
            return None
        text = fenced("\n\n".join(parts))
        request = Request(
            self._version, self._instructions, text, SCHEMA, KEY, turns=len(shown)
        )  # fmt: skip
        return ModelQuestion(request, tuple(shown))

    def _source(self, one: Evidence, wanted: set[str]) -> ShownSource:
        said = one.source.said
        text = _shortened(self._redact(one.text), wanted, said)
        before = tuple(_one_line(self._redact(other))[:_MOST_BEFORE] for other in one.before)
        spans = tuple(find_times(text, said, least=0)) if said else ()
        return ShownSource(one.source, text, before, spans)


def _shortened(text: str, wanted: set[str], said: Day) -> str:
    """A text on one line; of a long one the sentences that share a word or tell a time.

    A memory stands beside the turn that it was made of: what it repeats is left out.
    """
    text = _once(text)
    if len(text) <= _MOST_TEXT:
        return _one_line(text)
    kept, room = [], _MOST_TEXT
    for sentence in sentences_of(text):
        telling = wanted.intersection(terms(sentence)) or (said and find_times(sentence, said))
        if telling and len(sentence) <= room:
            room -= len(sentence)
            kept.append(sentence)
    return _one_line(f" {_CUT} ".join(kept)) or _one_line(text[:_MOST_TEXT])


def _once(text: str) -> str:
    """A text without the lines that stand in those before them."""
    told = ""
    for line in text.splitlines():
        told += "" if line.strip() in told else f"{line}\n"
    return told


def _told(shown: ShownSource, number: int) -> str:
    source = shown.source
    said = f"said on {source.said} ({weekday_of(source.said)})" if source.said else "day unknown"
    heading = [source.kind if source.kind == "memory" else "message", said]
    heading += [_STANDING[source.status]] if source.status in _STANDING else []
    speaker = shown_name(source.speaker)
    lines = [f"[{number}] {', '.join(heading)}: {f'{speaker}: ' if speaker else ''}{shown.text}"]
    lines += [f"    before it: {text}" for text in reversed(shown.before) if text]
    lines += [f'    "{_one_line(one.expression)}" = {_days(one)}' for one in shown.spans]
    return "\n".join(lines)


def _days(span: TimeSpan) -> str:
    readings = dict.fromkeys(((span.start, span.end), *span.also))
    return " or ".join(days_told(*days) for days in readings)


def days_told(start: Day, end: Day) -> str:
    """The first and the last day of a span, as a model is shown them."""
    return start if start == end else f"{start} to {end}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def lines_of(shown: ShownSource) -> Iterator[str]:
    """Who says a source, and its sentences: what a statement about it may be held against."""
    if speaker := shown_name(shown.source.speaker):
        yield speaker
    for text in (shown.text, *shown.before):
        yield from sentences_of(text)
