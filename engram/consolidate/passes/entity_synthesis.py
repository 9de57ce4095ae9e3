"""Entity synthesis by a model: the memories of an entity -> what holds now, in a few sentences.

The question holds the whole statements, in the order in which they were said. Refused is an answer
that is empty or long, that says what no statement says (`language/supported`: numbers, names, words
and denials, another language), or that gives an agent an order which no statement gives. A model
that is unreachable, over budget or wrong gives nothing: then the page lists the newest statements.
Bounded: the newest statements of an entity, as many as one question holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engram.consolidate.context import PassContext
from engram.language.agent_orders import added_order
from engram.language.supported import unsupported
from engram.model.entity import Entity
from engram.model.instant import day_of
from engram.model.memory import Memory
from engram.model.model_request import Request, fenced, prompt_of, strict_object
from engram.model.text import tokens_of

PROMPT, KEY = "entity", "synthesis"
#: fewer statements need no synthesis
LEAST_LINES = 3
_MOST_LINES = 60
#: as much of one statement is shown, characters
_MOST_TEXT = 600
_LONGEST = 1200
#: what would begin a block of code on the page
_FENCE = re.compile(r"`{3,}|~{3,}")
SCHEMA = strict_object({KEY: {"type": "string"}})


def can_be_asked(context: PassContext, entity: Entity) -> bool:
    """Whether there is a model, and enough statements."""
    return context.model is not None and len(entity.timeline) >= LEAST_LINES


def syntheses(
    context: PassContext, entities: Sequence[tuple[Entity, Sequence[Memory]]]
) -> list[str]:
    """The synthesis of each entity on one line, '' where there is no usable answer.

    All are asked side by side. Raises ConfigError when the prompt is missing.
    """
    if context.model is None:
        return [""] * len(entities)
    questions = [_request(context, entity, memories) for entity, memories in entities]
    answers = context.ask_all([request for request, _ in questions])
    return [
        _accepted((answer or {}).get(KEY), entity, given)
        for answer, (entity, _), (_, given) in zip(answers, entities, questions, strict=True)
    ]


def _accepted(said: object, entity: Entity, given: Sequence[str]) -> str:
    """The text of an answer that may stand on the page; '' for any other."""
    if not isinstance(said, str):
        return ""
    text = " ".join(_FENCE.sub(" ", said).split())
    if len(text) > _LONGEST or added_order(text, "\n".join(given)):
        return ""
    return "" if unsupported(text, [*given, *_names(entity)]) else text


def _request(
    context: PassContext, entity: Entity, memories: Sequence[Memory]
) -> tuple[Request, list[str]]:
    """The question, and the lines of statements in it."""
    version, instructions = prompt_of(context.prompts.get(PROMPT, {}), PROMPT)
    room = context.settings.llm.max_input_tokens - tokens_of(instructions) - tokens_of(str(SCHEMA))
    # the fence and the name take a little, and redaction may make text longer
    room = room * 3 // 4
    told = {name for _, name, _ in entity.timeline}
    lines: list[str] = []
    for memory in reversed(_as_said(context, [one for one in memories if one.id in told])):
        line = _line(memory)
        room -= tokens_of(line) + 1
        if room < 0 or len(lines) == _MOST_LINES:
            break
        lines.append(line)
    lines.reverse()
    data = "\n".join([f"{entity.name} ({entity.type})", "", *lines])
    return Request(version, instructions, fenced(data), SCHEMA, KEY, subject=entity.id), lines


def _as_said(context: PassContext, memories: Sequence[Memory]) -> list[Memory]:
    """Memories oldest first; of one moment, as they were said."""
    spoken = context.view.spoken(memory.sources[0] for memory in memories if memory.sources)
    return sorted(
        memories,
        key=lambda memory: (memory.created, *(spoken.get(one, 0) for one in memory.sources[:1])),
    )


def _line(memory: Memory) -> str:
    text = " ".join(memory.text.split())
    text = text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} [...]"
    mark = "" if memory.live else f" ({memory.status})"
    return f"- {memory.valid_from or day_of(memory.created)}: {text}{mark}"


def _names(entity: Entity) -> tuple[str, ...]:
    return entity.name, entity.type, *entity.aliases
