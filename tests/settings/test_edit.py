"""`engram config set`: one value changes, every other byte stays."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.errors import ConfigError
from engram.settings.keys import known_keys
from engram.settings.paths import UserPaths, places_of
from engram.settings.toml_edit import set_user_key
from tests.effort import examples

TIDY = """\
# mine   
vault = "~/notes"\t# where

[recall]   # how much
limit   =  7   # seven
"""


def places_in(root: Path) -> UserPaths:
    return places_of({"ENGRAM_HOME": str(root)})


@pytest.fixture
def places(tmp_path: Path) -> UserPaths:
    return places_in(tmp_path)


def after(places: UserPaths, text: str, key: str, value: str) -> str:
    places.config_file.write_bytes(text.encode("utf-8"))
    set_user_key(places, key, value)
    return places.config_file.read_bytes().decode("utf-8")


def test_a_value_is_replaced_where_it_stands(places: UserPaths) -> None:
    assert after(places, TIDY, "recall.limit", "12") == TIDY.replace("7   #", "12   #")
    assert after(places, TIDY, "vault", "/srv/v") == TIDY.replace('"~/notes"', '"/srv/v"')


def test_a_key_of_a_known_table_is_added_to_it(places: UserPaths) -> None:
    text = TIDY + "\n# the end\n[store]\n"
    expected = TIDY + "budget_tokens = 900\n\n# the end\n[store]\n"
    assert after(places, text, "recall.budget_tokens", "900") == expected


def test_a_new_table_is_added_at_the_end(places: UserPaths) -> None:
    added = '\n[trigger]\nmode = "every_n"\n'
    assert after(places, TIDY, "trigger.mode", "every_n") == TIDY + added
    assert after(places, TIDY.rstrip("\n"), "trigger.mode", "every_n") == TIDY + added[1:]


def test_a_key_without_a_table_goes_before_the_first_table(places: UserPaths) -> None:
    assert after(places, "[recall]\n", "vault", "~/v") == 'vault = "~/v"\n\n[recall]\n'


def test_windows_line_endings_and_a_byte_order_mark_stay(places: UserPaths) -> None:
    text = "\ufeff" + TIDY.replace("\n", "\r\n")
    changed = after(places, text, "extract.max_per_turn", "3")
    assert changed == text + "\r\n[extract]\r\nmax_per_turn = 3\r\n"
    first = "\ufeffvault = '~/a'\r\n"
    assert after(places, first, "vault", "~/b") == '\ufeffvault = "~/b"\r\n'


def test_entries_of_a_table_are_set_however_the_table_is_written(places: UserPaths) -> None:
    key = "retention.days.fact"
    assert after(places, "", key, "9") == "[retention.days]\nfact = 9\n"
    dotted = "[retention]\ndays.moment = 3\n"
    assert after(places, dotted, key, "9") == dotted + "days.fact = 9\n"
    top = "retention.days.moment = 3\n"
    assert after(places, top, key, "9") == top + "retention.days.fact = 9\n"
    inline = "retention = { days.moment = 3 } # mine\n"
    assert after(places, inline, key, "9") == inline.replace(" }", ", days.fact = 9 }")


def test_the_first_setting_makes_a_private_file(tmp_path: Path) -> None:
    places = places_in(tmp_path / "new" / "home")
    assert set_user_key(places, "capture.exclude", "a b, c") == ("a b", "c")
    assert places.config_file.read_text(encoding="utf-8") == '[capture]\nexclude = ["a b", "c"]\n'
    if os.name != "nt":
        assert stat.S_IMODE(places.config_file.stat().st_mode) == 0o600
        assert stat.S_IMODE(places.config_file.parent.stat().st_mode) == 0o700
    assert os.listdir(places.config_file.parent) == ["config.toml"]


@pytest.mark.skipif(os.name == "nt", reason="modes are different there")
def test_an_existing_file_keeps_its_mode(places: UserPaths) -> None:
    places.config_file.write_text(TIDY, encoding="utf-8")
    places.config_file.chmod(0o640)
    set_user_key(places, "recall.limit", "3")
    assert stat.S_IMODE(places.config_file.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("text", "key", "value", "message"),
    [
        (TIDY, "recall.limits", "3", "unknown key recall.limits"),
        (TIDY, "recall.limit", "0", 'recall.limit = "0" must be a whole number from 1'),
        (TIDY, "vault", "notes", 'vault = "notes" must be an absolute path'),
        (TIDY, "vault", "/v/\udc80", 'vault = "/v/\\udc80" must be text that UTF-8 can hold'),
        ("a = [", "recall.limit", "3", "is not valid TOML"),
        ("recall = 3\n", "recall.limit", "3", "cannot be set in this file"),
    ],
)
def test_what_is_refused_leaves_the_file_as_it_was(
    places: UserPaths, text: str, key: str, value: str, message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        after(places, text, key, value)
    assert message in str(caught.value) and str(places.config_file) in str(caught.value)
    assert places.config_file.read_text(encoding="utf-8") == text


@pytest.mark.skipif(os.name == "nt", reason="symlinks need a right there")
def test_a_symlink_is_not_replaced(places: UserPaths, tmp_path: Path) -> None:
    (tmp_path / "dotfiles.toml").write_text(TIDY, encoding="utf-8")
    places.config_file.symlink_to(tmp_path / "dotfiles.toml")
    with pytest.raises(ConfigError, match="is a symlink"):
        set_user_key(places, "recall.limit", "3")
    assert places.config_file.is_symlink()


LINES = st.sampled_from(
    [
        "# note", "", "  ", "vault = '/v' # x", "[recall]", "limit = 3", "[ store ]#",
        "[retention]", "days.fact = 2", "[retention.days]", "moment = 3", "\t[capture]",
        "trigger.retry_minutes = [\n 1, # one\n]", "trigger.mode = 'smart'",
        'trigger = { mode = "smart" }', "recall.'limit' = 4",
    ]
)  # fmt: skip


@examples(40)
@given(rows=st.lists(LINES, max_size=6), end=st.sampled_from(["\n", ""]), value=st.integers(1, 99))
@pytest.mark.parametrize("key", ["recall.limit", "retention.days.fact", "vault", "trigger.mode"])
def test_after_setting_the_file_says_the_value_and_all_it_said_before(
    tmp_path_factory: pytest.TempPathFactory, key: str, rows: list[str], end: str, value: int
) -> None:
    places = places_in(tmp_path_factory.getbasetemp() / "set")
    places.config_file.parent.mkdir(exist_ok=True)
    text = "\n".join(rows) + end
    words = {"vault": f"/v/{value}", "trigger.mode": "every_n"}.get(key, str(value))
    try:
        before = tomllib.loads(text)
    except ValueError:
        before = None
    try:
        changed = after(places, text, key, words)
    except ConfigError as error:
        assert before is None and "is not valid TOML" in str(error)
        assert places.config_file.read_text(encoding="utf-8") == text
        return
    assert before is not None
    lost = [row for row in rows if row not in changed]
    assert len(lost) <= 1 and all("=" in row for row in lost)
    now = tomllib.loads(changed)
    for part in known_keys()[key].path[:-1]:
        before, now = before.get(part, {}), now[part]
    leaf = key.rpartition(".")[2]
    assert str(now.pop(leaf)) == words
    before.pop(leaf, None)
    assert now == before
