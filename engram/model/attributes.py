"""Attribute keys of slots: subject and attribute whose value a statement sets.

    ("Project X", "Job - Title")  ->  "project-x::job-title"

Two spellings of one key give the same key, so that what an extractor proposes matches what a
person wrote into a header by hand (seed 003, supersession). Pure.
"""

from __future__ import annotations

import re

_RUNS = re.compile(r"[\s-]+")
#: between subject and attribute
_JOINT = "::"


def normal_part(raw: str) -> str:
    """A subject or an attribute: lower case, runs of white space and hyphens one hyphen inside."""
    return _RUNS.sub("-", raw.lower()).strip("-")


def attribute_key(entity: str | None, attribute: str) -> str | None:
    """`entity::attribute`; None when one of them is empty."""
    subject, name = normal_part(entity or ""), normal_part(attribute)
    return f"{subject}{_JOINT}{name}" if subject and name else None


def normal_slot(raw: str) -> str:
    """A slot as a header or an extractor writes it; '' when a part of it is empty.

    One without a subject (`editor`) stays one: people write such keys.
    """
    parts = [normal_part(part) for part in raw.split(_JOINT)]
    return _JOINT.join(parts) if all(parts) else ""
