"""Cleaning of transcripts: wrappers, our own injected blocks and private parts are removed.

`said` cleans the text of one message: blocks that agents and hooks wrap around
words (system reminders, slash commands), and the `<engram-memory>` block that this program injected
itself, which must never come back as something a person said. `kept` filters a conversation:
`<private>...</private>` is cut out, and what is said off the record or in an excluded folder is
left out with its answer; from then on the conversation has no title, for its agent makes that of
all it hears. A question that this program itself asked a model is left out as well, should a
program have kept a log of it.

In doubt about privacy less is kept: a `<private>` without its end reaches to the end of the text,
and any unquoted "off the record" counts unless the sentence only tells about one. Pure functions;
what was taken out is counted, never repeated. Linear in the text, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from dataclasses import replace
from typing import TYPE_CHECKING

from engram.model.ids import message_digest
from engram.model.injected_block import without_own

if TYPE_CHECKING:
    from engram.model.intake import Removed
    from engram.model.turn import Turn

#: Opening tags of blocks that agents, editors and hooks put around or beside a prompt.
WRAPPERS = re.compile(
    r"<(system-reminder|command-[a-z-]+|local-command-[a-z-]+|user-prompt-submit-hook"
    r"|ide_(?:opened_file|selection|diagnostics))(?:\s[^<>]*)?>"
)
_PRIVATE = re.compile(r"<(/?)private\s*>", re.IGNORECASE)
#: the most names of unclosed tags that are looked for in one text
_MAX_UNCLOSED = 32

_PHRASE = re.compile(r"\boff[ -]the[ -]record\b(?!\s(?:player|label|store|shop)\b)", re.IGNORECASE)
#: code and quotations: a phrase in them is mentioned, not meant
_QUOTED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»", re.DOTALL)
#: What stands before the phrase when it is no request: an article or a negation (a thing that is
#: talked about), a verb of reporting (someone else's secret), a verb of removing (a field).
_NO_REQUEST = re.compile(
    r"\b(?:(?:an?|the|any|about|not|never|\w+n['’]t)"
    r"|(?:said|told|spoke|spoken|talked|mentioned|admitted)(?:\s(?!is\b|are\b|be\b|keep\b)[\w'’]+){0,4}"
    r"|(?:strip|pop|remove|pull|read|cut|trim|drop|delete|fall|fell)(?:\s[\w'’-]+){1,5})\s\Z",
    re.IGNORECASE,
)
#: how the data in our own questions to a model begins (`engram.extract.llm.prompt`)
_OWN_QUESTION = re.compile(r"<engram-data [0-9a-f]{8}>")
#: Keys of the conversation state: a session whose last user turn was left out, and why; one of
#: which something was left out; the name of an excluded folder.
_OFF, _UNTITLED, _OUTSIDE = "off", "untitled", "outside"
#: why a turn was left out
_OFF_RECORD, _OWN, _EXCLUDED = "1", "own", "excluded"
#: the most entries of a conversation's state; the oldest are dropped first
MAX_STATE = 256


def remember(state: MutableMapping[str, str], key: str, value: str) -> None:
    """Set an entry of a conversation's state, dropping the oldest when there are too many."""
    if key not in state and len(state) >= MAX_STATE:
        del state[next(iter(state))]
    state[key] = value


def of_session(kind: str, session: str) -> str:
    """The key of a session's entry in the state: it does not hold the session's name."""
    return f"{kind} {message_digest('session', session)}"


def readable(text: str) -> str:
    """Text that can be written as UTF-8: lone surrogates and NUL become the replacement sign."""
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def shortened(text: str, most: int) -> str:
    """Text of at most `most` characters, cut between words.

    A word that does not fit is dropped whole: half a secret would not be recognised.
    """
    if len(text) <= most:
        return text
    blank = next((at for at in range(most, -1, -1) if text[at].isspace()), 0)
    return text[:blank].rstrip()


def said(text: str) -> str:
    """The words of a message: without our own blocks and the wrappers of agents, stripped."""
    if "<" in text:
        text = without_wrappers(without_own(text))
    return readable(text).strip()


def without_wrappers(text: str, opening: re.Pattern[str] = WRAPPERS) -> str:
    """Text without the blocks whose opening tags (group 1: name) match; unclosed tags stay."""
    pieces: list[str] = []
    done = 0
    unclosed: set[str] = set()
    for tag in opening.finditer(text):
        name = tag[1]
        if tag.start() < done or name in unclosed:
            continue
        close = text.find(f"</{name}>", tag.end())
        if close >= 0:
            pieces.append(text[done : tag.start()])
            done = close + len(name) + 3
        elif len(unclosed) < _MAX_UNCLOSED:
            unclosed.add(name)
        else:
            break
    return "".join(pieces) + text[done:]


def without_private(text: str) -> tuple[str, int]:
    """Text without `<private>...</private>` parts, and how many there were."""
    if "<" not in text:
        return text, 0
    pieces: list[str] = []
    count = done = depth = 0
    for tag in _PRIVATE.finditer(text):
        if not tag[1]:
            if depth == 0:
                pieces.append(text[done : tag.start()])
                count += 1
            depth += 1
            done = len(text)
        elif depth:
            depth -= 1
            done = tag.end() if depth == 0 else len(text)
    if not count:
        return text, 0
    return ("".join(pieces) + text[done:]).strip(), count


def off_the_record(text: str) -> bool:
    """Whether a user asks for what is said to be kept off the record.

    The phrase in code or quotation marks does not count, nor does talk about such a thing ("an
    off-the-record chat", "she said it off the record", "this is not off the record").
    """
    if "ecord" not in text and "ECORD" not in text:
        return False
    if _PHRASE.search(text) is None:
        return False
    plain = _QUOTED.sub(" ", text)
    return any(
        _NO_REQUEST.search(plain, max(0, found.start() - 80), found.start()) is None
        for found in _PHRASE.finditer(plain)
    )


def kept(
    turns: Iterable[Turn], state: MutableMapping[str, str], removed: Removed,
    outside: Callable[[str, str], bool] = lambda folder, project: False,
) -> Iterator[Turn]:  # fmt: skip
    """The turns that may be kept, private parts cut out, in order; counts the rest in `removed`.

    A user turn that is left out takes along all that the assistant says in that session until its
    user speaks again. `outside` says whether a working folder and a project are excluded. `state`
    remembers what was left out from one reading to the next.
    """
    for turn in turns:
        off = of_session(_OFF, turn.session)
        if turn.by_person:
            reason = _left_out(turn, state, outside)
            if reason:
                remember(state, off, reason)
            elif state:
                state.pop(off, None)
        else:
            reason = state.get(off, "") or _left_out(turn, state, outside)
        text, parts = (turn.text, 0) if reason else without_private(turn.text)
        if reason in (_OFF_RECORD, _EXCLUDED) or parts:
            remember(state, of_session(_UNTITLED, turn.session), "1")
        removed.own += reason == _OWN
        removed.off_record += reason == _OFF_RECORD
        removed.excluded += reason == _EXCLUDED
        removed.private += parts
        if not reason and (text or not parts):
            yield _without_traces(turn, text, state)


def _left_out(
    turn: Turn, state: MutableMapping[str, str], outside: Callable[[str, str], bool]
) -> str:
    """Why a turn is not kept; empty when it is."""
    if turn.folder and outside(turn.folder, ""):
        remember(state, f"{_OUTSIDE} {base_name(turn.folder)}", "1")
        return _EXCLUDED
    if outside("", _project(turn, state)):
        return _EXCLUDED
    if turn.by_person:
        if "<engram-data " in turn.text and _OWN_QUESTION.search(turn.text):
            return _OWN
        if off_the_record(turn.text):
            return _OFF_RECORD
    return ""


def _project(turn: Turn, state: MutableMapping[str, str]) -> str:
    """The project of a turn: a session that began in an excluded folder does not keep its name."""
    if turn.folder and f"{_OUTSIDE} {turn.project}" in state:
        return base_name(turn.folder)
    return turn.project


def _without_traces(turn: Turn, text: str, state: MutableMapping[str, str]) -> Turn:
    """A turn of which nothing tells what was left out of its conversation."""
    project = _project(turn, state)
    title = "" if of_session(_UNTITLED, turn.session) in state else turn.title
    if (text, project, title) == (turn.text, turn.project, turn.title):
        return turn
    return replace(turn, text=text, project=project, title=title)


def base_name(path: str) -> str:
    """The last part of a path of any system; empty for a root."""
    bare = path.rstrip("/\\")
    return bare[max(bare.rfind("/"), bare.rfind("\\")) + 1 :]
