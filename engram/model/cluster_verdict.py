"""ClusterVerdict: which texts of a cluster a model said are of one subject, and how it is found."""

from __future__ import annotations

from typing import NamedTuple


class ClusterVerdict(NamedTuple):
    """Digests of the texts that belong together; empty: no three of them do.

    None: the model was asked and gave no usable answer.
    """

    belongs: tuple[str, ...] | None


class ClusterKey(NamedTuple):
    """Digests of all texts in order, and of who was asked with which prompt."""

    texts: tuple[str, ...]
    asked: str
