"""Labels of vaults: `@shop` is another vault than the one that is asked, `@shop/ID` a memory of it.

    @shop, decision-20260306-101000-9c1f03aa  ->  @shop/decision-20260306-101000-9c1f03aa

No id of a file begins with `@`, so that both kinds of names can stand side by side. Pure.
"""

from __future__ import annotations


def labelled_id(label: str, identifier: str) -> str:
    """The name of a memory of another vault; of one of the vault that is asked its id."""
    return f"{label}/{identifier}" if label else identifier


def split_id(name: str) -> tuple[str, str]:
    """The label of a vault and the id there; an empty label for the vault that is asked."""
    if not name.startswith("@"):
        return "", name
    label, slash, identifier = name.partition("/")
    return (label, identifier) if slash else ("", name)
