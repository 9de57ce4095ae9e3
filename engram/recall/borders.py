"""Borders between spaces: who is given a memory of which space (seed 002).

    session   the same conversation, and no other
    user      every agent of the person
    project   agents in a folder of that project
    system    every agent

The one place that compares who asks with space, project and conversation: for hooks, `recall` and
every other way to an agent, after the audience of the memory (`audience`), which says whether it is
for agents at all. The person who asks by hand is given what is private too; in a project what
belongs to it, to none and to the person, and never what is of another. A space that the policy does
not read is given to nobody. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engram.model.memory import SESSION, SPACES, Audience, Memory


class Recipient(NamedTuple):
    """Who is to be given something: an agent, or with `person` the person who asks by hand.

    `projects` are the names of the project that is asked for: none for an agent outside of any, and
    for a person who asks for all of them. `personal` is the setting `recall.share_personal`;
    `excludes` tells which projects are kept out. `session` is the transcript of its conversation,
    '' where that is not known; `spaces` are those that the policy reads. `is_older` tells whether a
    memory is of an older phase, where the policy has none of those given; `is_silent`, whether the
    session that one belongs to is over by time.
    """

    projects: tuple[str, ...] = ()
    personal: bool = False
    excludes: Callable[[str], bool] = lambda project: False
    session: str = ""
    spaces: tuple[str, ...] = SPACES
    person: bool = False
    is_older: Callable[[Memory], bool] = lambda memory: False
    is_silent: Callable[[Memory], bool] = lambda memory: False


def is_open_to(
    recipient: Recipient, audience: Audience, space: str, project: str, conversation: str = ""
) -> bool:
    """Whether a memory of this audience, space and project may be given.

    `conversation` is the transcript that the memory came from first.
    """
    if audience == "nobody" or space not in recipient.spaces:
        return False
    if space == SESSION:
        return bool(conversation) and conversation == recipient.session
    if recipient.person:
        other = space == "project" and project and project not in recipient.projects
        return not (recipient.projects and other)
    if project and recipient.excludes(project):
        return False
    if audience == "everyone":
        return True
    if audience == "project":
        return project in recipient.projects
    own = space != "project" or not project
    return recipient.personal and (own or project in recipient.projects)


def is_memory_open_to(recipient: Recipient, audience: Audience, memory: Memory) -> bool:
    """The same of a memory; of one of a session, while that goes on."""
    is_open = is_open_to(recipient, audience, memory.space, memory.project, memory.conversation)
    return is_open and not (memory.space == SESSION and recipient.is_silent(memory))


def is_turn_open_to(recipient: Recipient, audience: Audience, project: str) -> bool:
    """Whether what was said in a project, or in none, may be given: as a memory of it would be.

    An agent is given what was said in its own project alone.
    """
    asked = recipient.person or project in recipient.projects
    return asked and is_open_to(recipient, audience, "project", project)
