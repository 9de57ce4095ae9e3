"""Words that mean nearly the same, by their stems."""

from __future__ import annotations


def related_terms(term: str) -> tuple[tuple[str, float], ...]:
    """Stems related to a stem, each with its share 0..1, best first; none for an unknown one."""
    return ()
