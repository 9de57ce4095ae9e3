"""Tool calls as one elided line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engram.capture.sources.shared.tools import MAX_LINE, tool_line


def test_the_telling_argument_is_named_and_never_content() -> None:
    for name, arguments, line in (
        ("Edit", {"file_path": "/w/a/app.py", "new_string": "secret"}, "Edit app.py"),
        ("Edit", {"file_path": "C:\\w\\till.py"}, "Edit till.py"),
        ("Bash", {"command": "git commit -m 'secret'"}, "Bash git"),
        ("Bash", {"command": "TOKEN=abc X=1 /usr/bin/python3 -c 1"}, "Bash python3"),
        ("Bash", {"command": "TOKEN='a b' make"}, "Bash"),
        ("Bash", {"command": "TOKEN=abc"}, "Bash"),
        ("Grep", {"pattern": "def main", "path": "/w"}, "Grep def main"),
        ("WebFetch", {"url": "https://kim:pw@tea.example/a?key=1"}, "WebFetch tea.example"),
        ("Task", {"subagent_type": "explorer", "prompt": "secret"}, "Task explorer"),
        ("TodoWrite", {"todos": [{"content": "secret"}]}, "TodoWrite"),
        ("Odd", None, "Odd"),
        ("Odd", {"command": ["ls"], "path": 5}, "Odd"),
    ):
        assert tool_line(name, arguments) == line


def test_a_call_without_a_name_is_no_line() -> None:
    assert tool_line(None, {}) == tool_line(" ", {}) == tool_line(5, {}) == ""


@given(st.text(), st.dictionaries(st.sampled_from(["path", "command", "url", "query"]), st.text()))
def test_a_line_is_short_and_one_line(name: str, arguments: dict[str, str]) -> None:
    line = tool_line(name, arguments)
    assert len(line) <= MAX_LINE
    assert len(line.splitlines()) <= 1
    assert "\0" not in line
