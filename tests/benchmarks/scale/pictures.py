"""Pictures of the figures: CPU seconds over the size, on log-log paper, one SVG file a kind.

A panel shows engram beside its peers; a dotted line or ring is what is wanted. On such paper what
grows as the size does rises by one decade a decade. Each point says its figure when it is pointed
at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from engram.surfaces.cli.svg import document, safe, text_at
from tests.benchmarks.processes import seconds
from tests.benchmarks.scale import memories, turns
from tests.benchmarks.scale.growth import Figures

#: a panel with its labels, and the paper in it
_PANEL, _HIGH = 500, 270
_LEFT, _TOP, _PAPER, _TALL = 64, 30, 280, 190
_COLUMNS, _MARGIN = 2, 20
#: between two labels at the ends of lines
_LINE = 14
_COLOURS = {"engram": "a", "FTS5": "c", "qmd": "b", "ripgrep": "d", "json.loads": "d"}
_STYLE = """
.k{stroke-width:2}.k.a,.k.b,.k.c,.k.d,.w{fill:none}.k.a{stroke:#0969da}.k.b{stroke:#1a7f37}
.k.c{stroke:#bc4c00}.k.d{stroke:#8250df}.n{stroke-dasharray:7 4}
.w{stroke:#59636e;stroke-width:2;stroke-dasharray:2 3}
@media(prefers-color-scheme:dark){.k.a{stroke:#4493f8}.k.b{stroke:#3fb950}.k.c{stroke:#db6d28}
.k.d{stroke:#ab7df8}.w{stroke:#9198a1}}"""


class _Row(NamedTuple):
    """A row of the tables, and what engram's line of it is called beside its name."""

    what: str
    name: str = ""


#: title -> rows; peers come with the first
_PANELS: dict[str, dict[str, tuple[_Row, ...]]] = {
    "memories": {
        "Foreign notes adopted, until all are searchable": (_Row(memories.ADOPTION),),
        "Rebuild from the files": (_Row(memories.REBUILD),),
        "First search after a clone": (_Row(memories.CLONE),),
        "A search, a process of its own": (_Row(memories.SEARCH),),
        "An edit, until a search finds it (median)": (
            _Row(f"{memories.EDIT}: p50"), _Row(f"{memories.EDIT_DAEMON}: p50", "daemon"),
        ),
        "3 words, the index alone; all of a search": (
            _Row("3 words, finder: p50"), _Row("3 words, the whole search: p50", "all"),
        ),
        "Recall: an open process; one of its own": (
            _Row("recall, open: p50"), _Row(memories.RECALL, "own"),
        ),
        "Hooks: beside a prompt; session start": (
            _Row(memories.HOOKS["prompt"]), _Row(memories.HOOKS["session-start"], "start"),
        ),
        "Five turns extracted": (_Row(f"{memories.EXTRACTION}: p50"),),
        "The first night; the second": (
            _Row(memories.NIGHT), _Row(memories.SECOND_NIGHT, "second"),
        ),
    },
    "turns": {
        "Import, without extraction": (_Row(turns.IMPORT),),
        "Index of all": (_Row(turns.INDEX),),
        "3 words, the index alone; all of a search": (
            _Row("3 words in turns, finder: p50"), _Row("3 words, the whole search: p50", "all"),
        ),
        "Recall, an open process": (_Row("recall, open: p50"),),
    },
}  # fmt: skip
_WANTED = {"memories": memories.WANTED, "turns": turns.WANTED}


@dataclass(frozen=True, slots=True)
class _Curve:
    """CPU seconds by size, under a name."""

    name: str
    colour: str
    dashed: bool
    points: dict[int, float]


def draw(figures: Figures, folder: Path) -> None:
    """One file for each kind that has figures: `memories.svg`, `turns.svg`."""
    for kind in figures.kinds:
        parts = list(_panels(figures, kind))
        if not parts:
            continue
        rows = -(-len(parts) // _COLUMNS)
        title = f"engram: CPU seconds (vertical) by number of {kind} (horizontal)"
        lines = [text_at(_MARGIN, 30, title, "h")]
        for number, panel in enumerate(parts):
            row, column = divmod(number, _COLUMNS)
            x, y = _MARGIN + column * _PANEL, 50 + row * _HIGH
            lines += [f'<g transform="translate({x} {y})">', *panel, "</g>"]
        width, height = 2 * _MARGIN + _COLUMNS * _PANEL, 50 + rows * _HIGH
        drawn = document(title, width, height, lines, _STYLE)
        (folder / f"{kind}.svg").write_text(drawn, encoding="utf-8")


def _panels(figures: Figures, kind: str) -> Iterator[list[str]]:
    for title, rows in _PANELS[kind].items():
        curves = list(_curves(figures, kind, rows))
        if curves:
            wanted = {
                count: most
                for row in rows
                for (what, count), most in _WANTED[kind].items()
                # what is wanted of the slowest is not what is wanted of most
                if what in (row.what, row.what.replace("p50", "p95"))
            }
            yield [text_at(0, 14, title, "h"), *_paper(curves, wanted)]


def _curves(figures: Figures, kind: str, rows: Sequence[_Row]) -> Iterator[_Curve]:
    for row in rows:
        for who, points in figures.kinds[kind].get(row.what, {}).items():
            if who == "engram" or not row.name:
                name = f"{who}, {row.name}" if row.name else who
                yield _Curve(name, _COLOURS[who], bool(row.name), points)


class _Scale:
    """Where a size and a time stand on the paper of one panel."""

    def __init__(self, sizes: Sequence[float], times: Sequence[float]) -> None:
        self.sizes, self.times = _decades(sizes), _decades(times)

    def x(self, size: float) -> float:
        """From the left."""
        return _LEFT + _PAPER * _part(size, self.sizes)

    def y(self, time: float) -> float:
        """From the top."""
        return _TOP + _TALL * (1 - _part(time, self.times))


def _decades(values: Sequence[float]) -> range:
    """The powers of ten around all of them, two at least."""
    low = math.floor(math.log10(min(values)) + 1e-9)
    return range(low, max(math.ceil(math.log10(max(values)) - 1e-9), low + 1) + 1)


def _part(value: float, decades: range) -> float:
    return (math.log10(value) - decades[0]) / (decades[-1] - decades[0])


def _paper(curves: Sequence[_Curve], wanted: dict[int, float]) -> Iterator[str]:
    sizes = [size for curve in curves for size in curve.points]
    times = [time for curve in curves for time in curve.points.values()]
    scale = _Scale([*sizes, *wanted], [*times, *wanted.values()])
    right, base = _LEFT + _PAPER, _TOP + _TALL
    for power in scale.times:
        y = scale.y(10.0**power)
        yield f'<line class="l" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield text_at(_LEFT - 6, round(y) + 4, _time(power), "x", end=True)
    for power in scale.sizes:
        x = scale.x(10.0**power)
        yield f'<line class="l" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{base}"/>'
        yield text_at(round(x) + (8 if power == scale.sizes[0] else 16), base + 16,
                      f"{10**power:,}", "x", end=True)  # fmt: skip
    yield from _line("w", scale, wanted)
    for size, most in wanted.items():
        yield _point("w", 6, scale, size, most, "wanted")
    for curve in curves:
        kind = f"k {curve.colour}"
        yield from _line(f"{kind} n" if curve.dashed else kind, scale, curve.points)
        for size, time in sorted(curve.points.items()):
            yield _point(curve.colour, 3.5, scale, size, time, curve.name)
    yield from _names(scale, curves, wanted)


def _time(power: int) -> str:
    """1 s, 100 ms: a power of ten in seconds."""
    unit, size = next((unit, size) for unit, size in (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9))
                      if power >= size)  # fmt: skip
    return f"{10 ** (power - size):,} {unit}"


def _line(kind: str, scale: _Scale, points: dict[int, float]) -> Iterator[str]:
    if len(points) > 1:
        places = " ".join(f"{scale.x(size):.1f},{scale.y(points[size]):.1f}"
                          for size in sorted(points))  # fmt: skip
        yield f'<polyline class="{kind}" points="{places}"/>'


def _point(kind: str, radius: float, scale: _Scale, size: int, time: float, name: str) -> str:
    place = f'cx="{scale.x(size):.1f}" cy="{scale.y(time):.1f}" r="{radius}"'
    told = safe(f"{name}: {seconds(time)} at {size:,}")
    return f'<circle class="{kind}" {place}><title>{told}</title></circle>'


def _names(scale: _Scale, curves: Sequence[_Curve], wanted: dict[int, float]) -> Iterator[str]:
    """What each line is, at its end, no label on another."""
    ends = [
        (scale.x(max(points)), scale.y(points[max(points)]), name, points[max(points)])
        for name, points in (*((one.name, one.points) for one in curves), ("wanted", wanted))
        if points
    ]
    below: dict[float, float] = {}
    for x, y, name, time in sorted(ends):
        below[x] = max(y, below.get(x, 0.0) + _LINE)
        kind = "s" if name == "wanted" else ""
        yield text_at(round(x) + 10, round(below[x]) + 4, f"{name} {seconds(time)}", kind)
