"""Every code that refuses a candidate is told in words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.model.errors import BadInput
from engram.model.refusal_codes import MEANINGS, check_code, is_withheld, meaning
from tests.tree import PACKAGE, modules, parsed

GATE = sorted((PACKAGE / "admit" / "gate").glob("*.py"))
#: modules whose public constants of text are codes
NAMED = (*GATE, PACKAGE / "extract" / "receipt.py", PACKAGE / "extract/llm/answer_items.py")


def codes_of_verdicts(path: Path) -> Iterator[str]:
    """The second text of every `Verdict("refuse", code, ...)`."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call) and len(node.args) > 1:
            first, second = node.args[:2]
            if isinstance(first, ast.Constant) and first.value == "refuse":
                yield from texts(second)


def codes_named(path: Path) -> Iterator[str]:
    """`DANGLING, QUESTION = "dangling", "question"`."""
    for node in parsed(path).body:
        if isinstance(node, ast.Assign) and re.fullmatch(
            r"[A-Z][A-Z_, ]+", ast.unparse(node.targets[0]).strip("()")
        ):
            yield from texts(node.value)


def codes_returned(path: Path) -> Iterator[str]:
    """What the functions of a gate return."""
    functions = [one for one in parsed(path).body if isinstance(one, ast.FunctionDef)]
    for one in functions:
        if one.returns is not None and ast.unparse(one.returns) == "str":
            for node in ast.walk(one):
                if isinstance(node, ast.Return) and node.value is not None:
                    yield from texts(node.value)


def codes_of_orders() -> Iterator[str]:
    for node in ast.walk(parsed(PACKAGE / "language" / "agent_orders.py")):
        if isinstance(node, ast.Constant) and str(node.value).startswith("injection_"):
            yield str(node.value)


def texts(node: ast.expr) -> Iterator[str]:
    """The code that an expression is, or those that it is a tuple or a choice of."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if len(node.value) > 2 and node.value.replace("_", "").replace("-", "").islower():
            yield node.value
    elif isinstance(node, ast.Tuple):
        for one in node.elts:
            yield from texts(one)
    elif isinstance(node, ast.IfExp):
        yield from texts(node.body)
        yield from texts(node.orelse)


def test_no_code_is_without_words() -> None:
    found = {code for path in modules() for code in codes_of_verdicts(path)}
    found |= {code for path in NAMED for code in codes_named(path)}
    found |= {code for path in GATE for code in codes_returned(path)}
    found |= set(codes_of_orders())
    assert len(found) > 20
    assert sorted(found - MEANINGS.keys()) == []


def test_a_code_of_another_version_is_told_too() -> None:
    assert meaning("of_tomorrow") == "a reason of another version"
    check_code("of_tomorrow", frozenset(["of_tomorrow"]))
    with pytest.raises(BadInput, match="of_yesterday"):
        check_code("of_yesterday", frozenset(["of_tomorrow"]))


def test_what_may_do_harm_is_withheld() -> None:
    withheld = {code for code in MEANINGS if is_withheld(code)}
    private = {one for one in MEANINGS if one.startswith("privacy_deny_")}
    injections = {one for one in MEANINGS if one.startswith("injection_")}
    assert withheld == {"secret", "personal"} | private | injections
