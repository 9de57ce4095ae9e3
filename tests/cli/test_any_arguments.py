"""Whatever stands on the command line, the program ends as it promises: never with a traceback."""

from __future__ import annotations

import click
from hypothesis import example, given
from hypothesis import strategies as st

from engram.surfaces.cli.app import cli
from engram.surfaces.cli.verbs import VERBS
from tests.cli.shop import Shop
from tests.effort import examples

#: any text that a system hands over, but for NUL; without roots and parents it stays in its folder
_TEXT = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0/~\\"), max_size=12)
    | st.text("-#=.,:0123456789abcdef[]()*+?^$\udcff", max_size=8)
).filter(lambda text: text not in (".", ".."))
_PLAUSIBLE = st.sampled_from([
    "vault", "chat.jsonl", "nowhere", "decision", "preference", "fact", "#abcdef", "1", "2", "99",
    "0", "-1", "import-1", "auto", "jsonl", "text", "shop", "2026-03-06", "2026-03", "active",
    "postgres", "writers", '"two writers"', "-commits", "since:2026-03", "recall.limit", "show",
    "set", "path", "(", "(a+)+$", "[[", "\udcff", "\u202e", "\x1b[31m", "9" * 5000, "²", "",
])  # fmt: skip
_NOISE = st.sampled_from([
    "--help", "-h", "--", "-", "--nonsense", "-x", "--limit=", "--json=1", "--vault=", "--version",
])  # fmt: skip


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    """A command line: mostly a verb, some of its own options, and arguments that may fit them."""
    words = draw(st.lists(st.sampled_from(["--json", "--vault=vault"]), max_size=1))
    verb = draw(st.sampled_from(list(VERBS)) if draw(st.integers(0, 9)) else _TEXT)
    words.append(verb)
    command = cli.get_command(click.Context(cli, **cli.context_settings), verb)  # type: ignore[attr-defined]
    value = _PLAUSIBLE | _TEXT
    for parameter in command.params if command else ():
        if isinstance(parameter, click.Argument):
            words += draw(
                st.lists(value, min_size=0 if draw(st.integers(0, 4)) == 0 else 1, max_size=2)
            )
        # following a folder ends with a signal only
        elif draw(st.integers(0, 3)) == 0 and parameter.name != "follow":
            words.append(parameter.opts[0])
            if not parameter.is_flag:
                words.append(draw(value))
    if draw(st.integers(0, 4)) == 0:
        words.insert(draw(st.integers(0, len(words))), draw(_NOISE))
    return words


# every example goes on with the vault that those before it left
@examples(30, shared_fixture=True)
@given(words=lines(), stdin=st.binary(max_size=40) | st.just(b"y\n"))
@example(words=["undo", "²"], stdin=b"")
@example(words=["undo", "9" * 5000], stdin=b"")
@example(words=["show", "\udcff"], stdin=b"")
@example(words=["forget", "preference", "--reason", "\udcff\x1b[31m"], stdin=b"")
@example(words=["log", "--limit", "9" * 30], stdin=b"")
@example(words=["recall", "x", "--budget", "9" * 30], stdin=b"")
@example(words=["search", "x", "--limit", "9" * 30], stdin=b"")
@example(words=["config", "set", "vault", "\udcff"], stdin=b"")
@example(words=["list", "--project", "\udcff"], stdin=b"")
@example(words=["remember", "\udcff", "--project", "\udcff"], stdin=b"")
@example(words=["import", "text", "\udcff"], stdin=b"")
@example(words=["init", "\udcff"], stdin=b"")
@example(words=["grep", "[[a]"], stdin=b"")
def test_it_ends_with_a_code_and_no_traceback(
    words: list[str], stdin: bytes, same_shop: Shop
) -> None:
    ran = same_shop.run(*words, stdin=stdin)
    assert ran.code in (0, 1, 2, 3, 4)
    assert "Traceback" not in ran.err
    kinds = [line.partition(": ")[0] for line in ran.err.splitlines()]
    assert kinds.count("error") == kinds.count("hint") == int(ran.code != 0)
    assert "\x1b" not in ran.out + ran.err
