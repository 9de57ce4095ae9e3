"""The form of a new record, as a person fills it in: a header with its choices, empty sections.

`form_text` makes it of the schema's table; `without_comments` takes out again what only explains.
What is left blank is no field.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engram.model.schemas import TAGS_MOST, TITLE_MOST, Schema, SchemaField

_COMMENT = re.compile(r"^[ \t]*<!--.*?-->[ \t]*\n?", re.DOTALL | re.MULTILINE)
_HOW = {
    "list": "; one item a line: - item",
    "steps": "; one step a line: 1. step",
    "tasks": "; one a line: - [ ] task",
    "pairs": "; one a line: - option — rejected: reason",
}


def form_text(schema: Schema, *, title: str = "", tags: Sequence[str] = ()) -> str:
    """The form of a schema, with a title and tags if they are known already."""
    head = [
        f"# {schema.name}: {schema.meaning}. Nothing is written until you save.",
        f"# title: at most {TITLE_MOST} characters (needed)",
        f"title: {_scalar(title)}".rstrip(),
        f"# tags: 1 to {TAGS_MOST}, a comma between them (needed)",
        f"tags: {_scalar(', '.join(tags))}".rstrip(),
        "# related_files: paths within the project, a comma between them",
        "related_files:",
    ]
    for one in schema.scalars:
        choices = f": {', '.join(one.choices)}" if one.choices else ""
        head.append(f"# {one.place}: {_meant(one)}{choices}")
        head.append(f"{one.place}: {one.default}".rstrip())
    body = [f"<!-- {_meant(schema.statement)} -->"]
    for one in schema.sections:
        body.append(f"## {one.place}\n<!-- {_meant(one)}{_HOW.get(one.kind, '')} -->")
    return "---\n" + "\n".join(head) + "\n---\n" + "\n\n".join(body) + "\n"


def without_comments(text: str) -> str:
    """A form without the comments that stand on lines of their own."""
    return _COMMENT.sub("", text)


def _meant(field: SchemaField) -> str:
    needed = " (needed)" if field.required and not field.default else ""
    return f"{field.meaning}{needed}"


def _scalar(text: str) -> str:
    """A text as a header value that reads back as it is."""
    words = " ".join(text.split())
    quoted = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"' if words else ""
