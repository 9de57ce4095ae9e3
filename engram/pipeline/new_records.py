"""A record that a person or a program dictates -> a memory with a receipt, or a refusal.

Taken as the person's own words: active, user_asserted, full confidence. Every text passes the
checks that `remember` makes. Guarantees: what is there in the same words is there once; what is
there in other words, and what was retired or purged a short while ago, is not written over. Refuses
by BadInput with seed 001's code; no text that was refused is repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.capture.accept import cleaned, legible
from engram.model.change import Event, Plan
from engram.model.errors import BadInput
from engram.model.ids import is_id, memory_id, slug
from engram.model.instant import Instant, day_of
from engram.model.markdown import inert_line, neutralise
from engram.model.memory import SESSION, Memory, schema_name
from engram.model.numbering import place_of
from engram.model.project_path import is_project_path
from engram.model.record import FieldFault, Record, faults_of, parts_of, record_of
from engram.model.record_json import ID_FORM
from engram.model.record_words import record_alias
from engram.model.refusal_codes import meaning
from engram.model.report import Remembered
from engram.model.retention import expiry
from engram.model.schemas import RECORD_MOST
from engram.model.text import content_hash
from engram.model.trace import WRITE
from engram.model.turn import Turn, turn_of
from engram.pipeline.dictation import dictated, harm_in_words, log_refusal, refuse_text, unheard
from engram.pipeline.writing import writing

if TYPE_CHECKING:
    from engram.capture.redact.redactor import Redactor
    from engram.model.candidate import Candidate
    from engram.model.change import Range
    from engram.pipeline.ports import Ports

#: as many faults are told at once
_TOLD = 5
_PATH = "PATH_ERROR"


def make(
    record: Record, faults: Iterable[FieldFault], name: str, project: str, ports: Ports, *,
    dry_run: bool = False,
) -> Remembered:  # fmt: skip
    """The memory of a record, written but for a dry run; or the one that says the same already.

    `name` is its slug; without one it is made of the title. Raises BadInput.
    """
    if dict(ports.settings.records.capture).get(record.schema) == "off":
        raise BadInput(
            f"records.capture.{record.schema} is off: no {record.schema} is written",
            f"`engram config set records.capture.{record.schema} by-hand`", code="INPUT_ERROR",
        )  # fmt: skip
    _check(record, faults, name, ports.redactor)
    record = _clean(record)
    texts = (*_texts(record), name, project)
    now = ports.clock.now()
    _refuse_denied(record, texts, project, now, ports, dry_run=dry_run)
    turn = cleaned(
        turn_of("user", _dictation(record), now, source="remember", session=day_of(now),
                project=project),
        ports.redactor,
    )[0]  # fmt: skip
    alias = name or record_alias(record.title, record.schema)
    ports.check_writable()
    if dry_run:
        return _decided(record, alias, turn, ports)[0]
    with writing(ports):
        # imported here: it brings all of extraction along
        from engram.pipeline.ingest import take_in

        done, plan = _decided(record, alias, turn, ports)
        if plan is not None:
            taken = take_in([turn], ports, again=True)
            ack: tuple[Range, ...] = ((taken.first, taken.last),) if taken.new else ()
            ports.committer.commit(plan._replace(ack=ack))
        return replace(done, memory=ports.view.memory(done.memory.id) or done.memory)


def _check(
    record: Record, faults: Iterable[FieldFault], name: str, redactor: Redactor
) -> None:  # fmt: skip
    """Raise BadInput for what is no whole record, and for paths that lead elsewhere."""
    found = list(faults)
    if any(one.expected == ID_FORM for one in found) or (name and not is_id(name)):
        raise BadInput(
            "the id is no name: where a record is written is not for it to say",
            f"an id has {ID_FORM}, such as use-jwt", code=_PATH,
        )  # fmt: skip
    told_of = {one.field for one in found}
    found += [one for one in faults_of(record) if one.field not in told_of]
    if found:
        told = "; ".join(str(one) for one in dict.fromkeys(found[:_TOLD]))
        raise BadInput(
            f"{record.schema}: {redactor.redact(told).text}",
            f"`engram new {record.schema}` shows the form", code="VALIDATION_ERROR",
        )  # fmt: skip
    if not all(map(is_project_path, record.related_files)):
        raise BadInput(
            "related_files: a path leads out of the project, or to nothing",
            "write paths as they stand in the project, such as src/app.py", code=_PATH,
        )  # fmt: skip


def _clean(record: Record) -> Record:
    """The record without signs that nobody sees; titles and tags on one line."""
    # imported here: a vault that is only read needs none of its patterns
    from engram.language.hidden_text import without_hidden_signs

    def clean(text: str) -> str:
        return without_hidden_signs(legible(text))

    tags = dict.fromkeys(filter(None, (inert_line(clean(tag)) for tag in record.tags)))
    return replace(
        record,
        title=inert_line(clean(record.title)),
        tags=tuple(tags),
        related_files=tuple(inert_line(clean(path)) for path in record.related_files),
        values=tuple(
            (name, clean(value) if isinstance(value, str) else tuple(map(clean, value)))
            for name, value in record.values
        ),
    )


def _texts(record: Record) -> list[str]:
    texts = [record.title, *record.tags, *record.related_files]
    for _, value in record.values:
        texts += [value] if isinstance(value, str) else value
    return texts


def _refuse_denied(
    record: Record, texts: Sequence[str], project: str, now: Instant, ports: Ports, *,
    dry_run: bool,
) -> None:  # fmt: skip
    """Raise BadInput for a record that is never stored, or that the policy denies; it is logged."""
    # imported here: a vault that is only read needs none of its patterns
    from engram.admit.gate.write_policy import attempt_of, evaluate_write

    redactor = ports.redactor
    place = slug(project) if project and redactor.clean(project) else ""
    candidate = unheard(record.statement, parts_of(record).category, place, now)
    candidate = replace(candidate, schema=record.schema)
    harms = ((text, *harm_in_words(text, redactor)) for text in texts)
    text, code, rule = next((found for found in harms if found[1]), ("", "", ""))
    if not code:
        attempt = attempt_of(candidate)
        denied = evaluate_write(ports.policy, attempt, texts, redactor.clean)
        code, rule = ("", "") if denied.allowed else (denied.reason, denied.rule)
    if not code:
        return
    if not dry_run:
        log_refusal(candidate, code, rule, ports)
    refuse_text(text, redactor)
    raise BadInput(f"refused: {code} ({meaning(code)})", "`engram policy show` tells what is kept")


def _dictation(record: Record) -> str:
    """The record as it was said: the statement first, then each field by its name."""
    told = [record.statement, f"({record.schema}: {record.title})"]
    for one in record.form.fields[1:]:
        value = record.fields.get(one.name, "")
        if value and value != record.statement:
            said = value if isinstance(value, str) else "; ".join(value)
            told.append(f"{one.place}: {said}")
    return "\n".join(told)


def _decided(
    record: Record, alias: str, turn: Turn, ports: Ports
) -> tuple[Remembered, Plan | None]:
    """What becomes of a record in the vault as it is; no plan where it is there already."""
    from engram.admit.resurrection import gone_lately

    candidate = _candidate(record, alias, turn)
    memory = _memory(candidate, _texts(record), ports)
    for known in _known(memory, alias, ports):
        if _says(known) == _says(memory):
            return Remembered("same", "confirmed", known), None
        raise BadInput(
            f"{known.id} is there, and says something else",
            f"`engram edit {known.id}`; or give this one another title",
            code="CREATE_OVERWRITE_ERROR",
        )
    now, hours = ports.clock.now(), ports.settings.retention.resurrection_hours
    if gone := gone_lately(candidate, ports.view, now, hours):
        there = ports.view.memory(gone) is not None
        raise BadInput(
            f"{gone}, of this name or these words, was taken out of use a short while ago",
            f"`engram restore {gone}`" if there else "`engram log` tells of the purge",
            code="ANTI_RESURRECTION_ERROR",
        )
    changes = tuple(ports.writer.changes([memory], []))
    if any(len(one.after or b"") > RECORD_MOST for one in changes):
        raise BadInput(
            f"the record is longer than {RECORD_MOST // 1024} kB", "say less, or make two of it",
            code="VALIDATION_ERROR",
        )  # fmt: skip
    details = (
        ("code", "new"), ("origin", "person"), ("source", memory.sources[0]),
        ("category", memory.category), ("schema", record.schema), *place_of(memory),
    )  # fmt: skip
    event = Event(WRITE, memory.id, details)
    return Remembered("new", "new", memory), Plan("remember", changes, (event,))


def _candidate(record: Record, alias: str, turn: Turn) -> Candidate:
    from engram.extract.classify import memory_kind, score_importance

    parts, text = parts_of(record), neutralise(record.statement)
    kind = "episode" if record.schema == SESSION else memory_kind(parts.category, text, ())
    importance = score_importance(text, parts.category, ())
    candidate = dictated(turn, parts.category, kind, importance, None)
    receipt = replace(candidate.receipt, quote=record.statement)
    return replace(
        candidate, text=text, receipt=receipt, tags=parts.tags, schema=parts.schema,
        title=parts.title, aliases=(alias,), related_files=parts.related_files,
        fields=parts.extra, sections=parts.sections,
    )  # fmt: skip


def _memory(candidate: Candidate, texts: Iterable[str], ports: Ports) -> Memory:
    from engram.admit.draft import memory_of
    from engram.admit.gate.sensitivity import sensitivity_of

    name = base = memory_id(candidate.category, candidate.receipt.time, candidate.text)
    number = 1
    while ports.view.taken([name]):
        number += 1
        name = f"{base}-{number}"
    internal = "internal" in map(sensitivity_of, texts) or not candidate.project
    memory = replace(
        memory_of(candidate, name), confidence=1.0,
        sensitivity="internal" if internal else "public",
    )  # fmt: skip
    return replace(memory, expires=expiry(memory, ports.clock.now(), ports.terms))


def _known(memory: Memory, alias: str, ports: Ports) -> list[Memory]:
    """The memories in use of its place with its name and schema, or its words."""
    view = ports.view
    named = [one for one in (view.memory(alias), *view.called(alias)) if one is not None]
    found = [*view.owners(content_hash(memory.text, memory.scope))]
    found += [
        one for one in named
        if schema_name(one) == schema_name(memory) and one.scope == memory.scope
    ]  # fmt: skip
    return sorted({one.id: one for one in found if one.live}.values(), key=lambda one: one.id)


def _says(memory: Memory) -> object:
    """What two records have in common that are the same."""
    record = record_of(memory)
    return record and replace(record, confidence=0.0)
