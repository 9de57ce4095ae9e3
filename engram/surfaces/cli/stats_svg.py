"""Picture of a vault's activity: the numbers of `engram stats` -> one SVG file, as text.

Each bar says its number when it is pointed at. Lengths are in SVG's user units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from engram.model.instant import plus_days
from engram.model.refusal_codes import meaning
from engram.surfaces.cli.svg import document, safe, text_at

if TYPE_CHECKING:
    from engram.model.activity import Activity

_WIDTH, _MARGIN, _LABEL = 800, 24, 190
#: a column chart's height, that of a row of a bar chart, the space a title takes
_CHART, _LINE, _TITLE = 120, 22, 40
#: letters of a label; rows of a bar chart
_LETTERS, _ROWS = 26, 20
#: space that the figure of a bar chart's row takes behind its bar
_FIGURE = 80
#: about so wide is a day under a column
_DAY = 84


class _Bar(NamedTuple):
    """A number, how it is written, and what it is the number of."""

    label: str
    value: float
    text: str


def picture_of(found: Activity, project: str = "") -> str:
    """The file's text; `project` is the one that was asked for."""
    parts: list[str] = []
    y = _MARGIN
    for height, lines in _sections(found, project):
        parts.append(f'<g transform="translate({_MARGIN} {y})">')
        parts += lines
        parts.append("</g>")
        y += height
    return document(_span(found), _WIDTH, y + _MARGIN, parts)


def _span(found: Activity) -> str:
    return f"engram: {found.since} to {plus_days(found.before, -1)}"


def _sections(found: Activity, project: str) -> Iterator[tuple[int, list[str]]]:
    """Height and elements of each part of the picture, from top to bottom."""
    told = f"{found.turns:,} turns, {found.memories:,} memories"
    told += f" of the project {project}" if project else ""
    yield 52, [text_at(0, 14, _span(found), "h"), text_at(0, 36, told, "s")]
    days = [week.monday for week in found.weeks]
    turns = [_Bar(one.monday, one.turns, f"{one.turns:,}") for one in found.weeks]
    memories = [_Bar(one.monday, one.memories, f"{one.memories:,}") for one in found.weeks]
    if found.turns:
        yield _columns("Turns by week", "a", turns, days)
    if found.memories:
        yield _columns("Memories by week", "b", memories, days)
    named = found.projects if any(one.project for one in found.projects) else ()
    if named:
        rows = [_Bar(one.project or "(none)", one.turns, f"{one.turns:,}") for one in named]
        yield _rows("Turns by project", "a", rows)
        rows = [_Bar(one.project or "(none)", one.memories, f"{one.memories:,}") for one in named]
        if found.memories:
            yield _rows("Memories by project", "b", [row for row in rows if row.value])
    if found.refused:
        codes = sorted(found.refused.items(), key=lambda item: (-item[1], item[0]))
        rows = [_Bar(code, count, f"{count:,}") for code, count in codes]
        yield _rows("Refused candidates", "c", rows, [meaning(code) for code, _ in codes])
    if found.models:
        spent = [_Bar(one.monday, one.usd, f"${one.usd:.4f}") for one in found.weeks]
        yield _columns("Spent by week, US dollars", "d", spent, days)
        rows = [
            _Bar(one.model, one.usd, f"${one.usd:.4f}, {one.requests:,} requests")
            for one in found.models
        ]
        yield _rows("Spent by model", "d", rows, figure=3 * _FIGURE)


def _columns(
    title: str, colour: str, bars: Sequence[_Bar], days: Sequence[str]
) -> tuple[int, list[str]]:
    """One column for each week, the largest number at the top, and some of the days below."""
    width = _WIDTH - 2 * _MARGIN
    step = width / max(len(bars), 1)
    base, largest = _TITLE + _CHART, max((bar.value for bar in bars), default=0)
    top = next((bar.text for bar in bars if bar.value == largest), "0")
    lines = [
        text_at(0, 14, title, "h"),
        text_at(width, 14, f"most in a week: {top}", "x", end=True),
        f'<line class="l" x1="0" x2="{width}" y1="{base}" y2="{base}"/>',
    ]
    wide = min(max(step * 0.8, 1), 60)
    for at, bar in enumerate(bars):
        if bar.value > 0:
            high = max(bar.value / largest * _CHART, 1.5)
            x = at * step + (step - wide) / 2
            lines.append(_box(colour, x, base - high, wide, high, f"{bar.label}: {bar.text}"))
    every = max(-(-len(days) * _DAY // width), 1)
    lines += [
        text_at(round(at * step), base + 16, day, "x")
        for at, day in enumerate(days)
        if at % every == 0 and (at * step + _DAY <= width or not at)
    ]
    return base + 44, lines


def _rows(
    title: str, colour: str, bars: Sequence[_Bar], notes: Sequence[str] = (), figure: int = _FIGURE
) -> tuple[int, list[str]]:
    """One row for each bar, its number in a space of `figure` behind it; a note stands below."""
    high = _LINE * (2 if notes else 1)
    shown = bars[:_ROWS]
    room = _WIDTH - 2 * _MARGIN - _LABEL - figure
    largest = max((bar.value for bar in shown), default=0)
    lines = [text_at(0, 14, title, "h")]
    for at, bar in enumerate(shown):
        y = _TITLE - 8 + at * high
        wide = max(bar.value / largest * room, 1.5) if bar.value > 0 else 0
        lines.append(text_at(0, y + 12, _short(bar.label), "", hint=_hint(bar.label)))
        lines.append(_box(colour, _LABEL, y, wide, 15, f"{bar.label}: {bar.text}"))
        lines.append(text_at(_LABEL + round(wide) + 8, y + 12, bar.text, "s"))
        if notes:
            lines.append(text_at(_LABEL, y + 30, notes[at], "x"))
    if len(bars) > len(shown):
        y = _TITLE + len(shown) * high
        lines.append(text_at(0, y + 4, f"and {len(bars) - len(shown)} more", "s"))
    return _TITLE + (len(shown) + (len(bars) > len(shown))) * high + 12, lines


def _box(colour: str, x: float, y: float, width: float, height: float, told: str) -> str:
    sizes = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="{colour}" {sizes}><title>{safe(told)}</title></rect>'


def _short(label: str) -> str:
    return label if len(label) <= _LETTERS else label[: _LETTERS - 1] + "…"


def _hint(label: str) -> str:
    return label if _short(label) != label else ""
