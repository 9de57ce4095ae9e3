"""A model whose answers lie in a folder: answers written by hand, no network, no weights.

    q/KEY.json    each question that was asked: instructions, text, schema, tokens, its messages
    a/NAME.json   the answer to one of them, as the model would give it

NAME is looked for in this order: KEY, a digest of instructions and text; the times of the first and
the last message shown (`20260203T090000-20260203T094100`), so that only another portion needs
another answer; KEY of a question that showed the same messages beside other known memories. A
question that none of them answers gets an empty answer and is `open`: every question of a run is
written to q/ at once, and no later one waits for it. Unanswered questions of earlier runs are
removed from there.

An answer may name a known memory as `known:WORDS`; it becomes the name under which the question
shows the memory with these words. In an answer that was written for other known memories the names
are looked up by their memories' texts. A name of nothing that is shown is left as it is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fakes.model_server import Asked, Handler, reply_of, send

_MESSAGE = re.compile(r"^\[\d+\] \S.*?, (\d{4}-\d\d-\d\dT[\d:]{8}Z) \(\w+\):$", re.M)
_FENCE = re.compile(r"^</?engram-data [0-9a-f]+>$", re.M)
_TALK = re.compile(r"^Conversation\b", re.M)
_KNOWN = re.compile(r"^(?:\[(k\d+)\]|- ([a-z]+-\d{8}-\d{6}-\S+):) (.*)$", re.M)
#: where an answer names known memories
_NAMES = ("replaces", "memory")
_BY_WORDS = "known:"


def tokens(text: str) -> int:
    """About how many tokens a provider counts."""
    return max(1, round(len(text.encode()) / 4.2))


@dataclass(frozen=True, slots=True)
class Question:
    """One request as the model got it, and what it was given for an answer."""

    key: str
    instructions: str
    text: str
    schema: Mapping[str, Any]
    #: KEY or NAME of the answer; empty for an open question
    answered_by: str
    answer: str

    @property
    def extracts(self) -> bool:
        """Whether it asks for what is to be remembered."""
        return "facts" in _fields(self.schema)

    @property
    def other_memories(self) -> bool:
        """Whether the answer was written for the same messages beside other known memories."""
        return self.answered_by not in ("", self.key, span(self.text))

    @property
    def own_tokens(self) -> int:
        """Tokens of instructions and schema."""
        return tokens(self.instructions) + tokens(json.dumps(self.schema))

    @property
    def tokens(self) -> int:
        """Tokens of the whole question."""
        return self.own_tokens + tokens(self.text)


@dataclass
class StoredAnswers:
    """A behaviour of a ModelServer. `asked` holds every question, in order."""

    folder: Path
    asked: list[Question] = field(default_factory=list)

    def __call__(self, asked: Asked, handler: Handler) -> None:
        """One request."""
        if not self.asked:
            self._forget_unanswered()
        question = self._question(asked)
        self.asked.append(question)
        send(handler, 200, json.dumps(reply_of(asked, question.answer)).encode())

    def _forget_unanswered(self) -> None:
        for path in (self.folder / "q").glob("*.json"):
            if not (self.folder / "a" / path.name).exists():
                path.unlink()

    def _question(self, asked: Asked) -> Question:
        instructions, schema = str(asked.body["instructions"]), asked.body["text"]["format"]
        key = hashlib.sha256(f"{instructions}\0{asked.text}".encode()).hexdigest()[:16]
        name, answer = self._answer(key, asked.text, schema["schema"])
        question = Question(key, instructions, asked.text, schema["schema"], name, answer)
        if name == "" or question.other_memories:
            self._write(question)
        return question

    def _answer(self, key: str, text: str, schema: Mapping[str, Any]) -> tuple[str, str]:
        for name in (key, span(text)):
            if name and (self.folder / "a" / f"{name}.json").exists():
                return name, self._read(name, text, known_in(text))
        for earlier in _rows(self.folder / "q"):
            same = earlier["talk"] == talk(text)
            if same and (self.folder / "a" / f"{earlier['key']}.json").exists():
                return earlier["key"], self._read(earlier["key"], text, known_in(earlier["text"]))
        return "", json.dumps(_empty(schema))

    def _read(self, name: str, text: str, shown_then: Mapping[str, str]) -> str:
        said = (self.folder / "a" / f"{name}.json").read_text(encoding="utf-8")
        shown = known_in(text)
        return json.dumps(_renamed(json.loads(said), shown_then, shown), ensure_ascii=False)

    def _write(self, question: Question) -> None:
        (self.folder / "q").mkdir(exist_ok=True)
        row = {
            "key": question.key, "tokens": question.tokens, "talk": talk(question.text),
            "instructions": question.instructions, "text": question.text,
            "schema": question.schema,
        }  # fmt: skip
        path = self.folder / "q" / f"{question.key}.json"
        path.write_text(json.dumps(row, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def span(text: str) -> str:
    """The times of the first and the last message of a question; empty where it shows none."""
    times = [re.sub(r"[-:Z]", "", time) for time in _MESSAGE.findall(text)]
    return f"{times[0]}-{times[-1]}" if times else ""


def talk(text: str) -> str:
    """A digest of the conversation in a question, whatever else it shows; empty without one."""
    begins = _TALK.search(text)
    said = " ".join(_FENCE.sub("", text[begins.start() :]).split()) if begins else ""
    return hashlib.sha256(said.encode()).hexdigest()[:16] if said else ""


def known_in(text: str) -> dict[str, str]:
    """The known memories in a question, by the names under which it shows them."""
    begins = _TALK.search(text)
    lines = _KNOWN.findall(text[: begins.start()]) if begins else []
    return {number or name: words for number, name, words in lines}


def _renamed(answer: Any, shown_then: Mapping[str, str], shown: Mapping[str, str]) -> Any:
    """The answer with names of known memories as they are shown now."""

    def name(given: Any) -> Any:
        if not isinstance(given, str):
            return given
        by_words = given.startswith(_BY_WORDS)
        words = given.removeprefix(_BY_WORDS) if by_words else shown_then.get(given, "")
        if not words:
            return given
        for now, text in shown.items():
            if text == words or (by_words and words.casefold() in text.casefold()):
                return now
        return "k0"

    if isinstance(answer, list):
        return [_renamed(one, shown_then, shown) for one in answer]
    if not isinstance(answer, dict):
        return answer
    return {
        key: [name(one) for one in value] if key in _NAMES and isinstance(value, list)
        else name(value) if key in _NAMES
        else _renamed(value, shown_then, shown)
        for key, value in answer.items()
    }  # fmt: skip


def _empty(schema: Mapping[str, Any]) -> Any:
    """The answer of a schema that says nothing."""
    kind = schema.get("type")
    if kind == "object":
        return {name: _empty(one) for name, one in _fields(schema).items()}
    return {"array": [], "integer": 0, "boolean": False}.get(str(kind), "")


def _fields(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    fields: Mapping[str, Any] = schema.get("properties", {})
    return fields


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.glob("*.json")):
        yield json.loads(path.read_text(encoding="utf-8"))
