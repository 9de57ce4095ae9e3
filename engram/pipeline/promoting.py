"""Promotion by hand, and what waits for the person: memories leave their space for another one.

    promote ID --to user       a session's or a project's memory holds everywhere, where a rule is
    promote ID --to project    a session's memory, or one about the person, holds in a project
    of what is in that project's space already: into the shared vault (`shared_promotion`)

The rules of the policy and admission in the target decide (`admit/space_change`). Of several
memories all are promoted in one transaction, or none: then the denials are logged, and the first is
raised. What is there already stays as it is, so that who asks twice is told so. What an agent asks
for waits for the person.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engram.admit.admission_context import AdmissionContext
from engram.admit.draft import AdmissionDraft
from engram.admit.space_change import PromotionRequest, promote, withdrawn
from engram.model.change import Event, Plan
from engram.model.errors import BadInput
from engram.model.given import BY_HAND as HAND_TYPED
from engram.model.given import PERSON, Reader
from engram.model.memory import SESSION, Memory
from engram.model.promotion import ALREADY, BY_AGENT, BY_HAND, PROMOTION_ERROR, SpaceWish, waits_for
from engram.model.refusal_codes import meaning
from engram.model.report import MemoryEdit, Promotion
from engram.pipeline.first_pages import first_pages
from engram.pipeline.writing import writing

if TYPE_CHECKING:
    from engram.pipeline.ports import Ports

_MEANINGS = {
    "promotion_disallowed": "no rule of the policy lets anything leave {from_} for {to}",
    "promotion_conflict": "a memory there stands against it: it waits in `engram review`",
}


class AskedPromotion(NamedTuple):
    """What is asked for: the space, the project of the target, and who asks.

    `project` is the one that was named, '' for none; `here` are the names of that of the folder.
    """

    to_space: str
    project: str = ""
    here: Sequence[str] = ()
    reader: Reader = Reader()

    @property
    def by_agent(self) -> bool:
        """Whether an agent asks, which the person has to allow."""
        return self.reader.by != PERSON

    def project_of(self, memory: Memory) -> str:
        """The project in which a memory is to hold. Raises BadInput where nothing tells it."""
        if self.to_space != "project":
            return memory.project
        of_folder = next(iter(self.here), "")
        # what a session holds was said in its project, what the person holds wherever they were
        told = memory.project or of_folder if memory.space == SESSION else of_folder
        found = self.project or told or memory.project
        if not found:
            raise BadInput(
                f"nothing says in which project {memory.id} is to hold",
                f"`engram promote {memory.id} --to project --project NAME`",
                code=PROMOTION_ERROR,
            )
        return found


def promote_by_hand(
    found: Callable[[], Sequence[Memory]],
    asked: AskedPromotion,
    ports: Ports,
    *,
    dry_run: bool = False,
) -> list[Promotion]:
    """Promote memories, in one transaction; a dry run decides and writes nothing.

    `found` gives them once hand edits are taken up. Raises BadInput for what is out of use, what no
    rule lets go and what the target denies.
    """
    if dry_run:
        ports.settler.within(math.inf)
        done, _ = _promoted(found(), asked, ports)
    else:
        with writing(ports):
            memories = found()
            done, draft = _promoted(memories, asked, ports)
            denied = [one.before for one in done if one.denied]
            if denied and not asked.by_agent:
                # nothing of the others is entered: who names several means all of them
                draft = _promoted(denied, asked, ports)[1]
            changes = ports.writer.changes(draft.born, draft.amended)
            changes = [*changes, *first_pages(draft.born, ports)]
            if changes or draft.events:
                ports.committer.commit(Plan("promote", tuple(changes), tuple(draft.events)))
    if not asked.by_agent:
        _raise_denied(done, asked.to_space)
    return done


def _promoted(
    memories: Sequence[Memory], asked: AskedPromotion, ports: Ports
) -> tuple[list[Promotion], AdmissionDraft]:
    now = ports.clock.now()
    draft = AdmissionDraft(ports.view, ports.terms, now)
    admission = AdmissionContext(
        draft.view, ports.redactor.clean, ports.settings, now, ports.judge, policy=ports.policy
    )
    done = []
    for memory in {one.id: one for one in memories}.values():
        if memory.space == asked.to_space:
            done.append(Promotion(ALREADY, memory, memory))
            continue
        _check_in_use(memory)
        request = PromotionRequest(
            memory, asked.to_space, asked.project_of(memory),
            BY_AGENT if asked.by_agent else BY_HAND,
            ports.committer.item_of(memory.id, draft.events),
            source="" if asked.reader.session == HAND_TYPED else asked.reader.session,
            agent=asked.reader.by if asked.by_agent else "",
        )  # fmt: skip
        done.append(promote(request, draft, admission))
    return done, draft


def promote_as_asked(
    memory: Memory, wish: SpaceWish, link: str, draft: AdmissionDraft, admission: AdmissionContext,
    ports: Ports,
) -> None:  # fmt: skip
    """Promote what a turn asked to hold elsewhere, in the transaction that writes it.

    `link` is that of the turn. What is denied stays where it is, and may wait for the person.
    """
    if memory.live and memory.space != wish.space:
        item = ports.committer.item_of(memory.id, draft.events)
        request = PromotionRequest(memory, wish.space, memory.project, wish.code, item, link)
        promote(request, draft, admission)


def _check_in_use(memory: Memory) -> None:
    if not memory.live:
        raise BadInput(
            f"{memory.id} is {memory.status}: it cannot be promoted",
            f"`engram restore {memory.id}` brings it back",
            code=PROMOTION_ERROR,
        )


def _raise_denied(done: Sequence[Promotion], to_space: str) -> None:
    denied = next((one for one in done if one.denied), None)
    if denied is None:
        return
    memory, code = denied.before, denied.code
    why = _MEANINGS.get(code, meaning(code)).format(from_=memory.space, to=to_space)
    nothing = " (none was promoted)" if len(done) > 1 else ""
    raise BadInput(
        f"{memory.id} stays in {memory.space} space: {code}: {why}{nothing}",
        "`engram policy show` has the rules: promotions",
        code=PROMOTION_ERROR,
    )


# -- what waits for the person ---------------------------------------------------------------------


def decline(memory: Memory) -> MemoryEdit:
    """The person says that a memory stays in its space."""
    event = Event("promotion_declined", memory.id, (("to_space", waits_for(memory)),))
    return MemoryEdit("promote", ((memory, withdrawn(memory)),), (event,))
