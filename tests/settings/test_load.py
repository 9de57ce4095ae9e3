"""Layers, origins, and every message a wrong file, variable or flag can cause."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.model.errors import ConfigError
from engram.model.settings import Settings
from engram.settings.keys import known_keys
from engram.settings.load import VAULT_KEYS, Loaded, load, shipped, shipped_path
from engram.settings.paths import places_of
from tests.effort import examples


class Person:
    """A home folder with a configuration and a vault, both written as text."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.vault = root / "vault"
        self.home.mkdir()
        self.vault.mkdir()
        self.config = self.home / "config.toml"
        self.vault_file = self.vault / "engram.toml"

    def load(
        self,
        *,
        user: str = "",
        vault: str | None = None,
        environment: dict[str, str] | None = None,
        flags: dict[str, object] | None = None,
    ) -> Loaded:
        self.config.write_text(user, encoding="utf-8")
        head = 'format = 1\nid = "vault-1"\ntimezone = "UTC"\n'
        self.vault_file.write_text(head + (vault or ""), encoding="utf-8")
        variables = {"ENGRAM_HOME": str(self.home), **(environment or {})}
        return load(self.vault if vault is not None else None, variables, flags or {})


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def refusal(person: Person, **layers: object) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        person.load(**layers)  # type: ignore[arg-type]
    return caught.value


def test_without_any_file_the_defaults_of_values_hold(person: Person) -> None:
    loaded = person.load()
    assert loaded.settings == Settings(vault=str(Path.home() / "engram"))
    assert loaded.vault is None
    assert {origin.layer for origin in loaded.origins.values()} == {"shipped"}


def test_the_shipped_file_and_values_say_the_same() -> None:
    document = shipped("engram")
    tables = {key.table for key in known_keys().values()}
    for outer, default in Settings()._asdict().items():
        if isinstance(default, str) or outer == "owner":
            assert document[outer] == (default if isinstance(default, str) else list(default))
            continue
        inner = default._asdict()
        # a table of which no entry is shipped cannot be written in TOML without one
        bare = {name for name, value in inner.items() if not value and f"{outer}.{name}" in tables}
        assert set(document[outer]) == set(inner) - bare
        for name, value in inner.items():
            if name in bare:
                continue
            written = document[outer][name]
            if isinstance(written, dict):
                assert tuple(written.items()) == value
            else:
                assert (tuple(written) if isinstance(written, list) else written) == value


def test_every_shipped_key_is_explained_by_a_comment_above_it() -> None:
    rows = shipped_path("engram").read_text(encoding="utf-8").splitlines()
    keys = [number for number, row in enumerate(rows) if "=" in row and not row.startswith("#")]
    assert len(keys) == len(load(None, {"ENGRAM_HOME": os.devnull + "-none"}).origins)
    for number in keys:
        assert rows[number - 1].startswith("# "), rows[number]


def test_there_are_at_most_eighty_keys() -> None:
    assert len({key.table or key.name for key in known_keys().values()}) <= 80


def test_each_layer_goes_over_the_one_before(person: Person) -> None:
    user = "[trigger]\nbuffer_max_turns = 6\n"
    vault = "[trigger]\nbuffer_max_turns = 7\n"
    environment = {"ENGRAM_TRIGGER_BUFFER_MAX_TURNS": "8"}
    flags: dict[str, object] = {"trigger.buffer_max_turns": 9}
    key = "trigger.buffer_max_turns"

    loaded = person.load(user=user)
    assert (loaded.settings.trigger.buffer_max_turns, loaded.origins[key].layer) == (6, "user")
    assert (loaded.origins[key].source, loaded.origins[key].line) == (str(person.config), 2)
    loaded = person.load(user=user, vault=vault)
    assert (loaded.settings.trigger.buffer_max_turns, loaded.origins[key].layer) == (7, "vault")
    assert (loaded.origins[key].source, loaded.origins[key].line) == (str(person.vault_file), 5)
    loaded = person.load(user=user, vault=vault, environment=environment)
    assert loaded.settings.trigger.buffer_max_turns == 8
    assert loaded.origins[key].layer == "environment"
    assert loaded.origins[key].source == "ENGRAM_TRIGGER_BUFFER_MAX_TURNS"
    loaded = person.load(user=user, vault=vault, environment=environment, flags=flags)
    assert (loaded.settings.trigger.buffer_max_turns, loaded.origins[key].layer) == (9, "flag")


def test_an_absent_flag_sets_nothing_and_a_text_flag_is_read_as_text(person: Person) -> None:
    loaded = person.load(flags={"recall.limit": None, "extract.max_per_turn": "3"})
    assert loaded.origins["recall.limit"].layer == "shipped"
    assert loaded.settings.extract.max_per_turn == 3


def test_entries_of_a_table_are_laid_over_one_another(person: Person) -> None:
    loaded = person.load(
        user="[retention.days]\ndecision = 400\nepisodic = 20\n",
        vault="[retention]\ndays = { episodic = 30 }\n",
        environment={"ENGRAM_RETENTION_DAYS_MOMENT": "3"},
    )
    assert dict(loaded.settings.retention.days) == {
        "episodic": 30, "semantic": 180, "procedural": 365,
        "commitment": 90, "session": 90, "decision": 400, "moment": 3,
    }  # fmt: skip
    assert loaded.origins["retention.days.episodic"].line == 5


def test_variables_read_lists_and_numbers(person: Person) -> None:
    loaded = person.load(
        environment={
            "ENGRAM_CAPTURE_EXCLUDE": "*/clients/*, diary",
            "ENGRAM_CAPTURE_HIGH_SIGNAL_PATTERNS": '["a{1,3}", "b"]',
            "ENGRAM_CAPTURE_REDACT_ALLOW": "",
            "ENGRAM_TRIGGER_RETRY_MINUTES": "1,2.5",
            "ENGRAM_TRIGGER_BUFFER_MAX_MINUTES": "3",
        }
    )
    assert loaded.settings.capture.exclude == ("*/clients/*", "diary")
    assert loaded.settings.capture.high_signal_patterns == ("a{1,3}", "b")
    assert loaded.settings.capture.redact_allow == ()
    assert loaded.settings.trigger.retry_minutes == (1.0, 2.5)
    assert loaded.settings.trigger.buffer_max_minutes == 3.0


@pytest.mark.parametrize(
    "variable", ["ENGRAM_VAULT", "ENGRAM_DISABLE", "ENGRAM_CLOCK", "ENGRAM_DATA_DIR", "ENGRAM_PORT"]
)
def test_variables_that_are_no_keys_are_left_alone(person: Person, variable: str) -> None:
    assert person.load(environment={variable: "x"}).settings == person.load().settings


def test_a_tilde_in_vault_is_the_home_of_the_person(person: Person, tmp_path: Path) -> None:
    variables = {"HOME": str(tmp_path)}
    loaded = person.load(user='vault = "~/notes"\n', environment=variables)
    assert loaded.settings.vault == str(tmp_path / "notes")
    assert loaded.origins["vault"].value == "~/notes"


def test_the_default_vault_is_the_same_in_places_and_in_settings(tmp_path: Path) -> None:
    for variables in ({"HOME": str(tmp_path)}, {"ENGRAM_HOME": str(tmp_path / "moved")}):
        places = places_of(variables)
        nowhere = places_of({"ENGRAM_HOME": str(tmp_path / "none")})
        config_free = type(places)(
            nowhere.config_file, nowhere.registry_file, nowhere.cache_dir, places.vault, places.home
        )
        assert load(None, {}, home=config_free).settings.vault == str(places.vault)


def test_the_header_of_a_vault_is_returned_and_is_no_setting(person: Person) -> None:
    loaded = person.load(vault="")
    assert loaded.vault is not None
    assert (loaded.vault.format, loaded.vault.id, loaded.vault.timezone) == (1, "vault-1", "UTC")
    assert not {"format", "id", "timezone"} & set(loaded.origins)


def test_settings_of_a_newer_vault_format_are_left_alone(person: Person) -> None:
    person.vault_file.write_text('format = 2\nid = "v"\nnew = true\n', encoding="utf-8")
    loaded = load(person.vault, {"ENGRAM_HOME": str(person.home)})
    assert loaded.vault is not None and loaded.vault.format == 2
    assert {origin.layer for origin in loaded.origins.values()} == {"shipped"}


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ('id = "v"\n', "format"),
        ('format = true\nid = "v"\n', "format"),
        ('format = 0\nid = "v"\n', "format"),
        ("format = 1\n", "id"),
        ('format = 1\nid = "@ID@"\n', "id"),
        ('format = 1\nid = "v"\ntimezone = 1\n', "timezone"),
    ],
)
def test_a_wrong_vault_header_is_named(person: Person, head: str, key: str) -> None:
    person.vault_file.write_text(head, encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"engram\.toml: {key} = .* must be"):
        load(person.vault, {"ENGRAM_HOME": str(person.home)})


def test_a_time_zone_that_is_not_known_is_refused_with_the_most_similar_one(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(zone: str) -> str:
        head = f'format = 1\nid = "v"\ntimezone = {json.dumps(zone)}\n'
        person.vault_file.write_text(head, encoding="utf-8")
        with pytest.raises(
            ConfigError, match=r"engram\.toml: timezone = .* is no time zone"
        ) as got:
            load(person.vault, {"ENGRAM_HOME": str(person.home)})
        return got.value.hint

    assert refused("Europe/Berln") == 'write it like "Europe/Berlin"'
    for zone in ("Moon/Tranquility", "Europe", "../../etc/passwd", "/etc/localtime", "x" * 5000):
        assert "write it like" in refused(zone)
    monkeypatch.setattr("zoneinfo.available_timezones", set)
    assert "pip install tzdata" in refused("Mars/Olympus")


def test_a_vault_may_set_only_what_is_harmless(person: Person) -> None:
    samples = {"text": '"x"', "number": "1.0", "whole number": "5"}
    for name, key in known_keys().items():
        if (key.table or name) in VAULT_KEYS:
            continue
        error = refusal(person, vault=f"{name} = {samples.get(key.kind, '[]')}\n")
        assert str(error).startswith(f"{person.vault_file}:4: a vault may not set {name} = ")
    assert not VAULT_KEYS - {key.table or name for name, key in known_keys().items()}


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("[trigger]\nmode = 3\n", ":2: trigger.mode = 3 must be one of smart, every_n", ""),
        ('[trigger]\nmode = "fast"\n', ':2: trigger.mode = "fast" must be one of smart', ""),
        ("recall.limit = true\n", ":1: recall.limit = true must be a whole number from 1", ""),
        ("recall.limit = 2.0\n", ":1: recall.limit = 2.0 must be a whole number from 1", ""),
        ("recall.limit = 0\n", ":1: recall.limit = 0 must be a whole number from 1 to 1 000", ""),
        ("recall = { limit = 0 }\n", ":1: recall.limit = 0 must be", ""),
        ("store.lock_timeout_seconds = nan\n", "lock_timeout_seconds = nan must be a number", ""),
        ("store.lock_timeout_seconds = inf\n", "lock_timeout_seconds = inf must be a number", ""),
        ("recall.limit = 0x" + "f" * 4000, "recall.limit = (a very large number) must be", ""),
        ("trigger.retry_minutes = []\n", "retry_minutes = (a list) must be a list of at least", ""),
        ("trigger.retry_minutes = [1, true]\n", "retry_minutes = (a list) must be a list", ""),
        ('capture.exclude = ["a", " "]\n', "exclude = (a list) must be a list of texts", ""),
        ('capture.exclude = "a"\n', 'exclude = "a" must be a list of texts', ""),
        ('capture.high_signal_patterns = ["(a"]\n', "'(a' is none: missing )", ""),
        ('vault = "notes"\n', 'vault = "notes" must be an absolute path', ""),
        ("vault = 2026-01-01\n", "vault = 2026-01-01 must be a text", ""),
        ("[retention.days]\nfacts = 3\n", ":2: unknown key retention.days.facts = 3", "days.fact?"),
        ("[retention.days]\nfact = -1\n", ":2: retention.days.fact = -1 must be", ""),
        ("[trigger]\nbufer_max_turns = 3\n", ":2: unknown key trigger.bufer", "buffer_max_turns?"),
        ("limit = 3\n", ":1: unknown key limit = 3", "did you mean recall.limit?"),
        ('"recall.limit" = 3\n', ': unknown key "recall.limit" = 3', "recall.limit?"),
        ("trigger = 3\n", ":1: unknown key trigger = 3", "write [trigger]"),
        ("[[trigger]]\nmode = 1\n", ":1: unknown key trigger = (a list)", "write [trigger]"),
        ('"a\\u001bb" = "\\u001b"\n', 'unknown key "a\\u001bb" = "\\u001b"', "correct its name"),
        ("a = [\n", "is not valid TOML: Invalid value (at end of document), line 1", "mend"),
        ("a = 1\na = 2\n", "is not valid TOML: Cannot overwrite a value (at line 2", "mend"),
        ("a." * 300 + "a = 1\n", "a key is nested too deeply (at line 1", "mend"),
        ("a = " + "[" * 9000, "a value is nested too deeply", "mend"),
        ("a = " + "9" * 9000, "is not valid TOML", "mend"),
        ("#" * 70_000, "more than 64 KiB", "mend"),
    ],
)
def test_a_wrong_file_is_refused_with_file_key_and_value(
    person: Person, text: str, message: str, hint: str
) -> None:
    error = refusal(person, user=text)
    assert str(error).startswith(str(person.config))
    assert message in str(error)
    assert hint in error.hint
    assert str(error).isprintable()


def test_a_wrong_variable_is_named(person: Person) -> None:
    error = refusal(person, environment={"ENGRAM_RECALL_LIMIT": "many"})
    assert str(error) == 'ENGRAM_RECALL_LIMIT: recall.limit = "many" must be ' + (
        "a whole number from 1 to 1 000"
    )
    error = refusal(person, environment={"ENGRAM_RECALL_LIMITS": "3"})
    assert "ENGRAM_RECALL_LIMITS" in str(error)
    assert error.hint == "did you mean ENGRAM_RECALL_LIMIT?"
    error = refusal(person, environment={"ENGRAM_ZZZ": "3"})
    assert error.hint == "unset ENGRAM_ZZZ"


def test_a_wrong_flag_is_named(person: Person) -> None:
    assert "command line: recall.limit = 0 must be" in str(
        refusal(person, flags={"recall.limit": 0})
    )
    assert "command line: unknown key limits" in str(refusal(person, flags={"limits": 0}))


def test_a_byte_order_mark_is_accepted(person: Person) -> None:
    assert person.load(user="\ufeff[recall]\nlimit = 3\n").settings.recall.limit == 3


def test_a_file_that_is_not_utf_8_is_refused_with_its_line(person: Person) -> None:
    person.config.write_bytes(b"[recall]\n# caf\xe9\n")
    with pytest.raises(ConfigError, match=r"config\.toml:2: is not UTF-8"):
        load(None, {"ENGRAM_HOME": str(person.home)})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_not_a_regular_file_is_refused_without_waiting(person: Person) -> None:
    os.mkfifo(person.vault_file)
    with pytest.raises(ConfigError, match=r"engram\.toml: is not a regular file"):
        load(person.vault, {"ENGRAM_HOME": str(person.home)})
    person.config.mkdir()
    with pytest.raises(ConfigError, match=r"config\.toml: (is not a regular file|cannot be read)"):
        load(None, {"ENGRAM_HOME": str(person.home)})


@pytest.mark.skipif(os.name == "nt", reason="symlinks need a right there")
def test_a_symlink_is_followed_for_the_person_and_refused_in_a_vault(person: Person) -> None:
    real = person.home / "dotfiles.toml"
    real.write_text("recall.limit = 3\n", encoding="utf-8")
    person.config.symlink_to(real)
    variables = {"ENGRAM_HOME": str(person.home)}
    assert load(None, variables).settings.recall.limit == 3
    person.vault_file.symlink_to(real)
    with pytest.raises(ConfigError, match=r"engram\.toml: is a symlink"):
        load(person.vault, variables)


def test_an_unknown_shipped_table_is_refused() -> None:
    for name in ("nope", "../pyproject", ""):
        with pytest.raises(ConfigError, match="is not there"):
            shipped(name)


_SCALARS = st.one_of(
    st.integers(), st.floats(), st.booleans(), st.text(max_size=8), st.sampled_from(["smart", "~"])
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


def toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(key)} = {toml(item)}" for key, item in value.items()) + "}"
    return repr(value)


@examples(40)
@given(name=st.sampled_from([*sorted(known_keys()), "trigger", "nope"]), value=_VALUES)
def test_any_value_is_taken_or_refused_as_a_configuration_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, value: object
) -> None:
    home = tmp_path_factory.getbasetemp() / "any-value"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(f"{name} = {toml(value)}\n", encoding="utf-8")
    try:
        loaded = load(None, {"ENGRAM_HOME": str(home)})
    except ConfigError as error:
        assert str(home / "config.toml") in str(error)
    else:
        layers = {origin.layer for origin in loaded.origins.values()}
        assert layers == ({"shipped"} if value == {} else {"shipped", "user"})


@examples(25)
@given(data=st.binary(max_size=60), text=st.text(alphabet='[]{}"=.\n#\\ae1_', max_size=40))
def test_any_bytes_are_read_or_refused_as_a_configuration_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, text: str
) -> None:
    home = tmp_path_factory.getbasetemp() / "any-bytes"
    home.mkdir(exist_ok=True)
    for content in (data, text.encode()):
        (home / "config.toml").write_bytes(content)
        try:
            load(None, {"ENGRAM_HOME": str(home)})
        except ConfigError as error:
            assert str(home / "config.toml") in str(error)
