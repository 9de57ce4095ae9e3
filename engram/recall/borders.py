"""Borders between spaces: who is given a memory of which space (seed 002).

    session   the same conversation, and no other
    user      every agent of the person
    project   agents in a folder of that project
    system    every agent

Asked by hooks, `recall` and every other way to an agent, after the audience of the memory
(`audience`), which says whether it is for agents at all. A space that the policy does not read is
given to nobody. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from engram.model.memory import SESSION, SPACES, Audience


class Recipient(NamedTuple):
    """An agent that is to be given something: the names of its project, none outside of any.

    `personal` is the setting `recall.share_personal`; `excludes` tells which projects are kept out.
    `session` is the transcript of its conversation, '' where that is not known; `spaces` are those
    that the policy reads.
    """

    projects: tuple[str, ...] = ()
    personal: bool = False
    excludes: Callable[[str], bool] = lambda project: False
    session: str = ""
    spaces: tuple[str, ...] = SPACES


def is_open_to(
    recipient: Recipient, audience: Audience, space: str, project: str, conversation: str = ""
) -> bool:
    """Whether an agent may be given a memory of this audience, space and project.

    `conversation` is the transcript that the memory came from first.
    """
    if audience == "nobody" or space not in recipient.spaces:
        return False
    if project and recipient.excludes(project):
        return False
    if space == SESSION:
        return bool(conversation) and conversation == recipient.session
    if audience == "everyone":
        return True
    if audience == "project":
        return project in recipient.projects
    own = space != "project" or not project
    return recipient.personal and (own or project in recipient.projects)
