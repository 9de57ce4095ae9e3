"""Units: golden files, and whatever a path holds comes out of the service manager's own reading."""

from __future__ import annotations

import plistlib
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.daemon.service.units import (
    ServiceDefinition,
    command_line,
    home_of,
    launchd_plist,
    seal_of,
    systemd_unit,
    windows_task,
    writes_of,
)
from engram.model.errors import BadInput
from tests.daemon.units.__main__ import HERE, ODD, PLAIN, UNITS

#: what a path may be made of that every manager can be told
_NAMES = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=20
) | st.text(" %$\"'\\<>&;#=-+~é\u202f", max_size=20)
_PATHS = _NAMES.map(lambda name: f"/{name}")
_SPACE = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
Render = Callable[[ServiceDefinition], str]
RENDERERS: tuple[Render, ...] = (systemd_unit, launchd_plist, windows_task)


@pytest.mark.parametrize("name", UNITS)
def test_it_is_the_golden_unit(name: str) -> None:
    golden = (HERE / name).read_text(encoding="utf-8")
    assert UNITS[name] == golden, "python -m tests.daemon.units writes them anew"


def test_there_are_no_other_golden_units() -> None:
    assert {path.name for path in HERE.iterdir() if path.is_file()} == {*UNITS, "__main__.py"}


# -- systemd ---------------------------------------------------------------------------------------


def settings_of(unit: str, key: str) -> list[str]:
    """What stands behind `key=` in a unit, line by line."""
    return [line.partition("=")[2] for line in unit.split("\n") if line.startswith(f"{key}=")]


def words_of(value: str) -> list[str]:
    """The words of a value, as systemd.syntax(7) and systemd.unit(5) take them apart."""
    words = []
    for quoted, plain in re.findall(r'"((?:[^"\\]|\\.)*)"|([^ "]+)', value):
        word = re.sub(r"\\(.)", r"\1", quoted) if quoted or not plain else plain
        assert "%" not in word.replace("%%", "")
        words.append(word.replace("%%", "%"))
    return words


def arguments_of(value: str) -> list[str]:
    """The words of a command, whose arguments have their variables replaced."""
    first, *rest = words_of(value)
    assert not any("$" in word.replace("$$", "") for word in rest)
    return [first, *(word.replace("$$", "$") for word in rest)]


@given(program=_PATHS.filter(lambda path: "=" not in path), argument=_NAMES, folder=_PATHS)
def test_systemd_reads_what_was_meant(program: str, argument: str, folder: str) -> None:
    unit = systemd_unit(replace(
        PLAIN, program=program, arguments=("--vault", argument, "run"), writes=(folder, "/srv"),
        environment=(("ENGRAM_HOME", folder),),
    ))  # fmt: skip
    (start,) = settings_of(unit, "ExecStart")
    words = arguments_of(start)
    if words[0] == "/usr/bin/env":
        words = words[1:]
    else:
        # what systemd takes in the path of a program
        assert not set("\"'\\$") & set(program)
    assert words == [program, "--vault", argument, "run"]
    assert [words_of(one) for one in settings_of(unit, "ReadWritePaths")] == [
        [f"-{folder}"], ["-/srv"],
    ]  # fmt: skip
    assert writes_of(unit) == [folder, "/srv"]
    assert [words_of(one) for one in settings_of(unit, "Environment")] == [
        [f"ENGRAM_HOME={folder}"]
    ]


def test_a_program_that_systemd_cannot_be_told_is_refused() -> None:
    with pytest.raises(BadInput):
        systemd_unit(replace(PLAIN, program="/opt/kim's a=b/engram"))
    systemd_unit(replace(PLAIN, program="/opt/a=b/engram"))


@pytest.mark.parametrize("folder", ["/tmp/vault", "/var/tmp/vault", "/tmp"])
def test_a_folder_below_tmp_is_not_hidden_from_the_service(folder: str) -> None:
    assert settings_of(systemd_unit(PLAIN), "PrivateTmp") == ["yes"]
    hidden = systemd_unit(replace(PLAIN, writes=(*PLAIN.writes, folder)))
    assert settings_of(hidden, "PrivateTmp") == ["no"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
@pytest.mark.parametrize("service", [PLAIN, ODD], ids=["plain", "odd"])
def test_systemd_itself_finds_nothing_wrong(service: ServiceDefinition, tmp_path: Path) -> None:
    tool = tmp_path / "it's a tool" / "100% engram"
    tool.parent.mkdir()
    tool.symlink_to("/bin/sh")
    path = tmp_path / "engram.service"
    for program in ("/bin/sh", str(tool)):
        path.write_text(systemd_unit(replace(service, program=program)), encoding="utf-8")
        done = subprocess.run(
            ["systemd-analyze", "--user", "--man=no", "verify", str(path)], check=False,
            capture_output=True, text=True, env={"XDG_RUNTIME_DIR": str(tmp_path)},
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# -- the others ------------------------------------------------------------------------------------


@given(program=_PATHS, argument=_NAMES)
def test_launchd_reads_what_was_meant(program: str, argument: str) -> None:
    service = replace(
        PLAIN, program=program, arguments=(argument,), environment=(("ENGRAM_HOME", argument),)
    )
    job = plistlib.loads(launchd_plist(service).encode())
    assert job["ProgramArguments"] == [program, argument]
    assert job["EnvironmentVariables"] == {"ENGRAM_HOME": argument}
    assert job["KeepAlive"] == {"SuccessfulExit": False}


@given(program=_PATHS, argument=_NAMES, user=_NAMES)
def test_the_task_scheduler_reads_what_was_meant(program: str, argument: str, user: str) -> None:
    service = replace(PLAIN, program=program, arguments=(argument, "run"), user=user)
    line = subprocess.list2cmdline([argument, "run"])
    if any(re.search(r"%[^%\s]+%", text) for text in (program, line)):
        with pytest.raises(BadInput):
            windows_task(service)
        return
    task = ElementTree.fromstring(windows_task(service).encode("utf-16"))
    assert [one.text for one in task.iter(f"{_SPACE}Command")] == [program]
    assert [one.text for one in task.iter(f"{_SPACE}Arguments")] == [line]
    assert [one.text for one in task.iter(f"{_SPACE}UserId")] == ([user, user] if user else [])


@given(st.lists(st.text('ab \t\\"', max_size=8), max_size=4))
def test_a_line_of_windows_is_what_python_would_make_of_it(words: list[str]) -> None:
    assert command_line(words) == subprocess.list2cmdline(words)


# -- all of them -----------------------------------------------------------------------------------


@pytest.mark.parametrize("render", RENDERERS)
@pytest.mark.parametrize("sign", ["\n", "\r", "\0", "\x1b", "\x85", "\udcff", "\uffff"])
def test_what_no_manager_takes_is_refused(render: Render, sign: str) -> None:
    path = f"/srv/a{sign}b"
    with pytest.raises(BadInput):
        render(replace(PLAIN, program=path))
    with pytest.raises(BadInput):
        render(replace(PLAIN, arguments=("--vault", path)))
    with pytest.raises(BadInput):
        render(replace(PLAIN, environment=(("ENGRAM_HOME", path),)))


@given(at=st.integers(0, 3000), sign=st.sampled_from("x \n#<"))
@pytest.mark.parametrize("render", RENDERERS)
def test_a_seal_tells_of_any_change(render: Render, at: int, sign: str) -> None:
    text = render(ODD)
    seal = seal_of(text)
    assert seal is not None and seal.intact and seal.home == home_of(ODD)
    changed = seal_of(text[: at % len(text)] + sign + text[at % len(text) :])
    assert changed is None or not changed.intact


@pytest.mark.parametrize("render", RENDERERS)
def test_a_seal_tells_homes_apart_and_nothing_else_has_one(render: Render) -> None:
    other = seal_of(render(replace(PLAIN, state="/srv/other")))
    assert other is not None and other.intact and other.home != home_of(PLAIN)
    assert seal_of("[Service]\nExecStart=/usr/bin/engram daemon run\n") is None
    assert seal_of("") is None


@pytest.mark.parametrize("render", RENDERERS)
def test_the_same_service_is_the_same_text(render: Render) -> None:
    assert render(ODD) == render(replace(ODD))
    assert render(ODD).endswith("\n")
