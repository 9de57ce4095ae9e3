"""The shapes of `--json`: what the vault answers with -> dicts that JSON can hold.

One pure function for each shape, for every surface that prints data; its docstring names the verbs
of the command line that print it. Guarantees: keys in the order in which they are printed, and
nothing but dicts, lists, tuples, texts, numbers, booleans and None as values. Other programs rely
on the keys: none is renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any

from engram.model.change import turns_in
from engram.model.consolidation_run import row_of
from engram.model.entity import Entity
from engram.model.instant import plus_minutes
from engram.model.item_view import item_row
from engram.model.memory import schema_name
from engram.model.promotion import PROMOTION_TARGET
from engram.model.refusal_codes import meaning
from engram.model.titles import shown_title
from engram.model.vault_label import split_id

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import DataclassInstance

    from engram.daemon.catch_up import CaughtUp
    from engram.daemon.service.install import Unit
    from engram.daemon.state.heartbeat import Heartbeat
    from engram.model.activity import Activity
    from engram.model.answer import ReasonedAnswer
    from engram.model.box import Box, Trace
    from engram.model.change import Plan, Transaction
    from engram.model.consolidation_run import ConsolidationRun
    from engram.model.edge import Link
    from engram.model.errors import EngramError
    from engram.model.findings import AuditReport, Finding, ReviewItem
    from engram.model.hit import ContextBlock, Hit, MatchingLine, RulesBlock
    from engram.model.intake import (
        CaptureResult,
        ExtractionResult,
        ImportReport,
        SourceCheck,
        SourceStock,
    )
    from engram.model.judgement import Measured
    from engram.model.memory import Memory
    from engram.model.model_request import Estimate, Request
    from engram.model.phase import ListedPhase, StartedPhase
    from engram.model.phase_diff import DiffedPhases
    from engram.model.proof import Proof
    from engram.model.report import (
        Collected,
        Consolidated,
        Edited,
        FallingMemory,
        MergeReport,
        PolicyTrial,
        Promotion,
        PurgeReport,
        RecordExport,
        Remembered,
        Scope,
        Status,
        TierCounts,
    )
    from engram.model.schema_score import TriagedConversation
    from engram.model.shown import (
        GivenTo,
        MemoryOrigin,
        Refusal,
        ShownFile,
        ShownSession,
        ShownTurn,
    )
    from engram.model.step import Page, Step
    from engram.model.summary import Summary
    from engram.model.tier import Retention
    from engram.model.verdict import Verdict
    from engram.settings.load import ValueOrigin
    from engram.settings.paths import UserPaths
    from engram.settings.policy_files import StatedValue
    from engram.settings.registry import Sharing
    from engram.settings.vaults_read import ReadVault
    from engram.surfaces.hooks.agent_settings import Changed
    from engram.surfaces.hooks.skill import SkillFile

Shape = dict[str, Any]

#: of the shapes in docs/json.md; another one when a key is renamed or taken away
VERSION = 1

#: the keys of one answer of `search`, in this order (design 6)
HIT_KEYS = (
    "docid", "score", "file", "line", "title", "snippet", "id", "collection", "category", "status",
    "created", "project", "tier",
)  # fmt: skip
_EXPLAINED = ("source", "why")


def error(told: str, message: str, hint: str) -> Shape:
    """Any verb that fails: the code of the error, what went wrong, and what to do about it."""
    return {"code": told, "message": message, "hint": hint}


# -- what is found ---------------------------------------------------------------------------------


def hit(found: Hit, explain: bool, *, around: bool = False, fold: bool = False) -> Shape:
    """`search`: one hit; with `explain` also its receipt and why it was found.

    With `around` also the turns before and after it, null for none; with `fold` how many more of
    its conversation match. A hit of another vault than the one asked has the label of its `vault`.
    """
    told = {name: getattr(found, name) for name in (*HIT_KEYS, *(_EXPLAINED if explain else ()))}
    told |= _vault(found.id)
    if around:
        beside = {"before": found.before, "after": found.after}
        told |= {name: None if one is None else one._asdict() for name, one in beside.items()}
    return told | ({"more": found.more} if fold else {})


def _vault(identifier: str) -> Shape:
    """The label of another vault; nothing for the one that is asked."""
    label, _ = split_id(identifier)
    return {"vault": label} if label else {}


def _other_vault(memory: Memory) -> Shape:
    """The label of another vault, the file there, and what its word is worth."""
    told = _vault(memory.id)
    return told | {"file": memory.path, "authority": memory.authority} if told else {}


def matching_line(path: str, line: MatchingLine) -> Shape:
    """`grep`: one line of a file."""
    return {"file": path, "line": line.number, "text": line.text}


def context_block(block: ContextBlock) -> Shape:
    """`recall`: the text for an agent, what it holds, and the answer where one was looked for.

    With the chains of the memories, newest first, where they were asked for.
    """
    chains = (
        None
        if block.history is None
        else {name: [step._asdict() for step in steps] for name, steps in block.history}
    )
    return {
        "text": block.text, "tokens": block.used_tokens,
        "memories": list(block.shown), "left_out": block.left_out,
        "answer": None if block.answer is None else reasoned_answer(block.answer),
        **({} if chains is None else {"history": chains}),
    }  # fmt: skip


def reasoned_answer(answer: ReasonedAnswer) -> Shape:
    """`recall`: an answer, how it was come by and what it rests on; days are empty for no time."""
    return {
        "answer": answer.answer, "confidence": answer.confidence,
        "start": answer.start, "end": answer.end,
        "reasoning": answer.reasoning.splitlines(),
        "temporal_resolutions": [one._asdict() for one in answer.temporal_resolutions],
        "source_memories": [one._asdict() for one in answer.source_memories],
        "requires_inference": answer.requires_inference, "asked_model": answer.asked_model,
        "model_fault": answer.model_fault,
    }  # fmt: skip


def memory_row(memory: Memory) -> Shape:
    """`list`, `today`: one memory."""
    return {
        "id": memory.id, "category": memory.category,
        "schema": schema_name(memory), "title": shown_title(memory),
        "status": memory.status, "kind": memory.kind, "created": memory.created,
        "project": memory.project, "text": memory.text, **_sure(memory),
        "importance": memory.importance, "tags": list(memory.tags), "file": memory.path,
    }  # fmt: skip


def _sure(memory: Memory) -> Shape:
    """The confidence of a memory as it stands, as a number and as a word."""
    from engram.model.memory import confidence_level, current_confidence

    number = current_confidence(memory)
    return {"confidence": number, "confidence_level": confidence_level(number)}


def memory_file(memory: Memory, shown: ShownFile) -> Shape:
    """`show`: a memory with every key of its header, what made it, and its file as it is.

    Of a record also the schema that it has, and its `fields` by seed 001's names.
    """
    # imported here: only this needs them
    from engram.model.record import record_of
    from engram.model.record_json import content_json

    record = record_of(memory)
    told: Shape = {} if record is None else {
        "schema": record.schema, "fields": content_json(record),
    }  # fmt: skip
    return asdict(memory) | told | {
        **_sure(memory), "extra": memory.extras, "source_step": shown.step._asdict(),
        **_retained(shown.retention),
        "file": memory.path, "sha256": shown.sha256, "markdown": shown.text, **_vault(memory.id),
    }  # fmt: skip


def page_file(page: Page, markdown: str) -> Shape:
    """`show`: a box, an entity or another page, and its file as it is."""
    return asdict(page) | {"file": page.path, "markdown": markdown}


def tiers(counts: TierCounts) -> Shape:
    """`tiers`: how many memories are in each tier, of all and of each category."""
    return {
        "tiers": dict(counts.tiers),
        "categories": {name: dict(found) for name, found in counts.categories.items()},
    }


def activity(found: Activity) -> Shape:
    """`stats`: turns, memories and use of models by week, by project, by model; refusals by code.

    `since` is the first day, `before` the first that does not count.
    """
    return {
        "since": found.since, "before": found.before, "turns": found.turns,
        "memories": found.memories,
        "weeks": [asdict(one) for one in found.weeks],
        "projects": [asdict(one) for one in found.projects],
        "refused": [
            {"code": code, "meaning": meaning(code), "count": count}
            for code, count in found.refused.items()
        ],
        "models": [asdict(one) for one in found.models],
    }  # fmt: skip


def falling(one: FallingMemory) -> Shape:
    """`tiers --at-risk`: a memory, its score, and when it will be in which lower tier."""
    return memory_row(one.memory) | _retained(one.retention) | {
        "lower": one.lower, "days": one.days,
    }  # fmt: skip


def _retained(retention: Retention | None) -> Shape:
    """The tier of a memory, the parts of its score, and the summaries that lower it."""
    if retention is None:
        return {}
    score = retention.score
    parts = ("overall", "recency", "activation", "importance")
    return {
        "tier": retention.tier,
        "retention": {name: round(getattr(score, name), 4) for name in parts},
        "summaries": list(retention.summaries),
    }


def shown_turn(said: ShownTurn) -> Shape:
    """`show`: one turn, and where its transcript shows it."""
    turn = said.turn
    return {
        "id": said.link, "file": said.file, "line": said.line, "role": turn.role,
        "speaker": turn.speaker, "time": turn.time, "project": turn.project, "text": turn.text,
    }  # fmt: skip


def session(found: ShownSession) -> Shape:
    """`show`: a conversation, its transcript, the items of its short-term memory, and its turns."""
    return {
        "id": found.name, "file": found.file, "items": [item_row(one) for one in found.items],
        "turns": [
            {
                "id": f"{turn.transcript}#^{turn.block}", "role": turn.role,
                "speaker": turn.speaker, "time": turn.time, "text": turn.text,
            }
            for turn in found.turns
        ],
    }  # fmt: skip


def origin(found: MemoryOrigin) -> Shape:
    """`why`: what made a memory, its receipts, every event since, and its life in sentences."""
    memory = found.memory
    return {
        "id": memory.id, "text": memory.text, "quote": memory.quote, "status": memory.status,
        "source_step": found.step._asdict(), **_other_vault(memory),
        **_sure(memory), **_retained(found.retention),
        "receipts": [
            {"source": link, "time": time, "role": role, "said": said, "file": file, "line": line}
            for (link, time, role, said), (file, line) in zip(
                found.receipts, found.places, strict=True
            )
        ],
        "events": [
            {"n": number, "time": time, "event": event.name, **dict(event.details)}
            for number, time, event in found.events
        ],
        "life": [{"day": day, "n": number, "text": text} for day, number, text in found.life],
    }  # fmt: skip


def refusal(one: Refusal) -> Shape:
    """`why --refused`: one refused candidate, and what its turn says now."""
    return {
        "n": one.number, "time": one.time, "code": one.code, "meaning": meaning(one.code),
        "origin": one.origin, "rule": one.rule,
        "factors": dict(one.factors),
        "source": one.link, "said": one.said,
    }  # fmt: skip


def given_to(one: GivenTo) -> Shape:
    """`why --given`: one time that a memory was given."""
    return {
        "time": one.time, "by": one.by, "session": one.session, "how": one.how,
        "recall_reason": list(one.why), "summary": one.summary or None,
        "source": one.link or None, "question": one.question or None,
    }  # fmt: skip


def link(one: Link) -> Shape:
    """`links`: one link from or to a memory, a page, a turn or a conversation."""
    edge, content = one.edge, one.content
    named = content.name if isinstance(content, Entity) else content.title if content else ""
    return {
        "relation": one.relation, "target": one.target, "title": named,
        "file": content.path if content else "",
        "reason": edge.reason if edge else "", "confidence": edge.confidence if edge else "",
        "transaction": (edge.transaction or None) if edge else None,
    }  # fmt: skip


def entity_page(entity: Entity, markdown: str) -> Shape:
    """`entities show`: all that is known of one, and its page as it is."""
    row = asdict(entity)
    lines = {
        "timeline": ("day", "memory", "text"),
        "relations": ("entity", "label", "memory"),
        "activity": ("day", "memory", "note"),
    }
    for field, keys in lines.items():
        row[field] = [dict(zip(keys, line, strict=True)) for line in row[field]]
    row["file"] = row.pop("path")
    return row | {"markdown": markdown}


def box(found: Box, gap_minutes: float) -> Shape:
    """`boxes`, `traces show`: one box; `seals_at` is when silence seals one that is open."""
    row = asdict(found)
    row["file"] = row.pop("path")
    row["memories"] = [{"id": name, "text": text} for name, text in row.pop("lines")]
    row["open"] = not found.path
    ended = found.path or found.seal
    row["seals_at"] = "" if ended else plus_minutes(found.sealed, gap_minutes)
    return row


def summary(found: Summary, markdown: str | None = None) -> Shape:
    """`summaries`: one summary, each of its lines with its memories; to be shown also its page."""
    row = asdict(found)
    row["file"] = row.pop("path")
    return row if markdown is None else row | {"markdown": markdown}


def trace_line(found: Trace, boxes: Iterable[Box]) -> Shape:
    """`traces show`: a trace with its boxes, oldest first."""
    return {
        "id": found.id, "topics": list(found.topics), "boxes": [box(one, 0.0) for one in boxes]
    }  # fmt: skip


# -- what is changed -------------------------------------------------------------------------------


def remembered(done: Remembered) -> Shape:
    """`remember`, `new`: the memory that stands now."""
    memory = done.memory
    return {
        "id": memory.id, "decision": done.decision, "code": done.code,
        "category": memory.category, "file": memory.path,
    }  # fmt: skip


def new_status(identifier: str, status: str) -> Shape:
    """`forget`, `restore`: a memory and the status it has now."""
    return {"id": identifier, "status": status}


def forgotten(scope: Scope, done: bool) -> Shape:
    """`forget`: what is, or would be, forgotten; `id` where that is one memory."""
    names = [memory.id for memory in scope.memories]
    return {
        "id": names[0] if len(names) == 1 else "", "status": "retired" if done else "",
        "memories": names, "turns": list(scope.links),
    }  # fmt: skip


def ruling(before: Memory, after: Memory) -> Shape:
    """`confirm`, `retire`, `archive`, `supersede`, `resolve`: one memory that was decided about."""
    return {"id": before.id, "was": before.status, "status": after.status}


def promotion(done: Promotion) -> Shape:
    """`promote`: one memory, the space and project that it is in now, and why it may stay."""
    return {
        "id": done.before.id, "code": done.code, "was": done.before.space,
        "space": done.after.space, "project": done.after.project, "status": done.after.status,
        "asked": done.after.extras.get(PROMOTION_TARGET, ""),
    } | ({"shared": done.shared, "file": done.path} if done.shared else {})  # fmt: skip


def collected(done: Collected) -> Shape:
    """`gc`: what was moved and since when it was retired, what was dated, how many have time."""
    return {
        "moved": [
            {"id": memory.id, "retired": since, "file": memory.path} for memory, since in done.moved
        ],
        "dated": [memory.id for memory in done.dated],
        "waiting": done.waiting,
    }


def edit(done: Edited) -> Shape:
    """`edit`: each field that was changed, as it was and as it is."""
    return {
        "id": done.before.id, "problem": done.problem,
        "changed": {name: [old, new] for name, old, new in done.differences()},
    }  # fmt: skip


def review_item(item: ReviewItem, keys: Mapping[str, str]) -> Shape:
    """`review`: one question, with the keys that answer it."""
    return {
        "reason": item.reason,
        "why": item.why,
        "keys": keys,
        **({"item": item.item} if item.item else {}),
        "memories": [
            {
                "id": memory.id, "category": memory.category, "status": memory.status,
                "created": memory.created, "project": memory.project, "text": memory.text,
                "title": shown_title(memory), "quote": memory.quote,
                "sources": memory.sources, **_sure(memory),
                "authority": memory.authority, "expires": memory.expires, "file": memory.path,
            }
            for memory in item.memories
        ],
    }  # fmt: skip


def refused_candidate(one: Verdict, keys: Mapping[str, str]) -> Shape:
    """`review --refused`: one candidate and why it was refused; no words of one without keys."""
    found, receipt = one.candidate, one.candidate.receipt
    return {
        "code": one.code, "meaning": meaning(one.code), "rule": found.rule, "keys": keys,
        "category": found.category, "created": receipt.time, "project": found.project,
        "source": receipt.link, "text": found.text if keys else "",
        "quote": receipt.quote if keys else "",
    }  # fmt: skip


def secrets(holding: Sequence[str], left: Sequence[str]) -> Shape:
    """`purge --secrets`: the files that held some, and those that still do."""
    return {"files": list(holding), "left": list(left)}


def purge(report: PurgeReport) -> Shape:
    """`purge`: what is, or would be, destroyed, and where words of it still stand."""
    purged = report.purged
    names = [name for name, _ in purged.memories]
    return {
        "id": names[0] if len(names) == 1 else "", "memories": names, "files": purged.paths,
        "turns": purged.turns, "conversations": purged.conversations,
        "still_citing_the_same_turns": purged.citing, "shared": [*purged.shared],
        "left": [_words_at(one) for one in report.left],
        "said_elsewhere": [_words_at(one) for one in report.elsewhere],
    }  # fmt: skip


def _words_at(place: tuple[str, tuple[str, ...]]) -> Shape:
    return {"path": place[0], "words": list(place[1])}


def consolidated(done: Consolidated) -> Shape:
    """`consolidate`: its steps and its record."""
    steps = [step(number, one) for number, one in enumerate(done.steps, done.first)]
    return {"transaction": done.transaction, "steps": steps, "run": row_of(done.run)}


def step(number: int, one: Step) -> Shape:
    """`consolidate`: one step."""
    return {
        "step": number, "pass": one.task, "action": one.action, "subjects": one.subjects,
        "why": one.why, **({"notes": one.notes} if one.notes else {}),
    }  # fmt: skip


def merge(done: MergeReport) -> Shape:
    """`conflicts`: each conflict copy, and whether it was taken in."""
    return {
        "transaction": done.transaction,
        "conflicts": [
            {"path": one.path, "original": one.original, "taken_in": not one.why, "why": one.why}
            for one in done.apart
        ],
    }


def transaction(one: Transaction, run: ConsolidationRun | None = None) -> Shape:
    """`log N`: the files of a transaction, and the steps of a consolidation, each once, with its
    record."""
    steps: dict[str, Shape] = {}
    for event in one.plan.events:
        details = dict(event.details)
        if event.name == "consolidated":
            found = steps.setdefault(details["step"], details | {"subjects": []})
            found["subjects"].append(event.subject)
    return {
        "number": one.number, "time": one.time, "kind": one.plan.kind,
        "changes": [
            {"path": change.path, "why": change.why}
            for change in (*one.plan.changes, *one.plan.seen)
        ],
        "steps": list(steps.values()),
        **({} if run is None else {"run": row_of(run)}),
    }  # fmt: skip


def undo(done: Transaction) -> Shape:
    """`undo`: what was, or would be, taken back."""
    plan = done.plan
    return {
        "transaction": done.number, "undoes": plan.undoes, "files": len(plan.changes),
        "turns": turns_in((*plan.withdraw, *plan.readmit, *plan.requeue)),
        "left": done.left, "purged": purged_of(plan),
    }  # fmt: skip


def purged_of(plan: Plan) -> list[str]:
    """The names of what an undo could not bring back or take away, because it was purged."""
    return [event.subject for event in plan.events if ("what", "purged") in event.details]


# -- what is captured and extracted ----------------------------------------------------------------


def capture(taken: CaptureResult) -> Shape:
    """`capture -`: what was taken in."""
    return {
        "new_turns": taken.new, "redactions": taken.redactions, "withheld_turns": taken.withheld,
        "batch": taken.batch,
    }  # fmt: skip


def caught_up(turns: int, files: int, waiting: int, failed: int) -> Shape:
    """`hook catch-up`: what was taken in of the transcripts that hooks named."""
    return {"turns": turns, "files": files, "waiting": waiting, "failed_hooks": failed}


def requeued(turns: int) -> Shape:
    """`retry`: how many turns wait again."""
    return {"turns": turns}


def imported(
    source: str,
    report: ImportReport,
    outcome: ExtractionResult | None,
    cost: Estimate | None = None,
) -> Shape:
    """`import`: one source; without an outcome, what would be; with the price of a model if any."""
    row: Shape = {
        "source": source,
        "files": report.files,
        "sessions": len(report.sessions),
        "turns": report.turns,
        "user_turns": report.user_turns,
        "assistant_turns": report.assistant_turns,
        "queued_turns": report.queued_turns,
        "new_turns": report.new_turns,
        "returned_turns": report.returned,
        "withheld_turns": report.withheld,
        "unparsed_lines": report.tally.unparsed_lines,
        "redactions": report.redactions,
        "memories": outcome.memories if outcome else 0,
        "confirmed": outcome.confirmed if outcome else 0,
        "superseded": outcome.superseded if outcome else 0,
        "refused": outcome.refused if outcome else {},
        "problems": _problems(report.problems),
        "batch": report.batch,
    }
    if outcome is not None and outcome.postponed:
        row["postponed"] = {"reason": outcome.reason, "conversations": outcome.postponed}
    if cost is not None:
        row["estimate"] = asdict(cost)
    return row


def extraction_preview(
    verdicts: Iterable[Verdict], asked: Sequence[Request], cost: Estimate
) -> Shape:
    """`extract --dry-run`: what the rules would write, and what a model would be asked."""
    return {
        "memories": [
            {
                "decision": one.decision, "code": one.code, "category": one.candidate.category,
                # what was refused may be what must not be shown
                "text": one.candidate.text if one.decision != "refuse" else "",
            }
            for one in verdicts
        ],
        "questions": [
            {"conversation": one.subject, "turns": one.turns, "prompt": one.prompt,
             "tokens": one.tokens, "instructions": one.instructions, "text": one.text}
            for one in asked
        ],
        "estimate": asdict(cost) if asked else None,
    }  # fmt: skip


def triaged(found: Iterable[TriagedConversation]) -> list[Shape]:
    """`extract --triage`: the scores of each conversation, and the lines behind them."""
    return [
        {
            "conversation": one.transcript, "turns": one.turns,
            "schemas": [
                {
                    "schema": score.schema, "score": score.score, "threshold": score.threshold,
                    "triggers": score.triggers, "plain": score.plain, "boosted": score.boosted,
                    "hits": [
                        {"turn": hit.turn + 1, "boosted": hit.boosted, "words": hit.words}
                        for hit in score.hits
                    ],
                    **dict(score.counted),
                }
                for score in one.scores
            ],
        }
        for one in found
    ]  # fmt: skip


def source_stock(stock: SourceStock, places: Mapping[str, bool], watched: bool) -> Shape:
    """`sources`: what there is of one source, and which of its places exist."""
    return {
        "source": stock.source,
        "files": stock.files,
        "bytes": stock.bytes,
        "first": stock.first,
        "last": stock.last,
        "complete": stock.complete,
        "verified": stock.verified,
        "watched": watched,
        "places": [{"path": path, "exists": exists} for path, exists in places.items()],
    }


def watched_sources(names: Sequence[str]) -> Shape:
    """`sources --watch`, `--unwatch`: whose transcripts are captured from now on."""
    return {"watched": names}


# -- how it is with the vault ----------------------------------------------------------------------


def status(
    state: Status, failed_hooks: int, daemon: bool, noted: int, caught_up: CaughtUp | None,
    inbox: Mapping[str, str],
) -> Shape:  # fmt: skip
    """`status`: the counts of a vault, and of what works for it on this machine.

    `inbox` are the files that it does not take in, with why; `json` is the version of all shapes.
    """
    run = None if state.last_run is None else row_of(state.last_run)
    return {
        **asdict(state), "last_run": run, "failed_hooks": failed_hooks, "noted": noted,
        "caught_up": None if caught_up is None else asdict(caught_up), "daemon": daemon,
        "inbox": dict(inbox), "json": VERSION,
    }  # fmt: skip


def vaults_of_agents(
    own: str, problem: EngramError | None, beside: Iterable[ReadVault]
) -> dict[str, object]:
    """`status`: the vaults that agents in this folder are given of; why nothing of the own one."""
    told = {} if problem is None else {"problem": str(problem), "fix": problem.hint}
    return {
        "own_vault": {"path": own, **told},
        "beside": [
            {"path": str(one.path), "label": one.label, "spaces": one.spaces} for one in beside
        ],
    }


def source_checks(checked: Iterable[SourceCheck], findings: Iterable[Finding]) -> Shape:
    """`doctor --sources`: what was read of each source, and what was found by it."""
    return {
        "sources": [_source_check(found) for found in checked],
        "findings": [fields_of(found) for found in findings],
    }


def proof(found: Proof) -> Shape:
    """`events --verify`: whether the log holds, and what a check of it found."""
    return {"holds": found.holds} | fields_of(found)


def audit(report: AuditReport, most: int | None) -> Shape:
    """`audit`: each row with `most` of its flaws as examples, or with all; the rules with noise;
    what was measured by a sample, None before there is one."""
    return {
        "rows": [
            {
                "name": row.name, "count": len(row.flaws), "of": row.among, "share": row.share,
                "threshold": row.threshold, "verdict": row.verdict, "fix": row.fix,
                "title": row.title, "means": row.means,
                "flaws" if most is None else "examples": [
                    asdict(flaw) for flaw in row.flaws[:most]
                ],
            }
            for row in report.rows
        ],
        "rules": [
            {"rule": rule, "noise": noise, "of": known} for rule, noise, known in report.rules
        ],
        "measured": None if report.measured is None else asdict(report.measured),
    }  # fmt: skip


def sample(memories: Iterable[Memory], measured: Measured | None) -> Shape:
    """`audit --sample`: the memories to be judged, and what was measured so far."""
    return {
        "memories": [
            memory_row(memory) | {"quote": memory.quote, "sources": memory.sources}
            for memory in memories
        ],
        "measured": None if measured is None else asdict(measured),
    }


def rebuilt(counts: tuple[int, int] | None, mended: Sequence[str]) -> Shape:
    """`rebuild`: memories and turns in the index, None for a dry run; views made anew."""
    held = {} if counts is None else {"memories": counts[0], "turns": counts[1]}
    return held | {"views_mended": mended}


# -- what is set up on this machine ----------------------------------------------------------------


def new_vault(root: Path, remote: str, shares: str = "", *, made: bool = True) -> Shape:
    """`init`: the vault, whether it was made now, the git remote that what is captured would be
    pushed to, and of one to share the space of its memories."""
    told: Shape = {"vault": str(root), "made": made, "git_remote": remote}
    return told | ({"shares": shares} if shares else {})


def trusted_vault(
    root: Path, sharing: Sharing | None = None, *, holds: tuple[int, int] | None = None,
    unknown: Sequence[str] = (),
) -> Shape:  # fmt: skip
    """`trust`: the vault that is registered; of a shared one also for whom; of one's own how many
    memories and turns it holds, and what another machine alone knows of them."""
    told: Shape = {"vault": str(root), "trusted": True}
    if holds is not None:
        told |= {"memories": holds[0], "turns": holds[1], "unknown": [*unknown]}
    if sharing is not None:
        shown = {"for": [*sharing.serves], "authority": sharing.authority}
        told |= {"shares": sharing.space, **shown}
    return told


def setting_origins(origins: Mapping[str, ValueOrigin]) -> Shape:
    """`config show`: every key by name, with its value and where that came from."""
    return {name: origins[name]._asdict() for name in sorted(origins)}


def changed_setting(key: str, value: object, file: Path) -> Shape:
    """`config set`: the value as it is understood."""
    return {"key": key, "value": value, "file": str(file)}


def policy_values(
    digest: str, values: Mapping[str, StatedValue], without_effect: Mapping[str, StatedValue],
    problem: Shape | None,
) -> Shape:  # fmt: skip
    """`policy show`: every value by name, with its origin; what has no effect; what went wrong."""
    return {
        "policy": digest,
        "values": {name: _stated(values[name]) for name in sorted(values)},
        "without_effect": {name: _stated(one) for name, one in without_effect.items()},
        "problem": problem,
    }


def listed_phase(one: ListedPhase) -> Shape:
    """`phases list`: a phase of a store, since when, and how many memories it has."""
    return {
        "space": one.store.space, "owner": one.store.owner, "phase_id": one.phase.id,
        "phase_name": one.phase.name or None, "phase_reason": one.phase.reason,
        "started": one.start, "phase_started_at": one.tick, "memories": one.memories,
        "current": one.current,
    }  # fmt: skip


def started_phase(found: StartedPhase) -> Shape:
    """`phases start`: the current phase; `began` is false where it was called so already."""
    return {
        "space": found.store.space, "owner": found.store.owner, "phase_id": found.phase.id,
        "phase_name": found.phase.name, "phase_reason": found.phase.reason,
        "started": found.phase.start, "began": found.began,
    }  # fmt: skip


def diffed_phases(found: DiffedPhases) -> Shape:
    """`phases diff`: the counts, every change by item, the first ones whole, and them in words."""
    diff = found.diff
    added, deleted, replaced = diff.counts
    return {
        "space": found.store.space, "owner": found.store.owner,
        "from_phase_id": found.before.id, "to_phase_id": found.after.id,
        "added_count": added, "deleted_count": deleted, "replaced_count": replaced,
        "added": [one.id for one in diff.added], "deleted": [one.id for one in diff.deleted],
        "replaced": [[one.before.id, one.after.id, one.key] for one in diff.replaced],
        "top_changes": diff.top_changes, "summary_lines": diff.summary_lines,
    }  # fmt: skip


def policy_trial(found: PolicyTrial) -> Shape:
    """`policy test`: the item that a text would be, each step of the policy, and the verdict."""
    return {
        "event_type": found.event_type, "kind": found.kind, "store": found.store,
        "category": found.category, "authority": found.authority,
        "steps": [step._asdict() for step in found.steps],
        "allowed": all(step.passed for step in found.steps),
        "decision": found.decision, "code": found.code, "memories": list(found.memories),
    }  # fmt: skip


def _stated(found: StatedValue) -> Shape:
    """A value of a policy file as plain data, with its origin."""
    value = found.value
    if type(value) is tuple:  # and no rule of retention, whose fields have names
        return found._asdict() | {"value": [_plain(one) for one in value]}
    return found._asdict() | {"value": _plain(value)}


def _plain(value: object) -> object:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return value._asdict()
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def user_paths(places: UserPaths) -> dict[str, str]:
    """`config path`: where the files of the person are."""
    return {
        "config": str(places.config_file), "policy": str(places.policy_file),
        "vaults": str(places.registry_file), "cache": str(places.cache_dir),
        "default_vault": str(places.vault),
    }  # fmt: skip


def completion(shell: str, script: str, loaded: str) -> Shape:
    """`completion`: the script of a shell, and the line that loads it for good."""
    return {"shell": shell, "script": script, "load": loaded}


def manual_page(page: str) -> Shape:
    """`man`: the page in roff."""
    return {"roff": page}


def agent_settings(
    agent: str, changed: Changed, skill: Sequence[SkillFile], dry_run: bool, diff: str,
    **more: object,
) -> Shape:  # fmt: skip
    """`connect` (and its `command`), `disconnect` (and whether the file is `as_before`)."""
    return {
        "agent": agent, "file": str(changed.path), "changed": changed.differs, "dry_run": dry_run,
        **more, "diff": diff,
        "skill": [
            {"file": str(one.path), "changed": one.differs, "left": one.left} for one in skill
        ],
    }  # fmt: skip


def exported(changed: Changed, block: RulesBlock, dry_run: bool, diff: str) -> Shape:
    """`export claude`: the file, and the memories in its block."""
    return {
        "file": str(changed.path), "changed": changed.differs, "dry_run": dry_run,
        "memories": list(block.shown), "left_out": block.left_out, "diff": diff,
    }  # fmt: skip


def exported_records(
    folder: str, written: Iterable[str], same: int, newer: Iterable[str], dry_run: bool,
    found: RecordExport,
) -> Shape:  # fmt: skip
    """`export claude-memory DIR`: which files were written, and what was not."""
    return {
        "folder": folder, "dry_run": dry_run, "written": list(written), "unchanged": same,
        "newer": list(newer), "withheld": found.withheld,
        "incomplete": [one.path for one in found.records if not one.whole],
    }  # fmt: skip


def service_unit(manager: str, unit: Unit, dry_run: bool) -> Shape:
    """`daemon install`: the unit of a service manager."""
    return {
        "manager": manager, "file": str(unit.path), "changed": unit.differs, "dry_run": dry_run,
        "unit": unit.after,
    }  # fmt: skip


def service_removed(paths: Iterable[Path], dry_run: bool) -> Shape:
    """`daemon uninstall`: what was, or would be, removed."""
    return {"removed": [str(path) for path in paths], "dry_run": dry_run}


def daemon_started(pid: int, by: str) -> Shape:
    """`daemon start`: its process, and the service manager that runs it if any."""
    return {"running": True, "pid": pid, "by": by}


def daemon_stopped(pid: int) -> Shape:
    """`daemon stop`: the process that is gone, 0 when there was none."""
    return {"running": False, "stopped": pid}


def daemon_status(running: bool, heartbeat: Heartbeat, paused: Sequence[str]) -> Shape:
    """`daemon status`: what it said last of itself."""
    return {"running": running, **asdict(heartbeat), "paused": paused}


def paused_sources(names: Sequence[str]) -> Shape:
    """`daemon pause`, `daemon resume`: what is not read at present."""
    return {"paused": names}


# -- parts of several ------------------------------------------------------------------------------


def fields_of(value: DataclassInstance) -> Shape:
    """`doctor`, `entities`, `extract`, `log`, `traces`: what has no other shape than its fields."""
    return asdict(value)


def _source_check(found: SourceCheck) -> Shape:
    return {
        "source": found.source,
        "verified": found.verified,
        "files": found.files,
        "lines": found.tally.lines,
        "user_turns": found.user_turns,
        "assistant_turns": found.assistant_turns,
        "unparsed_lines": found.tally.unparsed_lines,
        "unknown": found.tally.unknown,
        "problems": _problems(found.problems),
    }


def _problems(found: Iterable[tuple[str, str]]) -> list[Shape]:
    return [{"file": name, "problem": problem} for name, problem in found]
