"""Every example of every help runs as it stands, on a vault that was made for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from engram.surfaces.cli.app import cli
from engram.surfaces.cli.examples import EXAMPLES, examples_of
from engram.surfaces.cli.verbs import FACES, GROUPS, VERBS
from tests.cli.stage import NOT_RUN, Stage, make_stage
from tests.golden.console import run


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """One for all examples: each begins again."""
    return make_stage(tmp_path_factory.mktemp("examples"))


def _paths(command: click.Command, context: click.Context, path: str = "") -> Iterator[str]:
    """The paths of a command's commands, `daemon` and `daemon pause`, that are told of."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            one = command.get_command(context, name)
            assert one is not None
            if name in FACES and not path:
                continue  # its help is that of another program
            here = f"{path} {name}".strip()
            yield here
            yield from _paths(one, click.Context(one, context, info_name=name), here)


def test_every_verb_has_one_to_three_examples() -> None:
    assert {*EXAMPLES} == {
        *_paths(cli, click.Context(cli, info_name="engram", **cli.context_settings))
    }
    assert all(1 <= len(lines) <= 3 for lines in EXAMPLES.values())


@pytest.mark.parametrize("path", EXAMPLES)
def test_the_examples_of_a_verb_run(path: str, stage: Stage) -> None:
    shown = run([*path.split(), "--help"], stage.shop.folder).out
    for line in examples_of(path):
        assert f"    {line}\n" in shown
        assert f" {path}" in line
        if line not in NOT_RUN:
            stage.begin_again()
            ran = stage.run(line)
            assert (ran.code, "error:" in ran.err) == (0, False), (line, ran.err)


def test_the_list_of_verbs_is_in_groups_of_four_to_nine() -> None:
    assert all(4 <= len(verbs) <= 9 for verbs in GROUPS.values())
    assert sum(map(len, GROUPS.values())) == len(
        {verb for group in GROUPS.values() for verb in group}
    )
    assert {*VERBS} >= {verb for group in GROUPS.values() for verb in group}


@pytest.fixture(scope="module")
def words_of_help(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The words of each help, on a terminal of any width."""
    folder, wide = tmp_path_factory.mktemp("wide"), {"COLUMNS": "400"}
    return {
        path: run([*path.split(), "--help"], folder, wide).out.split() for path in ["", *EXAMPLES]
    }


@pytest.mark.parametrize("columns", [80, 40, 20])
def test_help_fits_the_terminal_and_breaks_between_words(
    columns: int, words_of_help: dict[str, list[str]], tmp_path: Path
) -> None:
    for path in ["", *EXAMPLES]:
        shown = run([*path.split(), "--help"], tmp_path, {"COLUMNS": str(columns)}).out
        assert shown.split() == words_of_help[path], path
        long = [line for line in shown.splitlines() if len(line) > columns]
        assert all(len(line.split()) == 1 for line in long), (path, long)
