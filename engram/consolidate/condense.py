"""Condensing by a model: many statements under headings -> fewer; every line is checked.

A line names the given statements it stands for, all under its heading; one that stands for a single
statement keeps that statement's words. Refused as a whole (the page stays as it is) is an answer
that loses a heading, that has more than twice the lines asked for, or that keeps less than 30 % of
what it was given, counted in characters of distinct statements (issue 6). Left out first are lines
without a given heading or a statement under it, and lines for several statements that say what none
of them says (`language/supported`) or give an agent an order that none of them gives. A model that
is unreachable or over budget gives nothing: then the caller condenses by rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engram.consolidate.context import PassContext
from engram.consolidate.repeated_lines import substance
from engram.language.agent_orders import added_order
from engram.language.supported import unsupported
from engram.model.model_request import Request, fenced, list_of, prompt_of
from engram.model.text import tokens_of

PROMPT, KEY = "condense", "lines"
#: an answer that keeps less than this share of what it was given is refused (issue 6)
LEAST_KEPT = 0.3
#: how many times the lines asked for an answer may have
_MOST_LINES = 2
_TEXT = {"type": "string"}
_LINE = {"section": _TEXT, "text": _TEXT, "of": {"type": "array", "items": {"type": "integer"}}}
SCHEMA = list_of(KEY, _LINE)


class CitedStatement(NamedTuple):
    """A statement, the heading that it stands under, and what else was said with it."""

    heading: str
    text: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class CondensedLine:
    """A line of the condensed page; `of` are the indexes of the statements it stands for."""

    heading: str
    text: str
    of: tuple[int, ...]


def condensed(
    context: PassContext, given: Sequence[CitedStatement], lines: int
) -> list[CondensedLine] | None:
    """The statements condensed by a model to about so many lines; empty when it is refused.

    None when there is no model to ask. Raises ConfigError when the prompt is missing.
    """
    if context.model is None:
        return None
    answered = context.ask(_request(context, given, lines))
    if answered is None:
        return None
    answer = _lines(answered.get(KEY), given)
    return answer if _is_kept(answer, given, lines) else []


def room_for(context: PassContext) -> int:
    """How many tokens of statements one question can hold."""
    if context.model is None:
        own = 0
    else:
        _, instructions = prompt_of(context.prompts.get(PROMPT, {}), PROMPT)
        own = tokens_of(instructions) + tokens_of(str(SCHEMA))
    # a number and a heading are added to every statement
    return max((context.settings.llm.max_input_tokens - own) * 3 // 4, 0)


def _request(context: PassContext, given: Sequence[CitedStatement], lines: int) -> Request:
    version, instructions = prompt_of(context.prompts.get(PROMPT, {}), PROMPT)
    parts, heading = [], ""
    for number, said in enumerate(given, 1):
        if said.heading != heading:
            heading = said.heading
            parts.append(f"\n## {heading}")
        parts.append(f"{number}. {said.text} {said.more}".rstrip())
    data = "\n".join([*parts, "", f"At most {lines} lines."]).strip()
    return Request(version, instructions, fenced(data), SCHEMA, KEY)


def _lines(raw: object, given: Sequence[CitedStatement]) -> list[CondensedLine]:
    """The sound lines of an answer; a statement counts in the first that names it."""
    headings = {said.heading.casefold(): said.heading for said in given}
    free = set(range(len(given)))
    found: list[CondensedLine] = []
    for item in raw if isinstance(raw, list) else ():
        if not isinstance(item, dict):
            continue
        section, text, numbers = (item.get(name) for name in _LINE)
        if not (isinstance(section, str) and isinstance(text, str) and isinstance(numbers, list)):
            continue
        heading = headings.get(section.strip().removeprefix("## ").casefold(), "")
        places = dict.fromkeys(number - 1 for number in numbers if type(number) is int)
        mine = tuple(place for place in places if place in free and given[place].heading == heading)
        said = [f"{given[place].text} {given[place].more}".rstrip() for place in mine]
        if mine and text.strip() and (len(mine) == 1 or not _is_unsound(text, said)):
            free -= set(mine)
            found.append(CondensedLine(heading, " ".join(text.split()), mine))
    return found


def _is_unsound(text: str, said: Sequence[str]) -> bool:
    return bool(added_order(text, "\n".join(said)) or unsupported(text, said))


def _is_kept(answer: Sequence[CondensedLine], given: Sequence[CitedStatement], lines: int) -> bool:
    """Whether an answer keeps every heading, enough of the substance, and the length."""
    if {line.heading for line in answer} != {said.heading for said in given}:
        return False
    kept, before = (substance(one.text for one in many) for many in (answer, given))
    return kept >= LEAST_KEPT * before and len(answer) <= _MOST_LINES * lines
