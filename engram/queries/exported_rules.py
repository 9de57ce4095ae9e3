"""Exported rules: what of a vault goes into an agent's file of rules, chosen from all memories."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engram.admit.gate.sensitivity import sensitivity_of
from engram.language.agent_orders import injection
from engram.model.authority import authority_rank
from engram.model.hit import RulesBlock
from engram.model.memory import Memory
from engram.recall.audience import audience_of
from engram.recall.rules_block import chosen_for_rules, rules_lines

if TYPE_CHECKING:
    from engram.model.instant import Day
    from engram.recall.borders import Recipient
    from engram.store.catalog.catalog import Catalog


def rules_block(
    catalog: Catalog,
    recipient: Recipient,
    today: Day,
    most: int,
    clean: Callable[[str], bool],
    timezone: str,
) -> RulesBlock:
    """At most so many memories, with days of a time zone.

    `clean` tells whether the redactor would leave a text.

    What gives orders to an agent stays in the vault, whoever wrote it into a file there, and so
    does what tells of private hosts, people or money: a file of rules is shared.
    """
    active = (memory for memory in catalog.memories() if memory.status == "active")
    known = [
        (memory, audience_of(memory, clean))
        for memory in active
        if (not recipient.projects or memory.project in recipient.projects) and _may_travel(memory)
    ]
    chosen, left_out = chosen_for_rules(known, recipient, today, most)
    lines = rules_lines(chosen, next(iter(recipient.projects), ""), timezone)
    return RulesBlock(tuple(lines), tuple(memory.id for memory in chosen), left_out)


def _may_travel(memory: Memory) -> bool:
    public = memory.sensitivity == "public" or sensitivity_of(memory.text) == "public"
    theirs = authority_rank(memory.authority) >= authority_rank("user_asserted")
    return public and memory.of_owner and not injection(memory.text, own=theirs)
