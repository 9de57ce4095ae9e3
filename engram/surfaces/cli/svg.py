"""Parts of SVG pictures: elements -> one file, as text.

Guarantees: well-formed XML whatever a text says, no script, no link and nothing that is loaded from
elsewhere; readable on a light and on a dark ground. Lengths are in SVG's user units. Classes of
elements: `h` heading, `s` and `x` what is said beside, `g` ground, `l` line, `a` to `d` colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from engram.model.display import plain_line

#: what XML has no way to say
_NO_XML = re.compile("[\ufffe\uffff\ud800-\udfff]")

_STYLE = """\
text{font:13px system-ui,sans-serif;fill:#1f2328}
.h{font-size:16px;font-weight:600}.s,.x{fill:#59636e}.x{font-size:11px}
.g{fill:#fff}.l{stroke:#d1d9e0}.a{fill:#0969da}.b{fill:#1a7f37}.c{fill:#bc4c00}.d{fill:#8250df}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.s,.x{fill:#9198a1}.g{fill:#0d1117}
.l{stroke:#3d444d}.a{fill:#4493f8}.b{fill:#3fb950}.c{fill:#db6d28}.d{fill:#ab7df8}}"""


def document(title: str, width: int, height: int, parts: Iterable[str], style: str = "") -> str:
    """The file's text; `style` is put behind that of all pictures."""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" role="img">',
            f"<title>{safe(title)}</title>",
            f"<style>{_STYLE}{style}</style>",
            f'<rect class="g" width="{width}" height="{height}"/>',
            *parts,
            "</svg>",
            "",
        )
    )


def text_at(x: int, y: int, text: str, kind: str, *, end: bool = False, hint: str = "") -> str:
    """A text of a class that begins, or ends, at a place; `hint` is told when it is pointed at."""
    anchor = ' text-anchor="end"' if end else ""
    told = f"<title>{safe(hint)}</title>" if hint else ""
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x}" y="{y}"{anchor}>{told}{safe(text)}</text>'


def safe(text: str) -> str:
    """Foreign text as XML says it."""
    return escape(_NO_XML.sub("\ufffd", plain_line(text)))
