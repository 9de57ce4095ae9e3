"""What the passes are tested with: a scene at a fixed noon, and memories of some age."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engram.admit.judge.model_judge import ModelJudge
from engram.admit.judge.rule_judge import RuleJudge
from engram.consolidate.context import Pass, PassContext, StepKey
from engram.consolidate.plan import ConsolidationPlan, PartPlanner
from engram.model.instant import plus_days
from engram.model.memory import Memory
from engram.model.model_request import Reply, Request, Usage
from engram.model.ports import Judge, Model
from engram.model.settings import ConsolidateSettings, Settings
from engram.model.step import Opinion
from engram.model.view import VaultView
from engram.settings.load import shipped
from engram.weave.entities import fold
from engram.weave.seal import BoxSealer
from tests.admit.cases import memory

NOW = "2026-11-20T12:00:00Z"
TODAY = NOW[:10]
PROMPTS = {name: shipped(f"prompts/{name}") for name in ("condense", "entity", "judge", "summary")}


class Silent(RuleJudge):
    """A Judge without an opinion."""

    def compare(self, older: Memory, newer: Memory) -> Opinion:
        return Opinion("unrelated")


class Condenser:
    """A model that answers with what a function makes of the numbered statements."""

    def __init__(self, answer: Callable[[list[str]], list[dict[str, object]]]) -> None:
        self.answer, self.asked = answer, 0

    def ask(self, request: Request) -> Reply:
        self.asked += 1
        said = [line for line in request.text.split("\n") if line[:1].isdigit()]
        return Reply({"lines": self.answer(said)}, "test", "test", Usage())


def context(
    view: VaultView, changed: frozenset[str] | None = None, model: Model | None = None,
    now: str = NOW, **consolidate: Any,
) -> PassContext:  # fmt: skip
    """A consolidation of this view; further names are settings of `[consolidate]`."""
    settings = Settings()._replace(consolidate=ConsolidateSettings(**consolidate))
    box_sealer, judge = BoxSealer(settings.boxes), Silent()
    asking = judge if model is None else asking_judge(model, judge)
    return PassContext(view, now, settings, asking, box_sealer, fold, changed, True, model, PROMPTS)


def asking_judge(model: Model, rules: Judge | None = None) -> ModelJudge:
    """The judge of a consolidation with this model."""
    most = Settings().llm.max_input_tokens
    return ModelJudge(rules or RuleJudge(), PROMPTS["judge"], model, most)


class PairJudge:
    """A model that gives one relation, at high confidence, to all pairs of a question."""

    def __init__(self, relation: str) -> None:
        self.relation = relation
        self.asked: list[Request] = []

    def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        count = request.text.count("\nPair ")
        return Reply({"pairs": rows(self.relation, count)}, "test", "test", Usage())


def rows(relation: str, count: int = 1, confidence: str = "high") -> list[dict[str, object]]:
    """The rows of a model's answer about the first so many pairs of a question."""
    return [
        {"pair": n, "older": f"m{2 * n - 1}", "newer": f"m{2 * n}", "relation": relation,
         "confidence": confidence, "replaced": "", "reason": ""}
        for n in range(1, count + 1)
    ]  # fmt: skip


def aged(days: int, text: str = "The shop uses Postgres.", **more: Any) -> Memory:
    """A memory that was said so many days before the noon of the scene, to the second."""
    return memory(text, created=f"{plus_days(NOW, -days)}T12:00:00Z", **more)


def run_passes(
    context: PassContext, passes: Iterable[Pass], declined: frozenset[StepKey] = frozenset()
) -> ConsolidationPlan:
    """The plan of some passes, each run once; `declined` are steps that the person undid."""
    found = ConsolidationPlan()
    for part in PartPlanner(lambda: context.view, found, declined).parts(context, (), (*passes,)):
        found.steps += part.steps
    return found
