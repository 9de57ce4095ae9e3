"""Summary -> the one line of a block that stands for several memories.

    - summary 2026-01-10 to 2026-03-04: Deploys go through CI. Staging is rebuilt each night.
      Decisions: use blue-green deploys, because a rollback takes a minute. Facts: the runner has
      4 cores. Replaced: deploys by hand -> deploys from CI. (sum-3f9a2c1d)

(on one line). Guarantees: all that the page says, and no longer than `most` characters; nothing but
text. Empty where there is no room for all of it: its memories are given instead. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engram.recall.blocks import inert

if TYPE_CHECKING:
    from engram.model.summary import Summary, SummaryDecision


def summary_item(summary: Summary, most: int) -> str:
    """The item for a summary; empty where there is no room."""
    said = " ".join(_sentence(line.text) for line in summary.summary) or _sentence(summary.title)
    told = [f"- summary {inert(summary.first)} to {inert(summary.last)}: {said}"]
    replaced = [f"{_plain(one.old)} -> {_plain(one.new)}" for one in summary.replaced]
    for called, items in (
        ("Decisions", [_decision(one) for one in summary.decisions]),
        ("Facts", [_plain(line.text) for line in summary.facts]),
        ("Replaced", replaced),
    ):
        told += [f"{called}: {'; '.join(items)}."] if items else []
    item = f"{' '.join(told)} ({inert(summary.id)})"
    return item if len(item) <= most else ""


def _decision(one: SummaryDecision) -> str:
    reason = f", because {_plain(one.reason)}" if one.reason else ""
    outcome = f" (outcome: {_plain(one.outcome)})" if one.outcome else ""
    return f"{_plain(one.decision)}{reason}{outcome}"


def _plain(text: str) -> str:
    return inert(text).rstrip(".;")


def _sentence(text: str) -> str:
    told = inert(text)
    return told if told[-1:] in ".!?" else f"{told}."
