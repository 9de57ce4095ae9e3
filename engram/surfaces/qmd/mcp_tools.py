"""MCP tools of the qmd face: a call of one of them, or a resource -> the content sent back.

What a caller can correct (an invalid query, a missing document, a wrong argument) is a result with
`isError` and words for a model, never an exception; errors that the program itself can explain
(EXPLAINED) are left to the caller. Files are named `collection/path`, their URIs are
percent-encoded, scores are rounded to two places. Nothing that is called here writes, but for a
line of what was given of a vault (`mcp_given`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote, unquote

from engram.model.errors import EngramError
from engram.model.given import Reader
from engram.surfaces.qmd.mcp_given import CLIENT, note_found, note_got
from engram.surfaces.qmd.mcp_offer import MOST_BYTES, TOOLS, BadArguments
from engram.surfaces.qmd.rows import (
    BadQuery,
    DocumentText,
    Kind,
    NotThere,
    Skipped,
    Typed,
    Unusable,
)

if TYPE_CHECKING:
    from engram.surfaces.qmd.face import Face
    from engram.surfaces.qmd.rows import ResultRow

SCHEME: Final = "qmd://"
MARKDOWN: Final = "text/markdown"
#: most results of one search, as many as the command line gives with --all
_MOST = 100_000
#: what encodeURIComponent leaves as it is, beside letters, digits and `_.-~`
_PLAIN = "!*'()"
_STATUS = ("totalDocuments", "needsEmbedding", "hasVectorIndex", "collections")
_COLLECTION = ("name", "path", "pattern", "documents", "lastUpdated")
_TYPED = ("lex:", "vec:", "hyde:", "intent:", "expand:")

Content = dict[str, Any]
#: errors with a message for the client
EXPLAINED: Final = (Unusable, EngramError)


def call(face: Face, tool: str, given: Mapping[str, Any], reader: Reader = CLIENT) -> Content:
    """The result of one tool for a client; `tool` is one of TOOLS."""
    try:
        return _CALLS[tool](face, TOOLS[tool].checked(given), reader)
    except (BadArguments, BadQuery) as error:
        return failure(str(error))


def resource(face: Face, uri: str, reader: Reader = CLIENT) -> Content:
    """The result of `resources/read` for a URI that begins with SCHEME.

    One that is not there is a text that says so, not an error.
    """
    path = unquote(uri.removeprefix(SCHEME), errors="replace")
    found = face.get(path, line_numbers=True)
    if isinstance(found, NotThere):
        return {"contents": [{"uri": uri, "text": f"Document not found: {path}"}]}
    note_got(face, reader, [found])
    document = {"name": found.display, "title": found.title or found.display}
    return {"contents": [{"uri": uri, **document, "mimeType": MARKDOWN, "text": _body(found)}]}


def rows(
    face: Face, asked: Mapping[str, Any], reader: Reader = CLIENT
) -> tuple[str, list[ResultRow]]:
    """What the checked arguments of `query` find, and the query by which it is called."""
    searches = [
        Typed(cast(Kind, item["type"]), _line(item["query"])) for item in asked["searches"] or ()
    ]
    query = "" if searches else _plain(asked["query"] or "")
    named = next(
        (item.query for kind in ("lex", "vec", "hyde") for item in searches if item.kind == kind),
        query,
    )
    found = face.search(
        query,
        collections=tuple(asked["collections"] or ()),
        limit=_whole(asked["limit"], _MOST),
        min_score=asked["minScore"],
        searches=searches,
        intent=_line(asked["intent"] or ""),
    )
    note_found(face, reader, named, found)
    return named, found


def result(row: ResultRow, file: str) -> Content:
    """One hit as the protocol servers give it; the number of its line begins the snippet's."""
    lines = enumerate(row.snippet.split("\n"), row.line)
    return {
        "docid": row.docid,
        "file": file,
        "title": row.title,
        "score": _rounded(row.score),
        "context": row.context or None,
        "line": row.line,
        "snippet": "\n".join(f"{number}: {text}" for number, text in lines),
    }


def uri_of(display: str) -> str:
    """The percent-encoded URI of collection/path."""
    return SCHEME + quote(display, safe="/" + _PLAIN, errors="replace")


def failure(text: str) -> Content:
    """A result that says what went wrong."""
    return {"content": [_text(text)], "isError": True}


def _query(face: Face, asked: Mapping[str, Any], reader: Reader) -> Content:
    if asked["query"] and asked["searches"]:
        return failure("Error: 'query' and 'searches' are mutually exclusive; provide only one")
    if not asked["query"] and not asked["searches"]:
        return failure(
            "Error: provide either 'query' (plain text) or 'searches' (typed sub-queries)"
        )
    named, found = rows(face, asked, reader)
    results = [result(row, row.display) for row in found]
    return {
        "content": [_text(_summary(results, named))],
        "structuredContent": {"results": results},
    }


def _summary(results: Sequence[Mapping[str, Any]], query: str) -> str:
    """Docid and path of each again: a client that reads both counts a hit once."""
    if not results:
        return f'No results found for "{query}"'
    count = f"{len(results)} result{'' if len(results) == 1 else 's'}"
    lines = [
        f"{one['docid']} {math.floor(one['score'] * 100 + 0.5)}% {one['file']} - {one['title']}"
        for one in results
    ]
    return "\n".join((f'Found {count} for "{query}":', "", *lines))


def _get(face: Face, asked: Mapping[str, Any], reader: Reader) -> Content:
    found = face.get(
        asked["file"],
        from_line=_optional(asked["fromLine"]),
        max_lines=_optional(asked["maxLines"]),
        line_numbers=asked["lineNumbers"],
    )
    if isinstance(found, DocumentText):
        note_got(face, reader, [found])
        return {"content": [_embedded(found)]}
    lines = [found.message, *found.notes]
    if found.similar:
        lines += ["", "Did you mean one of these?", *(f"  - {path}" for path in found.similar)]
    return failure("\n".join(lines))


def _multi_get(face: Face, asked: Mapping[str, Any], reader: Reader) -> Content:
    found = face.multi_get(
        asked["pattern"],
        max_lines=_optional(asked["maxLines"]),
        max_bytes=_whole(asked["maxBytes"], 1 << 40) or MOST_BYTES,
        line_numbers=asked["lineNumbers"],
    )
    if not found:
        return failure(f"No files matched pattern: {asked['pattern']}")
    note_got(face, reader, [one for one in found if isinstance(one, DocumentText)])
    absent = [one.reason for one in found if isinstance(one, Skipped) and one.absent]
    content = [_text("\n".join(("Errors:", *absent)))] if absent else []
    for one in found:
        if isinstance(one, DocumentText):
            content.append(_embedded(one))
        elif not one.absent:
            content.append(_text(_left_out(one)))
    return {"content": content}


def _left_out(one: Skipped) -> str:
    reason = one.reason.partition(". Use 'qmd get")[0].removesuffix(".")
    how = f"Use 'qmd_get' with file=\"{one.display}\" to retrieve."
    return f"[SKIPPED: {one.display} - {reason}. {how}]"


def _status(face: Face, asked: Mapping[str, Any], reader: Reader) -> Content:
    known: Mapping[str, Any] = face.status()
    status = {name: known[name] for name in _STATUS}
    status["collections"] = [
        {name: one.get(name) for name in _COLLECTION} for one in status["collections"]
    ]
    lines = [
        "QMD Index Status:",
        f"  Total documents: {status['totalDocuments']}",
        f"  Needs embedding: {status['needsEmbedding']}",
        f"  Vector index: {'yes' if status['hasVectorIndex'] else 'no'}",
        f"  Collections: {len(status['collections'])}",
    ]
    for one in status["collections"]:
        lines.append(f"    - {one['name']}: {one['path']} ({one['documents']} docs)")
    return {"content": [_text("\n".join(lines))], "structuredContent": status}


_CALLS = {"query": _query, "get": _get, "multi_get": _multi_get, "status": _status}


def _embedded(found: DocumentText) -> Content:
    resource = {"uri": uri_of(found.display), "mimeType": MARKDOWN, "text": _body(found)}
    return {"type": "resource", "resource": resource}


def _body(found: DocumentText) -> str:
    return f"<!-- Context: {found.context} -->\n\n{found.text}" if found.context else found.text


def _text(text: str) -> Content:
    return {"type": "text", "text": text}


def _plain(query: str) -> str:
    """A query document as it is; plain text, which a model may well break into lines, as one."""
    lines = [line.strip().lower() for line in query.splitlines()]
    return query if any(line.startswith(_TYPED) for line in lines) else _line(query)


def _line(text: str) -> str:
    return " ".join(text.split())


def _rounded(score: float) -> float:
    """Two places, halves upward, and whole numbers without a point."""
    rounded = math.floor(score * 100 + 0.5) / 100
    return int(rounded) if rounded == int(rounded) else rounded


def _optional(value: float | None) -> int | None:
    return None if value is None else _whole(value, 1 << 40)


def _whole(value: float, most: int) -> int:
    """A number of JSON as one that counts: never negative, infinite or beyond `most`."""
    return int(min(max(value, 0), most))
