"""A line of a turn -> its form: prose, list item, quotation, code, log, or start of a document.

    "$ make test" -> "machine"      "- we use oak" -> "item"      "> we use pine" -> "quoted"

`machine` is code, logs, stack traces, diffs, shell lines, JSON, tables and marks of terminal
programs; `data` is the same where a line of it says little about its neighbours. `document` begins
a page, a mail, a ticket or a chat: what follows belongs to it. Linear, never raises.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

Form = Literal["blank", "prose", "item", "quoted", "data", "machine", "rule", "document"]

#: A list's mark; ticked ones are a program's or a plan's.
BULLET = re.compile(r"(?:(?:[-*+•–◦] |\d{1,2}[.)] )\s*)+")
TICK = re.compile(r"(?:\[[ xX]\]|[✅☑✔☐⬜❌]\uFE0F?)\s")

_MACHINE = re.compile(
    r"[$%❯➜»]\s|root[#:]|(?:In |Out)\[\d+\]:|@@|\{|\}|PS [A-Z]:|[A-Z]:\\|\w+@[\w-]+[:~]|diff --git"
    r"|index [0-9a-f]{7}|\+\+\+ |--- \S|commit [0-9a-f]{7,40}$|\"[\w -]+\" ?:|'\w+' ?:"
    r"|at [\w.$<>]+ ?\(|File \"|Traceback|Caused by|Exception in |npm (?:ERR|WARN|error|warn)"
    r"|[✓✗✘×●⎿⏺⚠│├└─╭╰▶█⋮]"
    r"|\[?\d\d:\d\d(?::\d\d)?\b|\[?\d{1,4}[./-]\d\d?[./-]\d{2,4}[T ,]+\d"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d\d? \d\d:\d\d"
    r"|[A-Z]\w+ing\b[^.?!]*(?:\.{3}|…)$"
    r"|(?:FAIL|FAILED|PASS|PASSED|E)\s|make(?:\[\d+\])?: "
    r"|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE|FATAL|CRITICAL|NOTICE|PANIC)\b"
    r"|(?:[\w.]+\.)?[A-Z]?\w*(?:Error|Exception)\b ?[:(]"
    r"|##\[|::(?:error|warning)\b|(?:error|fatal|panic)(?:\[\w+\])?: |//|/\*|\*/|<!--"
    r"|import [\w.{}*'\"@/,-]+(?: from .*| as \w+|, .*)?$|from \S+ import .*$"
    r"|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP) \S+.*"
    r"\b(?:FROM|INTO|SET|TABLE|WHERE|INDEX)\b"
)
_DATA = re.compile(
    r"\||</?[A-Za-z!]|\[|\]|\(\w+ [^)]*\)$|(?:https?|file)://\S+$|[\w./\\-]+\.\w{1,5}:\d+|!\[|:\w+:$"
    r"|(?:note|help|hint|warning): |\+\S|-[^\s\-\d]"
    r"|(?:const|let|var|def|class|function|func|fn|return|public|private|async|export|package"
    r"|#include|using|namespace|struct|enum|interface|type|static)\b.*[({;=:<]"
)
_CODE_END = re.compile(r"(?:[{};\\]|=>|\),|\],|\)\s*:)$")
_ONLY_CODE = re.compile(r"`[^`]+`[.,:]?")
_RULE = re.compile(r"([-=*_~\"'<>#])\1{2,}|--")
#: Cells between tabs, and a value below a key, as YAML has it.
_CELLS = re.compile(r"\S\t+\S[^\t]*\t+\S")
_NESTED = re.compile(r"(?: {2,}|\t)[\w-]+:(?: |$)")
_DOCUMENT = re.compile(
    r"#{1,6} \S|\[Forwarded\b|\w[\w .]{0,40}, \[\d.{6,20}\]$|-{3,} ?\w.*-{3,}$"
    r"|(?i:forwarded|original) message\b|By [A-Z]\w+ [A-Z]\w+"
    r"|(?:Low|Medium|High|Critical) Severity$"
    r"|_.{0,4}(?:Potential issue|Refactor suggestion|Nitpick)"
    r"|\d+(?:\.\d+)+\.? [A-Z][\w -]{2,40}$"
    r"|@?[\w-]+(?:\[bot\])? (?:commented|reviewed|requested changes)\b"
    r"|Skip to (?:main )?content|©|.*\b[Aa]ll rights reserved\b|.*\b\d+ min read\b"
    r"|On .{6,80} wrote:$|Am .{6,80} schrieb\b"
    r"|[\w.'-]+(?: [A-Z][\w.'-]*){0,2} {1,3}(?:(?:Today|Yesterday) at )?\d{1,2}:\d\d(?: [AP]M)?$"
)
#: Less of its characters than this are letters: nobody says that. Short lines are not judged.
_LEAST_LETTERS, _JUDGED_FROM = 0.6, 12


def form_of(raw: str) -> Form:
    """The form of a line, by itself; `raw` has its indentation."""
    line = raw.strip()
    if not line:
        return "blank"
    if _RULE.fullmatch(line):
        return "rule"
    if line[0] == ">":
        return "quoted"
    if _DOCUMENT.match(line):
        return "document"
    bullet = BULLET.match(line)
    if bullet or TICK.match(line):
        return "item"
    if raw.startswith(("    ", "\t")) or _NESTED.match(raw) or _CELLS.search(line):
        return "machine"
    if _MACHINE.match(line) or _ONLY_CODE.fullmatch(line) or _CODE_END.search(line):
        return "machine"
    if _DATA.match(line) or not _is_worded(line):
        return "data"
    return "prose"


def is_typed_item(line: str) -> bool:
    """Whether a list item can be in a person's words: neither ticked, nor bold, nor code."""
    bullet = BULLET.match(line)
    said = line[bullet.end() :] if bullet else line
    if TICK.match(said) or said.startswith(("**", "__", "~~")) or _ONLY_CODE.fullmatch(said):
        return False
    return _CODE_END.search(said) is None and _is_worded(said)


def _is_worded(line: str) -> bool:
    if len(line) <= _JUDGED_FROM:
        return True
    letters = sum(map(str.isalpha, line)) + sum(map(line.count, " '`,."))
    return letters >= _LEAST_LETTERS * len(line)


_LABEL = re.compile(r"(\w[\w.'-]*(?: [\w.'-]+){0,3}):(?: ?\S|$)")
_SAID_FIRST = re.compile(
    r"(?:btw|fyi|note|also|ps|edit|update|correction|important|reminder|remember|rule"
    r"|decision|decided|reason|background|ok|no|yes|so|and|but|one|another|here|goals?|project"
    r"|tasks?|features?|tabs|requirements?|constraints?|(?:tech )?stack|strict|rules|hint"
    r"|error|warning)\b",
    re.IGNORECASE,
)


def labelled_from(lines: Sequence[str]) -> int:
    """The first line of a chat, of a mail's or a ticket's header; -1 without one.

    Two lines that begin with a name and a colon make one: two capital names, or a name twice; or
    three such lines in a row.
    """
    found = [
        (number, label[1])
        for number, line in enumerate(lines)
        if (label := _LABEL.match(line)) and not _SAID_FIRST.match(label[1])
    ]
    names = Counter(name for _, name in found)
    speaking = [number for number, name in found if name[0].isupper() or names[name] > 1]
    starts = speaking[:1] if len(speaking) > 1 else []
    places = [number for number, _ in found]
    starts += [at for at in places if {at + 1, at + 2} <= set(places)][:1]
    return min(starts, default=-1)


_GREETING = re.compile(
    r"(?:dear|hi|hello|hey|hallo|liebe[rs]?|sehr geehrte[rs]?|bonjour|cher|chère|hola|ciao"
    r"|good (?:morning|afternoon|evening))\b[^.?!:]{0,40}[,!]?",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:all the |my )?best|(?:(?:kind|best|warm|many)(?:est)? )?(?:regards|wishes|greetings)"
    r"|cheers|sincerely|yours(?: \w+)?|respectfully|(?:many )?thanks|thank you|love|lg|vg"
    r"|mit freundlichen grüßen|viele grüße|liebe grüße|gruß|cordialement|saludos|saluti),?",
    re.IGNORECASE,
)
_SIGNED = re.compile(r"(?:-+ ?)?\w[\w.'-]*(?: [\w.'-]+){0,3}")


def letter_from(lines: Sequence[str]) -> int:
    """The first line of a letter, which somebody signed; -1 without one."""
    signed = [
        number
        for number, line in enumerate(lines[:-1])
        if _CLOSING.fullmatch(line) and _SIGNED.fullmatch(lines[number + 1])
    ]
    if not signed:
        return -1
    greeted = (at for at, line in enumerate(lines[: signed[0]]) if _GREETING.fullmatch(line))
    return next(greeted, 0)
