"""`engram extract`: turn pending turns into memories now, by the rules and by a model if any."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from engram.model.errors import BadInput
from engram.model.refusal_codes import meaning
from engram.surfaces import json as shapes
from engram.surfaces.cli.arguments import common
from engram.surfaces.cli.asking import agreed
from engram.surfaces.cli.output import emit_json, opened, plural, say, talk, wants_json
from engram.surfaces.cli.terminal import fitted, hanging, progress

if TYPE_CHECKING:
    from engram.model.intake import ExtractionResult
    from engram.model.model_request import Estimate, Request, Tier
    from engram.model.schema_score import SchemaScore
    from engram.model.verdict import Verdict
    from engram.vault import Vault

#: the exit codes of what the person has to see to (design 6)
_BUDGET, _FAILED = 4, 1
#: how the numbers behind a session's score are called; lines of one schema that are shown
_COUNTED = {"tool_call": "tool calls", "tool": "tools", "turn": "turns"}
_MOST_HITS = 5
_ACT = frozenset({"no-key", "auth", "quota", "no-such-model", "bad-request"})


@click.command("extract")
@click.option("--due", is_flag=True, help="Only what the triggers say is due.")
@click.option("--rules", is_flag=True, help="By the rules alone: no model is asked.")
@click.option("--model", is_flag=True, help="Let the model read imported turns too.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", is_flag=True, help="Show memories and questions, write nothing.")
@click.option("--triage", is_flag=True, help="Show what points to records, write nothing.")
@common
def command(
    due: bool, rules: bool, model: bool, yes: bool, dry_run: bool, triage: bool
) -> None:  # fmt: skip
    """Extract every pending turn, or with --due only those whose time has come.

    Where a model is configured it reads what was captured live; imported history is read by the
    rules alone, unless --model says otherwise: then the price is shown, and asked about, before.

    --triage explains how much in each conversation points to a record of each schema: in those that
    are pending, or else in the last ones.
    """
    if rules and model:
        raise click.UsageError("--rules and --model exclude each other")
    tier: Tier = "rules" if rules else "model" if model else "auto"
    with opened() as vault:
        if triage:
            _explain(vault)
            return
        if dry_run:
            _foretell(vault, due, tier)
            return
        if model and not yes and not _confirmed(vault, due):
            return
        outcome = _extract(vault, due, tier)
    if wants_json():
        emit_json(shapes.fields_of(outcome))
    else:
        _say(outcome)
    code = postponement(outcome)
    if code:
        raise click.exceptions.Exit(code)


def _extract(vault: Vault, due: bool, tier: Tier) -> ExtractionResult:
    if due:
        names = [waiting.transcript for waiting in vault.due()]
        return vault.extract_transcripts(names, tier)
    turns = sum(waiting.turns for waiting in vault.waiting())
    with progress(("extracting", turns)) as (extracted,):
        return vault.flush(extracted, tier)


def _say(outcome: ExtractionResult) -> None:
    say(
        f"{plural(outcome.turns, 'turn')}: {plural(outcome.memories, 'memory', 'memories')},"
        f" {outcome.confirmed} confirmed, {outcome.superseded} superseded"
    )
    if outcome.refused:
        say(refusals_told(outcome.refused), raw=True)
    if outcome.failed:
        again = "they stay pending and are tried again"
        say(f"failed {plural(outcome.failed, 'conversation')}; {again}")


def postponement(outcome: ExtractionResult) -> int:
    """Tell of conversations that wait for a model or a new budget; the exit code for it."""
    if not outcome.postponed:
        return 0
    wait = "waits" if outcome.postponed == 1 else "wait"
    talk(f"{plural(outcome.postponed, 'conversation')} {wait}, nothing is lost")
    return absence(outcome.reason, outcome.message, outcome.hint)


def absence(reason: str, message: str, hint: str) -> int:
    """Tell why no model answered, and what to do; the exit code for it."""
    talk(f"{'error' if reason in _ACT else 'note'}: {message}")
    talk(f"hint: {hint}")
    if reason == "budget":
        return _BUDGET
    return _FAILED if reason in _ACT else 0


def refusals_told(refused: Mapping[str, int]) -> str:
    """`refused 3: 2 request (an order for now), 1 cut (it is broken off)`; or `refused 0`."""
    most_first = sorted(refused.items(), key=lambda one: (-one[1], one[0]))
    each = [f"{count} {code} ({meaning(code)})" for code, count in most_first]
    told = f"refused {sum(refused.values())}{': ' if each else ''}{', '.join(each)}"
    return hanging(told, 2)


def show_estimate(costs: Sequence[Estimate], *, asked: bool) -> None:
    """One line on what a model costs; without `asked`, that none is going to read it."""
    calls, first = sum(cost.calls for cost in costs), costs[0]
    if not calls:
        return
    likely = sum(cost.likely_usd for cost in costs)
    most = sum(cost.usd for cost in costs)
    tokens = sum(cost.input_tokens for cost in costs)
    price = f"about {dollars(likely)}, at most {dollars(most)}" if most else "nothing"
    questions = f"{plural(calls, 'question')} of {tokens:,} tokens to {first.model}"
    guess = "" if first.priced else " (its price is not known: the dearest was taken)"
    if asked:
        say(f"the model costs {price}: {questions}{guess}")
    else:
        say(f"the rules read it, free of charge; with --model {price}: {questions}{guess}")


def dollars(usd: float) -> str:
    """An amount, with more digits where it is small."""
    return f"${usd:,.2f}" if usd >= 1 else f"${usd:.4f}"


def _confirmed(vault: Vault, due: bool) -> bool:
    asked, cost = vault.questions(due=due, tier="model")
    if not asked:
        return True
    show_estimate([cost], asked=True)
    if not sys.stdin.isatty():
        raise BadInput("not confirmed: nothing was sent", "give --yes to say so beforehand")
    if agreed("ask the model?"):
        return True
    talk("nothing was sent")
    return False


def _foretell(vault: Vault, due: bool, tier: Tier) -> None:
    """The memories that the rules would make, then the questions that a model would be asked."""
    verdicts = vault.preview(due=due, tier=tier)
    asked, cost = vault.questions(due=due, tier=tier)
    if wants_json():
        emit_json(shapes.extraction_preview(verdicts, asked, cost))
        return
    for one in verdicts:
        _say_verdict(one)
    for number, request in enumerate(asked, 1):
        _say_question(request, f"{number} of {len(asked)}", with_instructions=number == 1)
    if asked:
        show_estimate([cost], asked=True)
    if not verdicts and not asked:
        talk("nothing would be written")


def _explain(vault: Vault) -> None:
    """The score of each schema in each conversation, with the lines that count."""
    found = vault.triage()
    if wants_json():
        emit_json(shapes.triaged(found))
        return
    for one in found:
        say(f"{one.transcript}, {plural(one.turns, 'turn')}")
        for score in one.scores:
            _say_score(score)
    if not found:
        talk("no conversations")


def _say_score(score: SchemaScore) -> None:
    verdict = "drafted from" if score.triggers else "below"
    counted = ", ".join(f"{count} {_COUNTED[name]}" for name, count in score.counted)
    told = counted or f"{score.boosted} boosted, {score.plain} plain"
    say(f"  {score.schema:<12}{score.score:.2f}  {verdict} {score.threshold:.2f} ({told})")
    for hit in score.hits[:_MOST_HITS]:
        mark = "+" if hit.boosted else "-"
        say(fitted(f"{mark} [{hit.turn + 1}] {hit.words}", 6))


def _say_verdict(verdict: Verdict) -> None:
    # what was refused may be what must not be shown
    refused = f"{verdict.code} ({meaning(verdict.code)})"
    words = refused if verdict.decision == "refuse" else verdict.candidate.text
    say(f"{verdict.decision:<10}{verdict.candidate.category}")
    say(fitted(words, 4))


def _say_question(request: Request, which: str, *, with_instructions: bool) -> None:
    turns = plural(request.turns, "turn")
    size = f"at most {request.tokens:,} tokens"
    say(f"question {which}: {turns} of {request.subject}, {request.prompt}, {size}\n")
    if with_instructions:
        say(request.instructions + "\n")
    say(request.text + "\n")
