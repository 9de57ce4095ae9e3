"""Entity synthesis by a model: the timeline -> what holds now, in a few sentences; checked.

Refused is an answer that is empty or long, that has a number which no statement has, or that gives
an agent an order which no statement gives. A model that is unreachable, over budget or wrong gives
nothing: then the page lists the newest statements. Bounded: the newest statements of an entity, as
many as one question holds.
"""

from __future__ import annotations

import re

from engram.consolidate.context import PassContext
from engram.language.agent_orders import added_order
from engram.model.entity import Entity
from engram.model.model_request import Request, fenced, prompt_of, strict_object
from engram.model.text import tokens_of

PROMPT, KEY = "entity", "synthesis"
#: fewer statements need no synthesis
LEAST_LINES = 3
_MOST_LINES = 60
_LONGEST = 1200
_NUMBER = re.compile(r"[0-9]+")
#: what would begin a block of code on the page
_FENCE = re.compile(r"`{3,}|~{3,}")
SCHEMA = strict_object({KEY: {"type": "string"}})


def can_be_asked(context: PassContext, entity: Entity) -> bool:
    """Whether there is a model, and enough statements."""
    return context.model is not None and len(entity.timeline) >= LEAST_LINES


def synthesis_of(context: PassContext, entity: Entity) -> str:
    """The synthesis on one line; '' when there is no usable answer.

    Raises ConfigError when the prompt is missing.
    """
    if context.model is None:
        return ""
    request = _request(context, entity)
    said = (context.ask(request) or {}).get(KEY)
    if not isinstance(said, str):
        return ""
    text = " ".join(_FENCE.sub(" ", said).split())
    known = set(_NUMBER.findall(request.text))
    if len(text) > _LONGEST or not set(_NUMBER.findall(text)) <= known:
        return ""
    given = "\n".join(said for _, _, said in entity.timeline)
    return "" if added_order(text, given) else text


def _request(context: PassContext, entity: Entity) -> Request:
    version, instructions = prompt_of(context.prompts.get(PROMPT, {}), PROMPT)
    room = context.settings.llm.max_input_tokens - tokens_of(instructions) - tokens_of(str(SCHEMA))
    # the fence and the name take a little, and redaction may make text longer
    room = room * 3 // 4
    lines: list[str] = []
    for day, _, text in reversed(entity.timeline[-_MOST_LINES:]):
        line = f"- {day}: {text}"
        room -= tokens_of(line) + 1
        if room < 0:
            break
        lines.append(line)
    data = "\n".join([f"{entity.name} ({entity.type})", "", *reversed(lines)])
    return Request(version, instructions, fenced(data), SCHEMA, KEY, subject=entity.id)
