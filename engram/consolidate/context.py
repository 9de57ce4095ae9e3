"""What every pass of consolidation is handed: what the vault knows, the time, and what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engram.model.asking import AskAll, one_by_one
from engram.model.instant import Day, Instant, local_day
from engram.model.model_request import Reply, Request
from engram.model.policy import Policy
from engram.model.ports import BoxWeaver, ClusterVerdicts, EntityPage, Judge, Model
from engram.model.retention import Terms
from engram.model.settings import Settings
from engram.model.step import Step
from engram.model.view import VaultView

#: identity of a step for the person who declines it: pass, action and subjects
StepKey = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PassContext:
    """One consolidation.

    `changed` are the ids of the memories that were written, edited or removed since the last one;
    None stands for all: a full run. `closing`: boxes that are open are sealed too; `summarises`:
    clusters and summaries are due too, which they are not after extractions. `model` is None
    where none may be asked; where one may, `prompts` are the shipped tables of `config/prompts/`
    that passes ask with, by name, and `side_by_side` asks several questions. `declined` are the
    keys of steps that the person took back. `verdicts` are the model's answers of earlier runs
    about clusters, `asked_as` names who answers. `policy` says which memories end when.
    """

    view: VaultView
    now: Instant
    settings: Settings
    judge: Judge
    box_weaver: BoxWeaver
    entity_page: EntityPage
    changed: frozenset[str] | None = None
    closing: bool = True
    model: Model | None = None
    prompts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    timezone: str = "UTC"
    declined: frozenset[StepKey] = frozenset()
    summarises: bool = True
    side_by_side: AskAll = one_by_one
    verdicts: ClusterVerdicts | None = None
    asked_as: str = ""
    policy: Policy = field(default_factory=Policy)

    @property
    def terms(self) -> Terms:
        """How long memories live."""
        return Terms(self.settings.retention, self.policy)

    @property
    def today(self) -> Day:
        """The day of `now` in the vault's time zone."""
        return local_day(self.now, self.timezone)

    def ask(self, request: Request) -> Mapping[str, Any] | None:
        """The answer of the model; None when there is none, it is away or over its budget."""
        return self.ask_all([request])[0]

    def ask_all(self, requests: Sequence[Request]) -> list[Mapping[str, Any] | None]:
        """The answer to each of several questions, asked side by side; None where there is none."""
        return [
            None if one is None else one.value if isinstance(one.value, dict) else {}
            for one in self.replies(requests)
        ]

    def replies(self, requests: Sequence[Request]) -> list[Reply | None]:
        """The same, with the name of the model that answered."""
        if self.model is None:
            return [None] * len(requests)
        told = self.side_by_side(self.model, requests)
        return [one if isinstance(one, Reply) else None for one in told]

    def concerns(self, identifier: str) -> bool:
        """Whether a memory is to be looked at in this run."""
        return self.changed is None or identifier in self.changed


Pass = Callable[[PassContext], list[Step]]
