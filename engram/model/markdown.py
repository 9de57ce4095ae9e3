"""Neutralisation: foreign text -> inert Markdown that shows the same words (design 4.3).

What a transcript, an export or a model wrote is put into notes that other programs render, link,
query and run. `neutralise` turns such text into paragraphs, lists, tables and plain code blocks:
no heading, rule, quote, image, embed, wikilink, tag, HTML, comment, block id, math block, template,
query, button or link that runs something is left in it, and no code block stays open. Escapes are
backslashes, which a renderer does not show (in code, where Templater and Liquid read too, it does);
words are never dropped but for the info strings of fences. All of it is idempotent.

How code is kept apart: a fenced block is written again at the left margin without its info string
and is closed by the same fence, so that no list or quote around it can end it early; in prose, only
backticks that pair up within one line stay, so that a code span cannot begin on an earlier line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

#: What Python, Unicode or old systems take for a line end, and Markdown partly: all become `\n`.
_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
#: Control characters have no place in a note; a lone surrogate cannot be written as UTF-8.
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f]")
_SURROGATES = re.compile("[\ud800-\udfff]")

#: Indentation and list markers before the content of a line.
_PREFIX = re.compile(r"\s*(?:(?:[-+*]|[0-9]{1,9}[.)])\s+(?=\S))*")
_MARKER = re.compile(r"([-+*.)])(?=\s|$)")
#: An opening fence; more than three blanks before it are taken too, as it is moved to the margin.
_FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
_READ_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
#: Rules and setext underlines: one character again and again, blanks allowed.
_RULE = re.compile(r"([-=*_])(?:\s*\1)*\s*")
#: Headings, quotes, link definitions and footnotes, also those whose label ends lines below.
_BLOCK = re.compile(r"#{1,6}(?:\s|$)|>|\[(?:[^\\\[\]]|\\.)*(?:\]:|\\?$)")

#: Letters of a tag in Obsidian: everything but blanks and ASCII punctuation other than `- _ /`.
_TAG = r"[^\s\x00-,.:-@\[-^`{-\x7f]"
#: Where a link may lead: to a page, a mail, a part of this note or a file near it.
_PLACE = r"\s*<?(?:https?://|mailto:|[#?/)]|[^:&\s()\\/?#<]+(?:[/?#)\s]|$))"
_TOKEN = re.compile(
    r"\\[!-/:-@\[-`{-~]"  # an escape: stays as it is
    r"|`+"
    r"|\[(?=\[)|(?<=[\[!])\["  # wikilinks, embeds, images
    r"|<(?=[A-Za-z/!?])"  # HTML, comments, autolinks
    r"|%(?=%)|(?<=[%<{])%"  # Obsidian comments, Templater commands, Liquid tags
    r"|\{(?=\{)|(?<=\{)\{"  # Liquid, Jinja and Obsidian's own templates
    rf"|\](?=\((?!{_PLACE}))"  # links that run something: javascript:, obsidian:, data:
    r"|(?i:(?<=obsidian)):(?=//)"
    r"|\$(?=\$)|(?<=\$)\$"  # math blocks, which would swallow what follows
    rf"|(?<![\w/&#=?.:@%+~\\-])\#(?=[0-9]*(?![0-9]){_TAG})"  # tags
    r"|(?<!\w)\^(?=[A-Za-z0-9-]+\s*$)"  # block ids
)
#: What every token begins with: looked for first, because that is quick.
_MARK = re.compile(r"[\\`\[<%$#^{\]]|:(?=//)")
#: A line with none of these marks, and no such start, needs no second look.
_MARKS = re.compile(r"[`<\[%#^${\]]|:(?=//)")
_STARTS = re.compile(r"\s*(?:[-+*=_>~]|[0-9]+[.)]\s)")
#: Dataview, Meta Bind and Buttons run code spans that begin so.
_QUERY = re.compile(r"^(`+\s*)(\$?=|[A-Z_]{4,}\[|button-)")
_SIGN = re.compile(r"\$?=")
#: Templater and Liquid read whole files, code too.
_TEMPLATE = re.compile(r"(?<=<)(?=%)|(?<=\{)(?=[{%])")


#: Without any of these a text is inert as it stands: most short turns are.
_SUSPECT = re.compile(
    r"[`<\[%#^${\]\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
    r"|^\s*(?:[-+*=_>~]|[0-9]+[.)]\s)|^\s+$|:(?=//)",
    re.MULTILINE,
)
#: git begins the first side of a conflict with it
_CONFLICT = "<<<<<<< "


def neutralise(text: str) -> str:
    """The text as inert Markdown, without blank lines around it; lines end in `\\n`."""
    return _neutralised(text) if _SUSPECT.search(text) else text.strip()


def _neutralised(text: str) -> str:
    out: list[str] = []
    fence, indent = "", 0
    for line in _plain(text).split("\n"):
        if fence:
            line = line[min(indent, len(line) - len(line.lstrip(" \t"))) :]
            if _closes(line, fence):
                line, fence = fence, ""
            out.append(_TEMPLATE.sub(r"\\", line) if line.strip() else "")
            continue
        if not (_MARKS.search(line) or _STARTS.match(line)):
            out.append(line if line.strip() else "")
            continue
        prefix = _prefix(line)
        opening = _FENCE.match(line, len(prefix))
        if opening is None:
            out.append(_prose(line, prefix))
            continue
        fence, indent = opening[1], len(prefix)
        if markers := prefix.strip():
            out.append(_MARKER.sub(r"\\\1", markers))
        out.append(fence)
    if fence:
        out.append(fence)
    return "\n".join(out).strip()


def quote_block(text: str) -> str:
    """The text as a block quote: `> ` before each line of the neutralised text, `>` for blank ones.

    Empty text gives an empty string. The quote ends where the block ends: fences are closed.
    """
    inert = neutralise(text)
    return "\n".join(f"> {line}" if line else ">" for line in inert.split("\n")) if inert else ""


def inert_line(text: str) -> str:
    """The text on one line, for the middle of a line: nothing in it reaches out of that line."""
    words = " ".join(_plain(text).split())
    return _inline(words) if _MARK.search(words) else words


def inert_value(text: str) -> str:
    """The text as the value of a header key, white space as it is.

    Headers are shown, queried and run as text is: by Templater, Dataview, Bases.
    """
    return _inline(text) if _MARK.search(text) else text


def code_lines(lines: Sequence[str]) -> list[bool]:
    """For each line of a note, whether it belongs to a fenced code block, fences included."""
    inside: list[bool] = []
    fence = ""
    for line in lines:
        if fence:
            inside.append(True)
            if _closes(line, fence):
                fence = ""
            continue
        opening = _READ_FENCE.match(line)
        fence = opening[1] if opening else ""
        inside.append(opening is not None)
    return inside


def marked_by_git(text: str) -> bool:
    """Whether git's mark of a conflict begins a line that is no code: nobody has chosen a side."""
    if _CONFLICT not in text:
        return False
    lines = text.split("\n")
    code = code_lines(lines)
    return any(line.startswith(_CONFLICT) and not code[at] for at, line in enumerate(lines))


def _plain(text: str) -> str:
    """Line ends of every kind -> `\\n`, control characters dropped, nothing blank around."""
    text = _CONTROLS.sub("", _BREAKS.sub("\n", text))
    return _SURROGATES.sub("\ufffd", text).strip()


def _prefix(line: str) -> str:
    """Indentation and list markers; all of `* * *` but the last star."""
    found = _PREFIX.match(line)
    return found.group() if found else ""


def _closes(line: str, fence: str) -> bool:
    """Whether the line closes a block: the same character, at least as often, nothing else."""
    bare = line.strip(" \t")
    indented = len(line) - len(line.lstrip(" "))
    return indented <= 3 and len(bare) >= len(fence) and not bare.strip(fence[0]) and bool(bare)


def _prose(line: str, prefix: str) -> str:
    """One line outside code, unable to begin a block or to reach out of its paragraph."""
    bare = line.lstrip()
    if _RULE.fullmatch(bare):
        return f"{line[: len(line) - len(bare)]}\\{bare}"
    content = _inline(line[len(prefix) :])
    if _RULE.fullmatch(content) or _BLOCK.match(content):
        content = "\\" + content
    return prefix + content


def _inline(text: str) -> str:
    """Escape what is markup; code spans stay as they are, lone backticks are escaped."""
    out: list[str] = []
    done = at = 0
    runs = _runs(text)
    while candidate := _MARK.search(text, at):
        found = _TOKEN.match(text, candidate.start())
        if found is None:
            at = candidate.end()
            continue
        out.append(text[done : found.start()])
        token, done = found.group(), found.end()
        if token[0] == "`":
            end = _span_end(runs.get(len(token), []), done, len(token))
            if end:
                code = _TEMPLATE.sub(r"\\", text[found.start() : end])
                out.append(_QUERY.sub(r"\1\\\2", code))
                done = end
            else:
                # a sign behind it too: readers differ in what pairs up with what
                sign = "\\" if _SIGN.match(text, done) else ""
                out.append(r"\`" * len(token) + sign)
        else:
            out.append(token if token[0] == "\\" else "\\" + token)
        at = done
    out.append(text[done:])
    return "".join(out)


def _runs(text: str) -> dict[int, list[int]]:
    """Where runs of backticks start, by their length."""
    runs: dict[int, list[int]] = {}
    if "`" in text:
        for run in re.finditer("`+", text):
            runs.setdefault(len(run.group()), []).append(run.start())
    return runs


def _span_end(starts: list[int], after: int, length: int) -> int:
    """Where the code span ends that opened before `after`; 0 when nothing closes it."""
    at = bisect_left(starts, after)
    return starts[at] + length if at < len(starts) else 0


def header_lines(text: str) -> int:
    """The lines of a file's header, with the `---` above and below; 0 where there is none."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[0] != "---" or "---" not in lines[1:]:
        return 0
    return lines.index("---", 1) + 1
