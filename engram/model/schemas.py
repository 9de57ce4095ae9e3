"""The six record schemas of seed 001, as one table: category, fields, limits.

A record is a memory whose body has a form: the statement leads, scalars stand in the header, lists
and prose in fixed `##` sections (`model/record`). Reader, writer, checks, templates, the published
JSON schemas (`model/json_schema`) and a model's answer are all made from this table.

`decision` and `preference` are schemas of every memory of that category; the other four are named
by the header key `schema`, for their category holds other memories too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from engram.model.memory import SCHEMAS_BY_CATEGORY

#: how a value stands in its section or header, and what it is: `statement` and `text` are prose;
#: `list`, `steps` (numbered), `tasks` (boxes) and `pairs` (`option — rejected: reason`) are lists;
#: `scalar`, `choice` and `switch` stand in the header
FieldKind = Literal[
    "statement", "text", "list", "steps", "tasks", "pairs", "scalar", "choice", "switch"
]
LISTS: frozenset[FieldKind] = frozenset(["list", "steps", "tasks", "pairs"])
SCALARS: frozenset[FieldKind] = frozenset(["scalar", "choice", "switch"])

#: seed 001 and records 9: characters of a title, tags, items of a list, bytes of a text and a file
TITLE_MOST, TAGS_MOST, ITEMS_MOST, TEXT_MOST, RECORD_MOST = 120, 12, 100, 8 * 1024, 64 * 1024
#: lines under `## Changes`; the oldest goes first (seed 001)
CHANGES_MOST = 50
CHANGES = "Changes"
#: between an option and why it was rejected
REJECTED = " — rejected: "


class SchemaField(NamedTuple):
    """One field. `name` is seed 001's; `place` the heading or header key, empty for the statement.

    `within` is the object of seed 001's JSON that holds it (`examples`). `meaning` is one line for
    a person who fills in a template, and for a model.
    """

    name: str
    kind: FieldKind
    place: str
    meaning: str
    required: bool = False
    choices: tuple[str, ...] = ()
    within: str = ""
    default: str = ""

    @property
    def is_list(self) -> bool:
        """Whether its value is a tuple of texts, and not one text."""
        return self.kind in LISTS

    @property
    def in_header(self) -> bool:
        """Whether it stands in the header."""
        return self.kind in SCALARS


class Schema(NamedTuple):
    """One schema. `seed_name` and `folder` are those of seed 001's files.

    `retired_by_agents`: whether an agent may take a record out of use (seed 001: never a decision,
    a preference, a session). `told_by` are the fields that tell two of them apart for a model.
    """

    name: str
    category: str
    seed_name: str
    folder: str
    meaning: str
    fields: tuple[SchemaField, ...]
    retired_by_agents: bool
    told_by: tuple[str, ...]

    @property
    def statement(self) -> SchemaField:
        """The field that leads the body."""
        return self.fields[0]

    @property
    def sections(self) -> tuple[SchemaField, ...]:
        """The fields that stand in sections, in the order in which they are written."""
        return tuple(one for one in self.fields[1:] if not one.in_header)

    @property
    def scalars(self) -> tuple[SchemaField, ...]:
        """The fields that stand in the header."""
        return tuple(one for one in self.fields if one.in_header)

    def field(self, name: str) -> SchemaField | None:
        """The field of that name."""
        return next((one for one in self.fields if one.name == name), None)


_F = SchemaField

#: seed 001, in the order in which a person is shown them
SCHEMA_TABLE: Mapping[str, Schema] = {
    one.name: one
    for one in (
        Schema(
            "session", "moment", "session_summary", "sessions",
            "where a conversation stopped, to go on from there",
            (
                _F("goal", "statement", "", "what was to be reached", True),
                _F("outcome", "choice", "outcome", "how far it came", True,
                   ("success", "partial", "blocked", "abandoned")),
                _F("completed", "list", "Completed", "what is done"),
                _F("in_progress", "list", "In progress", "what was begun and is not done"),
                _F("blockers", "list", "Blockers", "what is in the way"),
                _F("next_actions", "tasks", "Next actions", "what comes next"),
                _F("key_changes", "list", "Key changes", "files and commits that changed"),
            ),
            False, ("goal", "outcome"),
        ),
        Schema(
            "decision", "decision", "decision", "decisions",
            "a choice, and why this and not the other",
            (
                _F("decision", "statement", "", "what was chosen", True),
                _F("status", "choice", "decision_state", "whether it stands", True,
                   ("proposed", "accepted", "deprecated", "superseded"), default="accepted"),
                _F("context", "text", "Context", "what made a choice necessary", True),
                _F("rationale", "list", "Rationale", "why this", True),
                _F("alternatives", "pairs", "Alternatives",
                   "what else there was, and why it was rejected"),
                _F("consequences", "list", "Consequences", "what follows from it"),
            ),
            False, ("context", "decision", "rationale"),
        ),
        Schema(
            "runbook", "skill", "runbook", "runbooks",
            "how a failure was found, fixed and checked",
            (
                _F("summary", "statement", "", "trigger and fix in one sentence", True),
                _F("environment", "scalar", "environment", "where it holds"),
                _F("trigger", "text", "Trigger", "the error that one sees", True),
                _F("symptoms", "list", "Symptoms", "by what else it is recognised"),
                _F("steps", "steps", "Steps", "what to do, in order", True),
                _F("verification", "text", "Verification", "how to see that it worked", True),
                _F("root_cause", "text", "Root cause", "why it happened"),
            ),
            True, ("trigger", "root_cause"),
        ),
        Schema(
            "constraint", "fact", "constraint", "constraints",
            "a wall that stays: a limit, a gap, a policy",
            (
                _F("rule", "statement", "", "what cannot or must not be done", True),
                _F("kind", "choice", "constraint_kind", "what sort of wall it is", True,
                   ("limitation", "gap", "policy", "technical")),
                _F("severity", "choice", "severity", "how much it hinders", True,
                   ("high", "medium", "low")),
                _F("active", "switch", "in_effect", "whether it still holds", True,
                   ("true", "false"), default="true"),
                _F("expires", "scalar", "until", "when or by what it ends"),
                _F("impact", "list", "Impact", "what it hinders", True),
                _F("workarounds", "list", "Workarounds", "ways around it"),
            ),
            True, ("rule", "impact"),
        ),
        Schema(
            "tech_debt", "commitment", "tech_debt", "tech-debt",
            "work that was put off, and why",
            (
                _F("description", "statement", "", "what was put off", True),
                _F("status", "choice", "debt_state", "where it stands", True,
                   ("open", "in_progress", "resolved", "wont_fix"), default="open"),
                _F("priority", "choice", "priority", "how soon it matters", True,
                   ("critical", "high", "medium", "low"), default="medium"),
                _F("reason_deferred", "text", "Why deferred", "why not now", True),
                _F("impact", "list", "Impact", "what it costs while it is open"),
                _F("suggested_fix", "list", "Suggested fix", "how it could be done"),
                _F("acceptance_criteria", "list", "Done when", "by what one sees it is done"),
            ),
            True, ("description", "reason_deferred"),
        ),
        Schema(
            "preference", "preference", "preference", "preferences",
            "how things are to be done",
            (
                _F("value", "statement", "", "how it is to be done", True),
                _F("topic", "scalar", "topic", "what it is about", True),
                _F("strength", "choice", "strength", "how binding it is", True,
                   ("strong", "default", "soft"), default="default"),
                _F("reason", "text", "Reason", "why", True),
                _F("prefer", "list", "Prefer", "examples to follow", within="examples"),
                _F("avoid", "list", "Avoid", "examples to avoid", within="examples"),
            ),
            False, ("topic", "value", "reason"),
        ),
    )
}  # fmt: skip
#: a constraint of this kind is a principle (records-on-a-vault 3)
POLICY = "policy"


def schema_of(category: str, schema: str = "") -> Schema | None:
    """The schema of a memory by its header; None for a memory without a form."""
    return SCHEMA_TABLE.get(schema or (category if category in SCHEMAS_BY_CATEGORY else ""))


def written_schema(category: str, schema: str) -> str:
    """What the header says of a schema: nothing where the category says it."""
    return "" if schema == category else schema


def categories_of(schema: Schema) -> tuple[str, ...]:
    """The categories that a record of a schema may have, its own first."""
    return ("fact", "principle") if schema.name == "constraint" else (schema.category,)
