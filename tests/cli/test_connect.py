"""`engram connect` and `disconnect`: other people's settings, byte for byte."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.surfaces.hooks.agent_settings import BACKUP, connected, disconnected, ours_in
from engram.surfaces.hooks.agents import AGENTS, Agent, Command
from tests.golden.console import Ran, run

FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini-cli": ".gemini/settings.json",
}
PROGRAM = ["--command", "/opt/engram/bin/engram"]
COMMAND = Command("/opt/engram/bin/engram")
#: settings as people have them, oddly spaced, with hooks of their own
SETTINGS = [
    "{}", "{}\n", "{ }", "{\n}\n", '{"model":"opus"}', '{\n\t"model": "opus"\n}\n',
    '{\r\n  "model": "opus",\r\n  "hooks": {}\r\n}\r\n', '\ufeff{\n  "a": "é"\n}\n',
    '{\n  "hooks": {\n    "Stop": [ {"hooks": [{"type": "command", "command": "say done"}]} ]\n'
    '  },\n  "permissions": {"allow": ["Bash(git:*)"]}\n}',
    '{"hooks": {"SessionStart": [], "PreCompact": [{"matcher": "auto", "hooks": []}]}}',
    '{\n    "hooks": {\n        "SessionStart": [\n            {\n                "hooks": [\n'
    '                    {"type": "command", "command": "x"}\n                ]\n            }\n'
    '        ]\n    }\n}\n',
    '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "engram-like hook"},'
    ' {"type": "command", "command": "engram hook prompt"}]}], "enabled": true}}',
]  # fmt: skip


def file(folder: Path, agent: str, text: str | None = None) -> Path:
    path = folder / FILES[agent]
    if text is not None:
        path.parent.mkdir()
        path.write_bytes(text.encode())
    return path


def connect(folder: Path, agent: str, *more: str, environment: dict[str, str] | None = None) -> Ran:
    return run(["connect", agent, *PROGRAM, *more], folder, environment)


@pytest.mark.parametrize("agent", FILES)
@pytest.mark.parametrize("text", SETTINGS, ids=range(len(SETTINGS)))
def test_disconnected_the_file_is_byte_for_byte_as_before(
    agent: str, text: str, tmp_path: Path
) -> None:
    path = file(tmp_path, agent, text)
    path.chmod(0o640)
    before = path.read_bytes()
    assert connect(tmp_path, agent).code == 0
    assert path.read_bytes() != before
    assert path.with_name(path.name + BACKUP).read_bytes() == before
    again = path.read_bytes()
    assert "is connected already" in connect(tmp_path, agent).out
    assert path.read_bytes() == again
    ran = run(["disconnect", agent], tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert path.read_bytes() == before
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(path.parent.iterdir()) == [path]
    assert "is not connected" in run(["disconnect", agent], tmp_path).out
    assert path.read_bytes() == before


@pytest.mark.parametrize("agent", FILES)
def test_a_file_that_was_not_there_is_gone_again(agent: str, tmp_path: Path) -> None:
    path = file(tmp_path, agent)
    assert connect(tmp_path, agent).code == 0
    assert path.stat().st_mode & 0o777 == 0o600
    assert run(["disconnect", agent], tmp_path).code == 0
    assert list(path.parent.iterdir()) == []
    assert run(["disconnect", agent], tmp_path).code == 0


def by_name(text: str) -> object:
    """Settings as values, without what holds nothing."""
    found = json.loads(text.removeprefix("\ufeff"))
    hooks = {name: some for name, some in found.pop("hooks", {}).items() if some}
    return found | ({"hooks": hooks} if hooks else {})


@pytest.mark.parametrize("agent", FILES)
@pytest.mark.parametrize("text", SETTINGS, ids=range(len(SETTINGS)))
def test_what_others_have_there_stays_and_ours_is_added(agent: str, text: str) -> None:
    one = AGENTS[agent]
    done = connected(text, one, COMMAND)
    assert by_name(disconnected(done)) == by_name(text)
    assert connected(done, one, COMMAND) == done
    before = json.loads(text.removeprefix("\ufeff"))
    after = json.loads(done.removeprefix("\ufeff"))
    assert {name: value for name, value in after.items() if name != "hooks"} == {
        name: value for name, value in before.items() if name != "hooks"
    }
    for name, groups in before.get("hooks", {}).items():
        assert after["hooks"][name] == groups or after["hooks"][name][:-1] == groups
    assert set(ours_in(done)) == {name for _, name in one.events}


def test_what_is_installed_is_what_the_hosts_read(tmp_path: Path) -> None:
    for agent in FILES:
        connect(tmp_path, agent)
    claude = json.loads(file(tmp_path, "claude-code").read_text())
    assert list(claude["hooks"]) == ["SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"]
    assert claude["hooks"]["PreCompact"] == [{"hooks": [{
        "type": "command", "command": "/opt/engram/bin/engram hook pre-compact", "async": True,
        "timeout": 5,
    }]}]  # fmt: skip
    codex = file(tmp_path, "codex").read_text()
    # Codex drops a hook that is async, allows three seconds at the end, and refuses `$schema`
    assert "async" not in codex and "$schema" not in codex
    assert json.loads(codex)["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] == 3
    gemini = json.loads(file(tmp_path, "gemini-cli").read_text())["hooks"]
    assert list(gemini) == ["SessionStart", "BeforeAgent", "PreCompress", "SessionEnd"]
    assert gemini["BeforeAgent"][0]["hooks"][0]["timeout"] == 5000


def test_a_dry_run_shows_a_diff_and_changes_nothing(tmp_path: Path) -> None:
    path = file(tmp_path, "claude-code", '{\n  "model": "opus"\n}\n')
    out = connect(tmp_path, "claude-code", "--dry-run").out
    assert out.startswith(f"--- {path}\n+++ {path}\n@@ ")
    assert '-  "model": "opus"\n+  "model": "opus",\n' in out
    assert list(path.parent.iterdir()) == [path]
    connect(tmp_path, "claude-code")
    after = path.read_bytes()
    out = run(["disconnect", "claude-code", "--dry-run"], tmp_path).out
    assert '+  "model": "opus"\n' in out
    assert path.read_bytes() == after
    out = connect(tmp_path, "codex", "--dry-run").out
    assert out.startswith(f"--- {os.devnull}\n")
    assert not (tmp_path / ".codex").exists()


# -- what a person did meanwhile -------------------------------------------------------------------


def test_what_the_person_changed_meanwhile_stays(tmp_path: Path) -> None:
    path = file(tmp_path, "claude-code", '{\n  "model": "opus"\n}\n')
    connect(tmp_path, "claude-code")
    edited = path.read_text().replace('"opus"', '"haiku"')
    path.write_text(edited)
    ran = run(["disconnect", "claude-code"], tmp_path)
    assert ran.code == 0
    assert "only our hooks were taken out" in ran.err
    assert path.read_text() == '{\n  "model": "haiku"\n}\n'
    assert path.with_name(path.name + BACKUP).read_text() == '{\n  "model": "opus"\n}\n'


def test_settings_that_the_host_wrote_anew_are_understood(tmp_path: Path) -> None:
    path = file(tmp_path, "claude-code", '{"model":"opus","hooks":{}}')
    connect(tmp_path, "claude-code")
    found = json.loads(path.read_text())
    found["hooks"]["Stop"] = [{"hooks": [{"type": "command", "command": "x"}]}]
    path.write_text(json.dumps(found, indent=4, sort_keys=True))
    assert "connected already" in connect(tmp_path, "claude-code").out
    run(["disconnect", "claude-code"], tmp_path)
    assert json.loads(path.read_text()) == {
        "model": "opus", "hooks": {"Stop": found["hooks"]["Stop"]},
    }  # fmt: skip


def test_a_program_that_moved_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = file(tmp_path, "claude-code", '{"model": "opus"}')
    connect(tmp_path, "claude-code")
    assert run(["connect", "claude-code", "--command", "/else/engram"], tmp_path).code == 0
    assert "/opt/engram" not in path.read_text()
    assert path.read_text().count("/else/engram hook") == 4
    run(["disconnect", "claude-code"], tmp_path)
    assert path.read_text() == '{"model": "opus"}'
    assert list(path.parent.iterdir()) == [path]


def test_entries_that_were_removed_by_hand_are_added_again(tmp_path: Path) -> None:
    path = file(tmp_path, "claude-code", "{}")
    connect(tmp_path, "claude-code")
    whole = path.read_text()
    path.write_text('{"model": "opus"}')
    connect(tmp_path, "claude-code")
    run(["disconnect", "claude-code"], tmp_path)
    assert path.read_text() == '{"model": "opus"}'
    path.write_text(whole.replace("hook prompt", "hook something-else"))
    connect(tmp_path, "claude-code")
    assert len(ours_in(path.read_text())) == 4
    assert "something-else" in path.read_text()


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", '"x"', '{"hooks": []}', '{"hooks": {"SessionStart": {}}}', "// x\n{}",
        '{"a": 1, "a": 2}', '{"hooks": null}',
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("verb", ["connect", "disconnect"])
def test_settings_that_are_not_understood_are_left_alone(
    verb: str, text: str, tmp_path: Path
) -> None:
    path = file(tmp_path, "claude-code", text)
    ran = run([verb, "claude-code"], tmp_path)
    assert ran.code == 1
    assert [line.partition(": ")[0] for line in ran.err.splitlines()] == ["error", "hint"]
    assert str(path) in ran.err
    assert path.read_text() == text
    assert list(path.parent.iterdir()) == [path]


def test_a_symlink_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dotfiles.json").write_text("{}")
    path = file(tmp_path, "claude-code", "{}")
    path.unlink()
    path.symlink_to(tmp_path / "dotfiles.json")
    for verb in ("connect", "disconnect"):
        ran = run([verb, "claude-code"], tmp_path)
        assert (ran.code, "is a symlink" in ran.err) == (1, True)
    assert (tmp_path / "dotfiles.json").read_text() == "{}"


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = file(tmp_path, "claude-code", "")
    path.write_bytes(b'{"a": "\xff"}')
    assert connect(tmp_path, "claude-code").code == 1
    assert path.read_bytes() == b'{"a": "\xff"}'


# -- where, and with what --------------------------------------------------------------------------


def test_the_variables_of_the_agents_move_their_settings(tmp_path: Path) -> None:
    moved = {
        "CLAUDE_CONFIG_DIR": str(tmp_path / "c"), "CODEX_HOME": str(tmp_path / "x"),
        "GEMINI_CLI_HOME": str(tmp_path / "g"),
    }  # fmt: skip
    for agent in FILES:
        assert connect(tmp_path, agent, environment=moved).code == 0
    for path in ("c/settings.json", "x/hooks.json", "g/.gemini/settings.json"):
        assert (tmp_path / path).is_file()


def test_the_command_is_absolute_and_quoted(tmp_path: Path) -> None:
    folder = tmp_path / "with a space"
    run(["connect", "codex", "--command", "with a space/engram", "--vault", "my vault"], tmp_path)
    found = json.loads(file(tmp_path, "codex").read_text())["hooks"]["SessionStart"]
    assert shlex.split(found[0]["hooks"][0]["command"]) == [
        str(folder / "engram"), "hook", "session-start", "--vault", str(tmp_path / "my vault"),
    ]  # fmt: skip
    assert run(["disconnect", "codex"], tmp_path).err == ""
    assert not file(tmp_path, "codex").exists()


def test_hooks_name_a_vault_that_is_not_the_default(tmp_path: Path) -> None:
    def pinned(folder: Path, environment: dict[str, str]) -> list[str]:
        own = {"HOME": str(tmp_path), "ENGRAM_HOME": str(tmp_path / "home")}
        assert run(["connect", "codex", *PROGRAM], folder, own | environment).code == 0
        hooks = json.loads(file(tmp_path, "codex").read_text())["hooks"]["SessionStart"]
        return shlex.split(hooks[0]["hooks"][0]["command"])[3:]

    other, default = tmp_path / "other", tmp_path / "engram"
    for vault in (other, default):
        assert run(["init", str(vault)], tmp_path).code == 0
    assert pinned(tmp_path, {}) == pinned(default / "facts", {}) == []
    assert pinned(tmp_path, {"ENGRAM_VAULT": "engram"}) == []
    assert pinned(tmp_path, {"ENGRAM_VAULT": "other"}) == ["--vault", str(other)]
    assert pinned(other / "facts", {}) == []  # a folder chooses no vault for the hooks


def test_without_being_told_it_is_this_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "bin" / "engram"
    installed.parent.mkdir()
    installed.write_text("")
    monkeypatch.setattr(sys, "argv", [str(installed), "connect"])
    said = json.loads(run(["connect", "codex", "--dry-run", "--json"], tmp_path).out)
    assert said["command"] == f"{installed} hook EVENT"
    monkeypatch.setattr(sys, "argv", ["-c"])
    monkeypatch.setattr(sys, "executable", str(installed.with_name("python3")))
    said = json.loads(run(["connect", "codex", "--dry-run", "--json"], tmp_path).out)
    assert said["command"] == f"{installed} hook EVENT"
    installed.unlink()
    said = json.loads(run(["connect", "codex", "--dry-run", "--json"], tmp_path).out)
    assert said["command"] == f"{installed.with_name('python3')} -m engram hook EVENT"
    assert run(["connect", "codex", "--command", "/usr/bin/true"], tmp_path).code == 1


groups = st.lists(
    st.builds(
        lambda command: {"hooks": [{"type": "command", "command": command}]},
        st.sampled_from(["x", "engram hook", "/opt/engram/bin/engram hook prompt", "é\n"]),
    ),
    max_size=3,
)
names = st.sampled_from(["SessionStart", "UserPromptSubmit", "BeforeAgent", "Stop"])


@given(
    st.dictionaries(names, groups), st.sampled_from([None, 1, 2, "\t"]),
    st.sampled_from(list(AGENTS.values())),
)  # fmt: skip
def test_any_hooks_survive(
    hooks: dict[str, object], indent: int | str | None, agent: Agent
) -> None:
    text = disconnected(json.dumps({"hooks": hooks, "z": 1}, indent=indent))
    done = connected(text, agent, COMMAND)
    assert len(ours_in(done)) == 4
    assert connected(done, agent, COMMAND) == done
    assert by_name(disconnected(done)) == by_name(text)


# -- the skill and the commands ----------------------------------------------------------------

PAGES = [
    "commands/engram/config.md", "commands/engram/save.md", "commands/engram/search.md",
    "skills/engram/SKILL.md",
]  # fmt: skip


def pages(folder: Path) -> list[str]:
    root = folder / ".claude"
    return sorted(one.relative_to(root).as_posix() for one in root.rglob("*.md"))


def test_claude_code_is_given_a_skill_and_commands_and_no_other_agent(tmp_path: Path) -> None:
    for agent in FILES:
        connect(tmp_path, agent)
    assert pages(tmp_path) == PAGES
    assert sorted(one.name for one in (tmp_path / ".codex").iterdir()) == ["hooks.json"]
    for place in PAGES:
        text = (tmp_path / ".claude" / place).read_text()
        _, header, body = text.split("---\n", 2)
        keys = [line.partition(": ")[0] for line in header.splitlines()]
        assert "description" in keys and "{engram}" not in text
        assert "/opt/engram/bin/engram" in body and max(map(len, body.splitlines())) < 240
        # the host loads name and description of a skill always, and cuts a long one
        assert len(header) < 700 and len(text) < 4_500


def test_the_skill_names_only_commands_and_options_that_there_are(tmp_path: Path) -> None:
    connect(tmp_path, "claude-code")
    text = "\n".join((tmp_path / ".claude" / place).read_text() for place in PAGES)
    verbs = set(re.findall(r"/opt/engram/bin/engram ([a-z]+)", text))
    assert {"recall", "search", "remember", "forget", "list", "show", "status", "config"} <= verbs
    for verb in sorted(verbs - {"new"}):
        assert run([verb, "--help"], tmp_path).code == 0, verb
    assert "/opt/engram/bin/engram purge" not in text


def test_the_skill_names_the_vault_that_the_hooks_name(tmp_path: Path) -> None:
    run(["init", "vault"], tmp_path)
    connect(tmp_path, "claude-code", "--vault", str(tmp_path / "vault"))
    text = (tmp_path / ".claude" / PAGES[-1]).read_text()
    assert f"engram --vault {tmp_path / 'vault'} recall" in text
    connect(tmp_path, "claude-code", "--vault", str(tmp_path / "vault"))
    run(["connect", "claude-code", "--command", "'/my (odd) place/engram'"], tmp_path)
    odd = (tmp_path / ".claude" / PAGES[-1]).read_text()
    # nothing is allowed beforehand by a rule that could be read in another way
    assert "allowed-tools" not in odd and "allowed-tools: Bash(" in text


def test_a_page_of_another_version_is_brought_up_to_date(tmp_path: Path) -> None:
    connect(tmp_path, "claude-code")
    before = (tmp_path / ".claude" / PAGES[-1]).read_text()
    assert run(["connect", "claude-code", "--command", "/else/engram"], tmp_path).code == 0
    assert "/opt/engram" not in (tmp_path / ".claude" / PAGES[-1]).read_text()
    connect(tmp_path, "claude-code")
    assert (tmp_path / ".claude" / PAGES[-1]).read_text() == before
    for place in PAGES:  # as a git checkout on Windows has them
        page = tmp_path / ".claude" / place
        page.write_bytes(page.read_bytes().replace(b"\n", b"\r\n"))
    run(["disconnect", "claude-code"], tmp_path)
    assert not list((tmp_path / ".claude").iterdir())


def test_a_page_that_a_person_wrote_or_changed_stays_and_is_named(tmp_path: Path) -> None:
    own = tmp_path / ".claude" / PAGES[0]
    own.parent.mkdir(parents=True)
    own.write_text("my own command\n")
    ran = connect(tmp_path, "claude-code")
    assert ran.code == 0 and f"note: {own} is yours; it was left as it is" in ran.err
    skill = tmp_path / ".claude" / PAGES[-1]
    changed = skill.read_text().replace("silent", "loud").replace("# The person's", "# My")
    skill.write_text(changed)
    other = tmp_path / ".claude" / "skills" / "other.md"
    other.write_text("another skill")
    ran = connect(tmp_path, "claude-code", "--json")
    assert {Path(one["file"]).name for one in json.loads(ran.out)["skill"] if one["left"]} == {
        "config.md", "SKILL.md",
    }  # fmt: skip
    ran = run(["disconnect", "claude-code"], tmp_path)
    assert str(own) in ran.err and str(skill) in ran.err
    assert own.read_text() == "my own command\n" and skill.read_text() == changed
    assert pages(tmp_path) == [PAGES[0], "skills/engram/SKILL.md", "skills/other.md"]


@pytest.mark.skipif(os.name == "nt", reason="symlinks need a privilege there")
@pytest.mark.parametrize("linked", ["skills", "skills/engram", PAGES[-1]])
def test_nothing_is_put_behind_a_symlink(linked: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = tmp_path / ".claude" / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere / "SKILL.md" if linked.endswith(".md") else elsewhere)
    ran = connect(tmp_path, "claude-code")
    assert ran.code == 0 and f"{link} is a symlink" in ran.err
    assert not list(elsewhere.iterdir())
    assert f"{link} is a symlink" in run(["disconnect", "claude-code"], tmp_path).err
    assert link.is_symlink()


def test_a_dry_run_shows_the_pages_too(tmp_path: Path) -> None:
    out = connect(tmp_path, "claude-code", "--dry-run").out
    for place in PAGES:
        assert f"+++ {tmp_path / '.claude' / place}\n" in out
    assert not (tmp_path / ".claude").exists()
    connect(tmp_path, "claude-code")
    out = run(["disconnect", "claude-code", "--dry-run"], tmp_path).out
    assert out.count(f"+++ {os.devnull}\n") == len(PAGES) + 1
    assert pages(tmp_path) == PAGES
