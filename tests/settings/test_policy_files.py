"""Layers of policy files, origins, and every message that a wrong or hostile one can cause."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engram.model.errors import ConfigError
from engram.model.given import PolicyRef
from engram.model.item import EVENT_TYPES, KINDS
from engram.model.memory import SPACES
from engram.model.policy import NOTHING, Policy, RetentionRule
from engram.settings.paths import places_of
from engram.settings.policy_files import LoadedPolicy, PolicySource, load_policy
from engram.settings.policy_keys import POLICY_KEYS
from engram.settings.policy_mark import marked_policy, policy_mark, policy_stamps

TOLD = ("preference", "decision", "fact", "correction")


class Person:
    """A home folder and a vault, whose policy files are written as text."""

    def __init__(self, root: Path) -> None:
        (root / "vault").mkdir()
        self.places = places_of({"ENGRAM_HOME": str(root), "HOME": str(root)})
        self.own, self.vault = self.places.policy_file, root / "vault"
        self.of_vault = self.vault / "policy.toml"

    def load(self, own: str = "", vault: str = "") -> LoadedPolicy:
        self.own.write_text(own, encoding="utf-8")
        self.of_vault.write_text(vault, encoding="utf-8")
        return load_policy(self.places, self.vault)

    def refusal(self, own: str = "", vault: str = "") -> ConfigError:
        with pytest.raises(ConfigError) as caught:
            self.load(own, vault)
        return caught.value


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def test_the_preset_vault_lets_in_what_a_policy_without_files_lets_in(person: Person) -> None:
    shipped, bare = load_policy(person.places, None).policy, Policy()
    for name in (
        "preset", "write_policy", "forget_policy", "allow_event_types", "deny_event_types",
        "read_order", "write_spaces", "deny_patterns", "deny_sensitive", "allow_profile_keys",
        "authority_order", "sources", "short_term", "phase",
    ):  # fmt: skip
        assert getattr(shipped, name) == getattr(bare, name), name
    assert not any(shipped.promotion.values())
    assert shipped.ends("profile", "fact") == RetentionRule("never")
    assert shipped.ends("semantic", "fact") == RetentionRule("decay")
    session = shipped.of_space("session")
    assert session.ends("semantic", "fact") == RetentionRule("decay", 60)
    assert session.phase.mode == "current_only"
    assert shipped.of_space("user") is shipped


def test_the_preset_contract_writes_to_the_session_alone_and_ends_all_in_ticks(
    person: Person,
) -> None:
    policy = person.load('preset = "contract"\n').policy
    assert (policy.preset, policy.write_spaces, policy.short_term) == ("contract", ("session",), 2)
    assert policy.phase.mode == "current_only"
    assert policy.promotion == {"semantic": (), "profile": ("fact", "correction")}
    assert len(policy.deny_patterns) == 9
    assert policy.allow_profile_keys == (
        "name", "timezone", "language", "project", "editor", "units",
    )  # fmt: skip
    ticks = {"context": 12, "execution": 18, "decision": 40, "preference": 40, "correction": 45,
             "fact": 60}  # fmt: skip
    for space in SPACES:
        own = policy.of_space(space)
        assert {event: own.ends("semantic", event).ticks for event in EVENT_TYPES} == ticks
        assert own.ends("profile", "fact").mode == "never"
    ways = {(one.from_space, one.to_space): one for one in policy.promotions}
    assert ways.keys() == {("session", "user"), ("session", "project"), ("user", "project")}
    assert all(one.event_types == TOLD for one in ways.values())
    assert ways["session", "project"].min_authority == "tool_verified"
    assert [one.decision_override for one in policy.promotions] == [False, True, False]


def test_every_shipped_value_is_explained_by_a_comment_above_it() -> None:
    from engram.settings.shipped import shipped_path

    rows = shipped_path("policy").read_text(encoding="utf-8").splitlines()
    blocks = "\n".join(rows).split("\n\n")
    unexplained = [block for block in blocks if block.strip() and "#" not in block.split("=")[0]]
    # a section of a space repeats keys that are explained above
    assert [block.splitlines()[0] for block in unexplained] == ["[space.session.phase]"]
    stated = {name for name in POLICY_KEYS if not name.startswith("retention.")}
    assert stated <= load_policy(places_of({"ENGRAM_HOME": "/nowhere"}), None).values.keys()


def test_each_layer_says_its_file_and_line_and_a_section_goes_over_the_rest(person: Person) -> None:
    own = 'write_policy = "aggressive"\n\n[space.project]\nwrite_policy = "minimal"\n'
    loaded = person.load(own, 'deny_event_types = ["execution"]\nwrite_policy = "normal"\n')
    policy, values = loaded.policy, loaded.values
    assert policy.write_policy == "normal"
    assert policy.of_space("project").write_policy == "minimal"
    assert policy.of_space("project").deny_event_types == ("execution",)
    found = {name: values[name][1:] for name in ("write_policy", "space.project.write_policy",
                                                 "deny_event_types")}  # fmt: skip
    assert found == {
        "write_policy": ("vault", str(person.of_vault), 2),
        "space.project.write_policy": ("user", str(person.own), 4),
        "deny_event_types": ("vault", str(person.of_vault), 1),
    }
    assert not loaded.without_effect


def test_what_a_vault_asks_beyond_the_person_has_no_effect_and_is_told(person: Person) -> None:
    loaded = person.load(
        'write_policy = "minimal"\nspaces.write = ["user"]\nsources.codex = "ai_inferred"\n',
        'write_policy = "aggressive"\nspaces.write = ["user", "project"]\nshort_term = 50\n'
        'sources.codex = "system_imposed"\nretention.profile = "never"\n'
        "privacy = { deny_sensitive = false, deny_patterns = ['falcon'] }\n",
    )
    policy = loaded.policy
    assert (policy.write_policy, policy.write_spaces) == ("minimal", ("user",))
    assert (policy.short_term, policy.deny_sensitive) == (6, True)
    assert policy.sources == {"codex": "ai_inferred"}
    assert policy.deny_patterns == ("falcon",)
    assert loaded.without_effect.keys() == {
        "write_policy", "spaces.write", "short_term", "sources.codex", "privacy.deny_sensitive",
        "retention.profile",
    }  # fmt: skip


def test_a_vault_narrows_the_ways_between_spaces_and_opens_none(person: Person) -> None:
    vault = """
[spaces]
promotions = [
  { from = "session", to = "user", event_types = ["execution"], min_authority = "ai_inferred" },
  { from = "session", to = "project", min_authority = "ai_inferred", decision_override = true },
  { from = "user", to = "project", event_types = ["fact"], min_authority = "system_imposed" },
  { from = "user", to = "system" },
]
"""
    ways = {(one.from_space, one.to_space): one for one in person.load("", vault).policy.promotions}
    assert ways.keys() == {("session", "user"), ("session", "project"), ("user", "project")}
    assert ways["session", "user"].event_types == NOTHING
    assert ways["session", "user"].min_authority == "user_asserted"
    own = ways["session", "project"]
    assert (own.event_types, own.min_authority) == (TOLD, "tool_verified")
    assert own.decision_override
    far = ways["user", "project"]
    assert (far.event_types, far.min_authority) == (("fact",), "system_imposed")


def test_a_vault_that_chooses_a_preset_is_at_least_as_strict_as_that(person: Person) -> None:
    loaded = person.load('spaces.write = ["session", "user"]\n', 'preset = "contract"\n')
    assert loaded.policy.write_spaces == ("session",)
    assert loaded.values["spaces.write"][1:] == ("vault", str(person.of_vault), 1)
    assert not loaded.without_effect
    loaded = person.load('preset = "contract"\n', 'preset = "vault"\n')
    assert loaded.policy.preset == "contract"
    assert loaded.policy.write_spaces == ("session",)


def test_a_number_of_ticks_follows_forget_policy_and_forgetting_can_be_off(person: Person) -> None:
    policy = person.load('forget_policy = "ttl"\n[retention]\nfact = 9\ncontext = "decay"\n').policy
    assert policy.ends("semantic", "fact") == RetentionRule("ttl", 9)
    assert policy.ends("semantic", "context") == RetentionRule("decay")
    assert policy.ends("semantic", "decision") == RetentionRule("ttl")
    policy = person.load('preset = "contract"\nforget_policy = "never"\n').policy
    assert {policy.ends(kind, "fact").mode for kind in KINDS} == {"never"}
    # the vault ends it after all, in the ticks of the person's preset
    policy = person.load(
        'preset = "contract"\nforget_policy = "never"\n', 'forget_policy = "decay"\n'
    ).policy
    assert policy.ends("semantic", "fact") == RetentionRule("decay", 60)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('writepolicy = "none"', ":1: unknown key writepolicy"),
        ("[privacy]\ndeny = []", ":2: unknown key privacy.deny = "),
        ('[space.garden]\nwrite_policy = "none"', ":1: unknown key space.garden"),
        ('[space.user]\npreset = "vault"', ":2: unknown key space.user.preset"),
        ('[space.user.spaces]\nwrite = ["user"]', ":1: unknown key space.user.spaces"),
        ('"privacy.deny_sensitive" = true', 'unknown key "privacy.deny_sensitive"'),
        ('\ufeff\r\nwrite_policy = "some"\r\n', ":2: write_policy = "),
        ("write_policy = 3", "must be one of none, minimal, normal, aggressive"),
        ('allow_event_types = ["facts"]', "must be a list of some of preference"),
        ('allow_event_types = ["fact", "facts", "decision"]', '; "facts" is none'),
        ('allow_event_types = ["none", "fact"]', "must be a list of some of preference"),
        ('deny_event_types = ["none"]', "must be a list of some of preference"),
        ('allow_event_types = "fact"', "must be a list of some of preference"),
        ("short_term = -1", "must be a whole number from 0"),
        ("short_term = true", "must be a whole number from 0"),
        ('authority_order = ["user_asserted"]', "in this order"),
        ('spaces.write = ["system"]', "must be a list of some of"),
        ('spaces.promotions = [{ from = "session" }]', "each pair of"),
        ('spaces.promotions = [{ from = "session", to = "user", why = "so" }]', "each pair of"),
        ("retention.fact = 0", "a number of ticks from 1"),
        ('retention.fact = { mode = "decay", days = 3 }', "a number of ticks from 1"),
        ("retention.fact = {}", "a number of ticks from 1"),
        ('retention.facts = "never"', "unknown key retention.facts"),
        ('privacy.deny_patterns = ["--- ---"]', "with a letter or digit"),
        ('privacy.deny_patterns = ["a - - - - - - - - b"]', "with a letter or digit"),
        (f'privacy.deny_patterns = ["{"a" * 201}"]', "2 to 200 characters"),
        (f"privacy.deny_patterns = {[f'word{n}' for n in range(201)]}", "at most 200 texts"),
        ('sources.codex = "boss"', "must be one of ai_inferred"),
        ("sources.codex.cli = true", ":1: sources.codex = (a table) must be"),
        ('write_policy = "none"\nwrite_policy = "normal"', "line 2"),
        ("write_policy =", "line 1"),
        ("x = " + "[" * 5_000, "nested too deeply"),
        (f"{'a.' * 200}b = 1", "nested too deeply"),
        ("# " + "x" * 70_000, "more than 64 KiB"),
    ],
)
def test_a_file_that_is_not_understood_is_told_with_its_line(
    person: Person, text: str, message: str
) -> None:
    for layers in ({"own": text}, {"vault": text}):
        if "authority_order" in text and "vault" in layers:
            continue  # a vault may not name it at all
        error = person.refusal(**layers)
        path = person.own if "own" in layers else person.of_vault
        assert str(error).startswith(str(path)), error
        assert message in str(error)
        assert len(str(error)) < 600 and error.hint


def test_a_key_that_is_of_no_single_space_is_to_stand_outside_of_sections(person: Person) -> None:
    for text in ('[space.session.spaces]\nwrite = ["user"]', '[space.session]\npreset = "vault"'):
        hint = person.refusal(text).hint
        assert hint.endswith("of all spaces together: write it outside of [space.session]")


def test_a_vault_may_not_say_whose_word_stands(person: Person) -> None:
    text = "\n[phase]\nenabled = false\n"
    assert person.load(text).policy.phase.enabled is False
    error = person.refusal(vault=text)
    assert f"{person.of_vault}:3: a vault may not set phase.enabled = false" in str(error)
    order = 'authority_order = ["ai_inferred", "user_asserted", "tool_verified", "system_imposed"]'
    error = person.refusal(vault=order)
    assert "a vault may not set authority_order" in str(error)
    assert error.hint.endswith("belongs in your own policy.toml")


def test_a_vault_policy_of_ten_megabytes_or_behind_a_link_is_not_read(
    person: Person, tmp_path: Path
) -> None:
    person.of_vault.write_bytes(b"#" * 10_000_000)
    with pytest.raises(ConfigError, match="is larger than"):
        load_policy(person.places, person.vault)
    person.of_vault.unlink()
    (tmp_path / "mine.toml").write_text("short_term = 3\n", encoding="utf-8")
    person.of_vault.symlink_to(tmp_path / "mine.toml")
    with pytest.raises(ConfigError, match="is a symlink"):
        load_policy(person.places, person.vault)
    person.of_vault.unlink()
    os.mkfifo(person.of_vault)
    with pytest.raises(ConfigError, match="not a regular file"):
        load_policy(person.places, person.vault)
    person.of_vault.unlink()
    # a person's own may be kept elsewhere
    person.own.symlink_to(tmp_path / "mine.toml")
    assert load_policy(person.places, person.vault).policy.short_term == 3


def test_a_policy_is_read_again_when_a_file_is_another_one(person: Person) -> None:
    person.load("short_term = 4\n")
    source = PolicySource(person.places, person.vault)
    first = source.now()
    assert source.now() is first
    person.of_vault.write_text("short_term = 3  # less\n", encoding="utf-8")
    assert source.now().short_term == 3
    person.own.write_text("short_term = none\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ConfigError):
            source.now()
    person.own.unlink()
    assert source.now().short_term == 3


def test_a_policy_behind_a_link_is_followed_there_and_missed_when_the_link_leads_nowhere(
    person: Person, tmp_path: Path
) -> None:
    kept, source = tmp_path / "kept.toml", PolicySource(person.places, person.vault)
    kept.write_text("short_term = 3\n", encoding="utf-8")
    empty = policy_stamps(person.places, person.vault)
    person.own.symlink_to(kept)
    assert source.now().short_term == 3
    mark = policy_mark(policy_stamps(person.places, person.vault), PolicyRef("9f2c41d07a6be813"))
    assert marked_policy(mark, person.places, person.vault) == PolicyRef("9f2c41d07a6be813")
    kept.write_text("short_term = 2  # less\n", encoding="utf-8")
    assert source.now().short_term == 2
    assert marked_policy(mark, person.places, person.vault) is None
    kept.unlink()
    with pytest.raises(ConfigError, match="leads nowhere"):
        source.now()
    assert policy_stamps(person.places, person.vault) != empty
