"""Outside cases of records: search, the table of create, update, retire, merging, titles, tags."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from engram.admit.admission_context import AdmissionContext
from engram.admit.cud import settled
from engram.admit.cud_table import Structure, Veto, resolved, structure, vetoes_for
from engram.admit.draft import AdmissionDraft
from engram.admit.merging import MergeError, merged, protected, title_difference
from engram.admit.record_search import FoundRecord, nearest, record_tokens, score
from engram.extract.receipt import receipt_of
from engram.language.agent_orders import injection
from engram.language.tokens import query_terms
from engram.model.ids import is_id
from engram.model.markdown import neutralise
from engram.model.memory import Memory, confidence_level
from engram.model.record import FieldValue, faults_of, made_record, parts_of, record_of
from engram.model.record_changes import changes_of
from engram.model.record_draft import RecordDraft
from engram.model.record_words import (
    brief,
    clamped,
    clean_tags,
    clean_title,
    joined_tags,
    record_alias,
)
from engram.model.retention import Terms
from engram.model.schemas import SCHEMA_TABLE, TAGS_MOST, Schema
from engram.model.settings import Settings
from engram.model.turn import turn_of
from engram.model.verdict import Verdict
from engram.recall.blocks import inert
from engram.settings.load import shipped
from engram.store.files.memory_file import read_memory, render_memory
from tests.conformance.vaults import NOW
from tests.consolidate.view import Remembered

CREATED = "2026-01-15T10:00:00Z"
_BY_SEED_NAME = {form.seed_name: form for form in SCHEMA_TABLE.values()}
#: the fields of the decision of the cases
_JWT: Mapping[str, FieldValue] = {
    "decision": "We use JWT for authentication instead of sessions, because servers are stateless.",
    "status": "proposed",
    "context": "Two servers answer one login.",
    "rationale": ("stateless servers",),
}


def _memory(form: Schema, title: str, tags: list[str], name: str) -> Memory:
    return Memory(
        name, form.category, title, schema=form.name, title=title, tags=tuple(tags),
        created=CREATED, project="shop",
    )  # fmt: skip


def _draft(
    fields: Mapping[str, FieldValue], *, schema: str = "decision", title: str = "Use JWT",
    tags: tuple[str, ...] = ("auth",), created: str = NOW, **more: Any,
) -> RecordDraft:  # fmt: skip
    record = made_record(schema, fields, title=title, tags=tags)
    said = record.statement or title
    receipt = receipt_of(turn_of("user", said, created, session="s"), said)
    return replace(RecordDraft(record, "create", (receipt,), "shop"), **more)


def _settled(draft: RecordDraft, *held: Memory) -> tuple[Verdict, Memory | None]:
    """The verdict about a draft beside these memories, and what stands for it then."""
    from engram.capture.redact.redactor import compile_redactor

    clean = compile_redactor(shipped("redaction"), ()).clean
    made = AdmissionDraft(
        Remembered({one.id: one for one in held}), Terms(Settings().retention), NOW
    )
    verdict = settled(draft, AdmissionContext(made.view, clean, Settings(), NOW))
    return verdict, made.enter(verdict)


def _held(**changes: Any) -> Memory:
    """The memory of the cases' decision."""
    parts = parts_of(_draft(_JWT).record)
    made = Memory(
        "decision-1", parts.category, parts.text, title=parts.title, created=CREATED,
        tags=parts.tags, extra=parts.extra, sections=parts.sections, project="shop",
        quote=parts.text, authority="user_asserted", expires="2026-09-01",
    )  # fmt: skip
    return replace(made, **changes)


# -- search and table -----------------------------------------------------------------------------


def _candidate_select(given: dict[str, Any]) -> dict[str, Any]:
    form = _BY_SEED_NAME[given["category"]]
    records = [
        _memory(_BY_SEED_NAME[row["category"]], row["title"], row["tags"], f"record-{number}")
        for number, row in enumerate(given["index"])
    ]
    draft = _draft({}, schema=form.name, title=given["new_info"], tags=())
    found = nearest(draft, [one for one in records if one.schema == form.name])
    vetoes = vetoes_for(form, by_person=False) if found is not None else ()
    there = structure(form, found, given["lifecycle_event"] or "", vetoes)
    return {
        "candidate": there.found is not None,
        "delete_allowed": there.delete_allowed,
        "hints": list(there.hints),
        "pre_action": there.pre_action,
        "structural_cud": there.structural,
        "vetoes": [veto.reason for veto in there.vetoes],
    }


def _there(given: dict[str, Any]) -> Structure | None:
    """What there is, by its name in the cases."""
    if "l1" not in given:
        return None
    name, form = given["l1"], SCHEMA_TABLE["decision"]
    found = FoundRecord(_held(), 3) if name.startswith("UPDATE") else None
    forbidden = [text.split()[1] if " " in text else text for text in given.get("vetoes", ())]
    vetoes = tuple(Veto(action, "kept_from_agents", "") for action in forbidden)
    if name == "UPDATE" and not vetoes:
        vetoes = vetoes_for(form, by_person=False)
    there = structure(form, found, "resolved" if name == "NOOP" else "", vetoes)
    assert there.structural == name
    return there


def _resolve_full(given: dict[str, Any]) -> dict[str, Any]:
    done = resolved(_there(given), given.get("l2", ""))
    return {"action": done.action, "reason": done.reason or None}


# -- merging --------------------------------------------------------------------------------------

_TWELVE = tuple(f"t{number}" for number in range(TAGS_MOST))
_LOG = (("Changes", "- c0\n- c1"),)
_NO_FILES: dict[str, Any] = {"related_files": ()}
#: (before, after) by the name of the case
_MERGES: Mapping[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "created_at changed": ({}, {"created": NOW}),
    "record_status changed": ({}, {"status": "retired"}),
    "3 tags -> 2 tags (below cap)": ({"tags": _TWELVE[:3]}, {"tags": _TWELVE[:2]}),
    "12 tags: drop 1, add 1": ({"tags": _TWELVE}, {"tags": (*_TWELVE[1:], "new")}),
    "12 tags: drop 1, add 0": ({"tags": _TWELVE}, {"tags": _TWELVE[1:]}),
    "12 tags: drop 1, add 3 (=14)": ({"tags": _TWELVE}, {"tags": (*_TWELVE[1:], "x", "y", "z")}),
    "12 tags: add 1, drop 0 (=13; earlier sanitiser truncates)": (
        {"tags": _TWELVE}, {"tags": (*_TWELVE, "new")},
    ),
    "remove related file that exists on disk": ({"related_files": ("here",)}, _NO_FILES),
    "remove related file that does not exist": ({"related_files": ("gone",)}, _NO_FILES),
    "changes 2 -> 1": ({"log": _LOG}, {"log": (("Changes", "- c0"),)}),
    "content.status proposed -> accepted (auto change entry)": (
        {}, {"extra": (("decision_state", "accepted"),)},
    ),
}  # fmt: skip
#: of fields and files that have no line of their own in the cases
_UNNAMED = frozenset({"related_files"})
_NAMES = {"status": "content.status"}


def _check_merge(given: dict[str, Any]) -> dict[str, Any]:
    first, second = _MERGES[given["case"]]
    before, after = _changed(_held(), first), _changed(_held(), {**first, **second})
    if set(before.tags) < set(after.tags) and len(before.tags) == TAGS_MOST:
        # what is over the most is cut, and there is nothing else to write
        after = replace(after, aliases=("jwt",))
    try:
        patch = protected(before, after, day=NOW[:10], exists=lambda path: path == "here")
    except MergeError as error:
        return {"ok": False, "error_code": error.code, "rule": error.rule, "auto_changes": []}
    named = [_NAMES.get(name, name) for name in patch.fields if name not in _UNNAMED]
    return {"ok": True, "error_code": None, "rule": None, "auto_changes": named}


def _changed(memory: Memory, changes: dict[str, Any]) -> Memory:
    rest = {name: value for name, value in changes.items() if name != "log"}
    return replace(memory, sections=(*memory.sections, *changes.get("log", ())), **rest)


def _changes_fifo(given: dict[str, Any]) -> dict[str, Any]:
    log = "\n".join(f"- c{number}" for number in range(given["old_count"]))
    held = _changed(_held(), {"log": (("Changes", log),)})
    record = made_record("decision", {}, tags=("new",))
    told = changes_of(merged(held, record, day=NOW[:10]).after)
    first, last = (told[at].reason.rpartition(" ")[2] for at in (0, -1))
    return {"count": len(told), "exit": 0, "first": first, "last": last}


def _title_rename(given: dict[str, Any]) -> dict[str, Any]:
    """What a record is called by once it has another title; the old name leads on."""
    old = given["old_title"]
    held = _held(title=old, aliases=(record_alias(old),))
    record = made_record("decision", {}, title=given["new_title"])
    name, *_ = merged(held, record, day=NOW[:10]).after.aliases
    return {"exit": 0, "files": [f"{name}.json"]}


def _changed_created(given: dict[str, Any]) -> dict[str, Any]:
    fields = {**_JWT, "consequences": ("keys to rotate",)}
    draft = _draft(fields, created=given["created_at"], action="update", target="decision-1")
    verdict, after = _settled(draft, _held())
    updated = verdict.decision == "update" and after is not None
    return {
        "created_at_after": after.created if after is not None else None,
        "error": None if updated else verdict.code,
        "exit": int(not updated),
        "status": "updated" if updated else verdict.decision,
    }


def _without_change(given: dict[str, Any]) -> dict[str, Any]:
    held = _held()
    record = record_of(held)
    assert record is not None
    try:
        merged(held, record, day=NOW[:10])
    except MergeError as error:
        return {"error": error.code, "exit": error.exit_code}
    return {"error": None, "exit": 0}


# -- titles, tags, names --------------------------------------------------------------------------


def _title(given: str) -> Any:
    title = clean_title(given)
    record = made_record("decision", _JWT, title=title, tags=("auth",))
    return {"error": "VALIDATION_ERROR"} if faults_of(record) else title


def _tag_cap(given: dict[str, Any]) -> dict[str, Any]:
    """Which of twenty tags stay, beside those that are there."""
    more = [f"tag{number}" for number in range(20)]
    held = ("zebra", "yak")
    kept = joined_tags(held, more)
    policy = "keep existing tags, then most recent additions"
    return {"error_or_policy": policy if kept == (*held, *more[:10]) else list(kept)}


def _search_snippet(given: dict[str, Any]) -> dict[str, Any]:
    """A body as it is written, and given to an agent."""
    shown = inert(neutralise(given["body"]))
    return {"bidi_removed": "\u202e" not in shown, "escaped": "<" not in shown}


def _created(given: dict[str, Any]) -> dict[str, Any]:
    """The key of the case is told by its form, the code by its name before there were policies."""
    key = "sk-" + "aB3dE5fG7h" * 5 + "x"
    verdict, _ = _settled(_draft({**_JWT, "context": f"key {key}"}))
    code = "SECRET" if verdict.code == "privacy_deny_sensitive" else verdict.code.upper()
    return {"error": code if verdict.decision == "refuse" else None}


def _forced_active(given: dict[str, Any]) -> dict[str, Any]:
    """A draft has no status; a key of that name in its fields is none of its schema."""
    fields = {**_JWT, "record_status": given["input_record_status"]}
    verdict, born = _settled(_draft(fields))
    return {"exit": int(verdict.decision == "refuse"), "stored_record_status": born and born.status}


def _added_fields(given: dict[str, Any]) -> list[str]:
    """Which keys of theirs the file of a new memory has."""
    verdict, born = _settled(_draft(_JWT, tags=tuple(given["tags"])))
    assert born is not None, verdict
    found = read_memory("a.md", render_memory(born)).document.header
    names = {"schema_version": "schema_version", "created_at": "created", "updated_at": "updated"}
    return [theirs for theirs, ours in names.items() if ours in found]


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "candidate_select": _candidate_select,
    "score_candidate": lambda given: score(
        given["tokens"], given["entry"]["title"], given["entry"]["tags"]
    ),
    "tokenise_candidate": lambda given: sorted(record_tokens(given)),
    "resolve": lambda given: resolved(_there(given), given["l2"]).action,
    "resolve_full": _resolve_full,
    "veto_meaning": lambda given: resolved(_there(given), given["l2"]).action,
    "check_merge": _check_merge,
    "changes_fifo": _changes_fifo,
    "title_word_difference": lambda given: title_difference(*given),
    "update_title_rename": _title_rename,
    "update_with_changed_created_at": _changed_created,
    "update_without_any_change": _without_change,
    "tag_cap": _tag_cap,
    # they sort; what counts is which tags there are
    "sanitise_tags": lambda given: sorted(clean_tags(given)),
    "sanitise_title_write": clean_title,
    "sanitise_title_read": clean_title,
    "sanitise_index_title_on_rebuild": clean_title,
    "sanitise_snippet": brief,
    "title": _title,
    "search_snippet": _search_snippet,
    "inject_title": lambda given: {"flagged_untrusted": bool(injection(given["title"]))},
    "slugify": record_alias,
    "id_is_valid": is_id,
    "clamp_confidence": clamped,
    "autofix_adds_fields": _added_fields,
    # they are compared without their order
    "tokenise_query": lambda given: sorted(query_terms(given)),
    # what is shown of a hit is the confidence of its memory, whatever else was found
    "confidence_label": lambda given: confidence_level(abs(given["score"])),
    "create": _created,
    "create_forces_active": _forced_active,
}
