"""Output forms of search results: json, csv, files, md, xml, or plain text.

The forms are qmd's, byte for byte, also where they are odd: xml has no root and does not escape its
text, the numbers of `--line-numbers` count the header line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engram.surfaces.qmd.output import as_json, csv_cell, fixed, rounded, say
from engram.surfaces.qmd.rows import ResultRow
from engram.surfaces.qmd.snippets import numbered

FORMATS = ("cli", "json", "csv", "md", "xml", "files")
_CSV = "docid,score,file,title,context,line,snippet"


@dataclass(frozen=True, slots=True)
class Style:
    """How rows are printed. `paths` are the files by URI that are shown instead of it."""

    form: str = "cli"
    query: str = ""
    full: bool = False
    numbers: bool = False
    full_path: bool = False
    paths: dict[str, str] | None = None


def show_none(form: str, *, too_low: bool = False) -> None:
    """Print that nothing was found, or nothing that scores enough."""
    if form == "json":
        say("[]")
    elif form == "csv":
        say(_CSV)
    elif form == "xml":
        say("<results></results>")
    elif form == "cli":
        say("No results found above minimum score threshold." if too_low else "No results found.")


def show(rows: Sequence[ResultRow], style: Style) -> None:
    """Print some rows."""
    if style.form == "json":
        say(as_json([_record(row, style) for row in rows]))
    elif style.form == "csv":
        say(_CSV)
        for row in rows:
            say(_cells(row, style))
    elif style.form == "files":
        for row in rows:
            docid = "" if style.full_path else f"{row.docid},"
            say(f"{docid}{fixed(row.score, 2)},{_name(row, style)}{quoted_context(row.context)}")
    elif style.form == "md":
        for row in rows:
            say(_markdown(row, style))
    elif style.form == "xml":
        for row in rows:
            say(_element(row, style))
    else:
        for number, row in enumerate(rows):
            if number:
                say("\n")
            _plainly(row, style)


def quoted_context(context: str) -> str:
    """The context as the last field of a line of `--files`; "" when there is none."""
    return ',"' + context.replace('"', '""') + '"' if context else ""


def _record(row: ResultRow, style: Style) -> dict[str, Any]:
    record: dict[str, Any] = {}
    if _shows_docid(row, style):
        record["docid"] = row.docid
    record |= {
        "score": rounded(row.score, 2), "file": _name(row, style), "line": row.line,
        "title": row.title,
    }  # fmt: skip
    if row.context:
        record["context"] = row.context
    if text := _content(row, style):
        record["body" if style.full else "snippet"] = text
    if row.explain is not None:
        record["explain"] = row.explain
    return record


def _cells(row: ResultRow, style: Style) -> str:
    docid = row.docid if _shows_docid(row, style) else ""
    content = _content(row, style, from_line=True)
    cells = (_name(row, style), row.title, row.context, str(row.line), content)
    return ",".join([docid, fixed(row.score, 4), *map(csv_cell, cells)])


def _markdown(row: ResultRow, style: Style) -> str:
    name = _name(row, style)
    docid = f"**docid:** `{row.docid}`\n" if _shows_docid(row, style) else ""
    context = f"**context:** {row.context}\n" if row.context else ""
    content = _content(row, style)
    return f"---\n# {row.title or name}\n**file:** `{name}`\n{docid}{context}\n{content}\n"


def _element(row: ResultRow, style: Style) -> str:
    docid = f' docid="{row.docid}"' if _shows_docid(row, style) else ""
    given = {"title": row.title, "context": row.context}
    attributes = "".join(
        f' {key}="{value.replace(chr(34), "&quot;")}"' for key, value in given.items() if value
    )
    head = f'<file{docid} name="{_name(row, style)}"{attributes}>'
    return f"{head}\n{_content(row, style)}\n</file>\n"


def _plainly(row: ResultRow, style: Style) -> None:
    said = row.snippet.partition("\n")[2].lower()
    found = any(term in said for term in style.query.lower().split())
    docid = f" {row.docid}" if _shows_docid(row, style) else ""
    say(_name(row, style) + (f":{row.line}" if found else "") + docid)
    if row.title:
        say(f"Title: {row.title}")
    if row.context:
        say(f"Context: {row.context}")
    say(f"Score: {int(rounded(row.score * 100, 0)):3d}%")
    if row.explain is not None:
        _explain(row.explain)
    say()
    say(_content(row, style, from_line=True))


def _explain(told: Any) -> None:
    rrf = told["rrf"]
    scores = ", ".join(fixed(score, 4) for score in told["ftsScores"]) or "none"
    say(f"Explain: fts=[{scores}] vec=[none]")
    say(
        f"  RRF: total={fixed(rrf['totalScore'], 4)} base={fixed(rrf['baseScore'], 4)}"
        f" bonus={fixed(rrf['topRankBonus'], 4)} rank={rrf['rank']}"
    )
    best = sorted(rrf["contributions"], key=lambda one: -one["rrfContribution"])[:3]
    named = (
        f"{one['source']}/{one['queryType']}#{one['rank']}:{fixed(one['rrfContribution'], 4)}"
        for one in best
    )
    say(f"  Top RRF contributions: {' | '.join(named)}")


def _content(row: ResultRow, style: Style, *, from_line: bool = False) -> str:
    text = row.body if style.full else row.snippet
    if not style.numbers or not text:
        return text
    return numbered(text, row.line if from_line and not style.full else 1)


def _name(row: ResultRow, style: Style) -> str:
    return (style.paths or {}).get(row.file, row.file)


def _shows_docid(row: ResultRow, style: Style) -> bool:
    """The docid goes where a path on disk says which file it is."""
    return row.file not in (style.paths or {})
