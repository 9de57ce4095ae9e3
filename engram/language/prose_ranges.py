"""A turn's text -> the ranges of it that are prose of the person's own.

Left out: code (fenced, indented, alone in back-ticks), quotations and what is announced by a line
such as "Dana wrote:" or "here is the log:", logs, stack traces, diffs, shell lines, JSON, XML,
tables, headings, what a tool appended, and everything from the first heading of a pasted document
on. A list item is a range of its own; hard-wrapped lines are joined. Linear, never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Range = tuple[int, int]


def own_prose(text: str) -> Iterator[Range]:
    """Start and end of each paragraph or list item that the person wrote."""
    return _paragraphs(text[: _own_length(text)])


#: From here on a turn holds what a tool pasted into it.
_APPENDED = re.compile(
    r"^(?:-{3,} ?(?:content|begin|start|file)\b.*|contents? (?:of|from) \S+:|={6,}|-{8,})\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(r"^#{1,6} \S", re.MULTILINE)
_BOLD_ITEM = re.compile(r"^(?:[-*] |\d+\. )?\*\*[^*\n]+\*\*", re.MULTILINE)
#: So many headings, or so many bold items, are a document; two headings in a text this long also.
_HEADINGS, _BOLD_ITEMS, _LONG = 3, 4, 800


def _own_length(text: str) -> int:
    """Where the text stops being the person's own."""
    appended = _APPENDED.search(text)
    length = appended.start() if appended else len(text)
    if "\n" not in text:
        return length
    headings = list(_HEADING.finditer(text, 0, length))
    if len(headings) >= _HEADINGS or (len(headings) == _HEADINGS - 1 and length > _LONG):
        return headings[0].start()
    bold = list(_BOLD_ITEM.finditer(text, 0, length))
    return bold[0].start() if len(bold) >= _BOLD_ITEMS else length


#: Starts of lines that nobody says.
_NOISE = re.compile(
    r"(?:>|\||</?[A-Za-z!]|#|[$%❯➜»]\s|@@|\{|\}|\[|\]|\(\w+ [^)]*\)$|PS [A-Z]:|[A-Z]:\\"
    r"|\w+@[\w-]+[:~]|diff --git|index [0-9a-f]{7}|\+\+\+|---|===|\*\*\*|\+\S|-[^\s\-\d]"
    r"|\"[\w -]+\" ?:|'\w+' ?:|at [\w.$<>]+ ?\(|File \"|Traceback|Caused by"
    r"|npm (?:ERR|WARN|error|warn)|[✓✗✘✔❌×●⎿⏺⚠│├└─]"
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|(?:FAIL|FAILED|PASS|PASSED|OK|E)\s"
    r"|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE|PANIC)\b"
    r"|(?:[\w.]+\.)?[A-Z]?\w*(?:Error|Exception)\b ?[:(]"
    r"|(?:error|warning|fatal|panic|note|help)(?:\[\w+\])?: "
    r"|import [\w.{}*'\"@/,-]+(?: from .*| as \w+|, .*)?$|from \S+ import .*$"
    r"|(?:const|let|var|def|class|function|func|fn|return|public|private|async|export|package"
    r"|#include|using|namespace|struct|enum|interface|type|static)\b.*[({;=:<]"
    r"|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP) \S+.*"
    r"\b(?:FROM|INTO|SET|TABLE|WHERE|INDEX)\b"
    r"|(?:https?|file)://\S+$|[\w./\\-]+\.\w{1,5}:\d+|!\[|\[\w+\]:|:\w+:$)"
)
_CODE_END = re.compile(r"(?:[{};\\]|=>|\),|\],|\)\s*:)$")
_ONLY_CODE = re.compile(r"`[^`]+`[.,:]?")
_BULLET = re.compile(r"(?:[-*•–] |\d{1,2}[.)] |\[[ x]\] )+")
_FENCE = re.compile(r"```|~~~")
_TAG = re.compile(r"<([A-Za-z][\w:-]*)(?:\s[^>]*)?>")
#: Less of its characters than this are letters: nobody says that. Short lines are not judged.
_LEAST_LETTERS, _JUDGED_FROM = 0.6, 12

#: A line that announces somebody else's words.
_ANNOUNCING = re.compile(
    r"\b(?:errors?|output|logs?|trace|stack ?trace|messages?|response|results?|says?|said|wrote"
    r"|writes|prints|printed|returns?|shows?|e?mail|ticket|issue|comments?|feedback|readme|article"
    r"|plan|spec|snippet|code|diff|warnings?|prompt|text|transcript|pasted?|slack|config|command"
    r"|example|contents?|resume|cv|bio|letter|draft|essay|paragraph|post|description|listing"
    r"|abstract|quote|notes?)\b[^:]{0,40}:$"
    r"|^(?:here(?:'s| is| are)|below (?:is|are)|this is|see) [^:]{2,80}:$",
    re.IGNORECASE,
)
#: Announced like this, they go on to the end of the turn.
_HANDING = re.compile(
    r"(?:ok |so |and )?(?:here(?:['’]s| is| are)|below (?:is|are)|see)\b", re.IGNORECASE
)


def _paragraphs(text: str) -> Iterator[Range]:
    start = end = -1
    for first, last, opens in _own_lines(text):
        if end >= 0 and not opens and _goes_on(text[start:end], text[first]):
            end = last
            continue
        if end >= 0:
            yield start, end
        start, end = first, last
    if end >= 0:
        yield start, end


def _goes_on(before: str, letter: str) -> bool:
    """Whether a line beginning with a letter goes on with a hard-wrapped one."""
    width = len(before) - before.rfind("\n") - 1
    return width > 50 and before[-1] not in ".!?:;" and letter.islower()


def _own_lines(text: str) -> Iterator[tuple[int, int, bool]]:
    """Start, end and "begins a paragraph" of each line that is neither code nor quoted."""
    lines = _Lines()
    offset, opens = 0, True
    for raw in text.splitlines(keepends=True):
        start, offset = offset, offset + len(raw)
        line = raw.strip()
        if not line:
            lines.blank()
            opens = True
            continue
        if lines.is_own(raw, line):
            bullet = _BULLET.match(line)
            first = start + len(raw) - len(raw.lstrip()) + (bullet.end() if bullet else 0)
            last = start + len(raw.rstrip())
            if first < last:
                yield first, last, opens or bullet is not None
        opens = False


class _Lines:
    """What the lines so far have opened: a fence, an XML block, an announced quotation."""

    def __init__(self) -> None:
        self._fence = ""
        self._tag = ""
        #: "" nothing, "announced" by the line before, "here" up to the blank line, "to the end"
        self._quoted = ""

    def blank(self) -> None:
        """A blank line ends a quotation, unless it stands between announcement and quotation."""
        self._quoted = "to the end" if self._quoted in ("announced", "to the end") else ""

    def is_own(self, raw: str, line: str) -> bool:
        """Whether the person says this line; takes note of what it opens or closes."""
        if self._fence or self._tag or _FENCE.match(line) or _TAG.match(line):
            self._in_block(line)
            return False
        if self._quoted:
            self._quoted = "here" if self._quoted == "announced" else self._quoted
            return False
        if _is_noise(raw, line):
            return False
        if _ANNOUNCING.search(line):
            self._quoted = "to the end" if _HANDING.match(line) else "announced"
            return False
        return True

    def _in_block(self, line: str) -> None:
        fence, tag = _FENCE.match(line), _TAG.match(line)
        if self._fence:
            self._fence = "" if line.startswith(self._fence) else self._fence
        elif self._tag:
            self._tag = "" if f"</{self._tag}>" in line else self._tag
        elif fence:
            self._fence = fence.group()
        elif tag and f"</{tag.group(1)}>" not in line:
            self._tag = tag.group(1)


def _is_noise(raw: str, line: str) -> bool:
    """Code, logs, tables, shell, data."""
    bullet = _BULLET.match(line)
    body = line[bullet.end() :] if bullet else line
    if not bullet and (raw.startswith(("    ", "\t")) or _NOISE.match(line)):
        return True
    if _ONLY_CODE.fullmatch(body) or _CODE_END.search(body):
        return True
    letters = sum(ch.isalpha() or ch in " '`,." for ch in body)
    return len(body) > _JUDGED_FROM and letters < _LEAST_LETTERS * len(body)
