"""Fast filter for raw lines of a Claude Code transcript: skips silent ones without decoding.

Most bytes of a transcript are tool output and thinking. Here a line is skipped only on proof
from its bytes; anything unusual (other key order, white space, escapes, several blocks) is no
proof and is decoded in full, so that a wrong guess costs time and never a turn:

- the keys are read from the first byte of the line, over scalar values only. They are top-level
  keys, and text inside a string cannot pose as one, for there every quote is escaped;
- the end of a long string is the first quote without a backslash before it. Where a backslash is
  itself escaped before a quote, that could be an earlier end, so such a line is decoded;
- no second object may be glued on: no `}` may be followed by `{` and a quote;
- what was proved must not be said again: where a key of the proof could come a second time (JSON
  lets the last one win), the line is decoded.
"""

from __future__ import annotations

import re

#: A key with a scalar value; strings with escapes come last, they are rare and slow.
_PAIR = rb'"[^"\\]*+":(?:"[^"\\]*+"|[a-z0-9.-]++|"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"),'
#: The scalar keys at the start of a line with its type, then, where it comes next, a message up to
#: the opening quote of the long string in the first block of its content.
_HEAD = re.compile(
    rb'\{(?>(?:"type":"(?P<type>[a-z-]++)",|' + _PAIR + rb")*)"
    rb'(?:"message":\{(?>(?:' + _PAIR + rb')*)"content":\[\{'
    rb'(?P<block>(?>(?:"tool_use_id":"[\w-]++",|"type":"tool_result",)*)"content":"'
    rb'|"type":"thinking","thinking":"))?'
)
_QUOTE = re.compile(rb'"(?<!\\")')
#: From the end of that string to the end of the content: nothing but the rest of the one block.
_REST = re.compile(
    rb'(?>(?:,"is_error":(?:true|false)|,"tool_use_id":"[\w-]++"|,"type":"tool_result"'
    rb'|,"signature":"[^"\\]*+")*)\}\]'
)
#: Inside a string the quote would be escaped.
_GLUED = re.compile(rb'\}[\s\0\xef\xbb\xbf]*\{\s*"')
#: Types that carry neither words nor a title, nor a queue of prompts.
_SILENT = frozenset(
    [
        b"progress", b"system", b"file-history-snapshot", b"file-history-delta", b"attachment",
        b"last-prompt", b"mode", b"permission-mode", b"pr-link",
    ]
)  # fmt: skip


def silent(line: bytes) -> bool:
    """Whether a complete line (with its newline) is one object without any words of a message."""
    head = _HEAD.match(line)
    if head is None:
        return False
    end = head.end()
    if head["type"] in _SILENT:
        if line.find(b'"user"', end) >= 0 or line.find(b'"assistant"', end) >= 0:
            return False
    else:
        quote = _QUOTE.search(line, end) if head["block"] is not None else None
        if quote is None or line.find(b'\\\\"', end, quote.end()) >= 0:
            return False
        rest = _REST.match(line, quote.end())
        if rest is None:
            return False
        end = rest.end()
        if line.find(b'"message":', end) >= 0:
            return False
    return _GLUED.search(line, end) is None
