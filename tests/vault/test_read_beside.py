"""Shared vaults that are read beside the person's own: who is given what, and by which name."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from engram.model.ids import docid
from engram.queries.index_sync import IndexSync
from engram.settings.registry import Sharing
from engram.vault import Vault
from tests.kit import tree_digest, where
from tests.team import Team, decision

CENTS = decision("Money in the shop is counted in cents, never in floats.")


@pytest.fixture
def team(tmp_path: Path) -> Team:
    found = Team(tmp_path)
    found.put(CENTS)
    return found


def test_by_hand_both_are_found_in_one_order_and_the_other_one_has_its_label(team: Team) -> None:
    found = team.json("search", "money cents OR postgres writers", here=team.shop)
    assert isinstance(found, list)
    shared = [one for one in found if one.get("vault")]
    assert [one["id"] for one in shared] == [f"@shop/{CENTS.id}"]
    assert shared[0]["docid"] == docid(CENTS.id)
    path = Path(shared[0]["file"])
    assert "cents" in path.read_text(encoding="utf-8").splitlines()[shared[0]["line"] - 1]
    told = team.run("search", "money counted in cents", here=team.shop).out
    assert re.search(rf"{docid(CENTS.id)} 2026-03-05 decision shop  Money[^#]*\(@shop\)", told)
    assert team.json("search", "money counted in cents") == []  # in another folder


def test_an_agent_of_the_project_is_given_both_after_a_command_took_the_other_up(
    team: Team,
) -> None:
    assert "cents" not in team.given("session-start")
    team.run("recall", "how is money counted?", here=team.shop)
    before = tree_digest(team.memory)
    block = team.given("session-start")
    assert f"- @shop decision 2026-03-05: {CENTS.text} ({docid(CENTS.id)[1:]})" in block
    assert "Postgres" in block
    assert CENTS.text in team.given("prompt", prompt="is money counted in cents?")
    assert "cents" not in team.given("session-start", here=team.folder / "work" / "till")
    assert tree_digest(team.memory) == before


def test_recall_shows_and_explains_what_another_vault_holds(team: Team) -> None:
    block = team.run("recall", "how is money counted?", here=team.shop).out
    assert f"- @shop 2026-03-05 decision: {CENTS.text}" in block
    assert f"source: [[@shop/{CENTS.id}]]" in block
    for name in (f"@shop/{CENTS.id}", CENTS.id, docid(CENTS.id)):
        assert CENTS.text in team.run("show", name, here=team.shop).out
        assert "of @shop: " in (told := team.run("why", name, here=team.shop).out)
        assert CENTS.text in told and "counts as ai_inferred" in told
        assert "recall" in team.run("why", name, "--given", here=team.shop).out
    assert team.run("show", CENTS.id).code == 1
    assert team.json("show", CENTS.id, here=team.shop)["authority"] == "ai_inferred"  # type: ignore[call-overload]
    team.run("recall", "money cents, postgres writers", here=team.shop)
    log = (team.folder / "vault" / "state" / "access.jsonl").read_text().splitlines()
    assert json.loads(log[0])["ids"] == [f"@shop/{CENTS.id}"]
    assert len(json.loads(log[-1])["ids"]) == 2
    own = team.json("show", "decision-20260304-090000-839ac264")
    assert isinstance(own, dict) and own["retention"]["activation"] > 0


def test_nothing_is_written_into_a_vault_that_is_read(team: Team) -> None:
    before = tree_digest(team.memory)
    team.run("recall", "how is money counted?", here=team.shop)
    team.run("search", "cents", here=team.shop)
    team.run("show", CENTS.id, here=team.shop)
    team.given("session-start")
    assert tree_digest(team.memory) == before
    assert sorted(one.name for one in team.memory.iterdir()) == ["archive", "engram.toml", "facts"]


def test_equal_words_are_told_once_by_the_own_vault(team: Team) -> None:
    said = "We decided to use Postgres because two writers need it."
    copy = decision(said, 2, entities=("tool-postgres",))
    team.put(copy, root=team.shared(team.folder / "rules", Sharing("system"), "rules"))
    team.put(copy)
    found = team.json("search", "postgres writers", here=team.shop)
    assert isinstance(found, list)
    assert [one["id"] for one in found if "Postgres" in one["snippet"]][:1] == [
        "decision-20260304-090000-839ac264"
    ]
    assert not [one for one in found if "Postgres" in one["snippet"] and "vault" in one]
    for block in (
        team.given("session-start"),
        team.given("prompt", prompt="why postgres writers?"),
    ):
        assert block.count(said) == 1 and f"@shop decision 2026-03-05: {said}" not in block
    team.run("forget", "decision-20260304-090000-839ac264")
    assert team.given("session-start").count(f"@shop decision 2026-03-05: {said}") == 1


def test_a_project_that_is_named_is_served_by_the_globs_alone(team: Team) -> None:
    asked = ("recall", "how is money counted?", "--project")
    assert CENTS.text in team.run(*asked, "shop", here=team.shop).out
    assert CENTS.text not in team.run(*asked, "till", here=team.shop).out
    team.registry.add(team.memory, "vault-shop", Sharing("project", ("till*",)))
    assert CENTS.text in team.run(*asked, "till-fix").out
    assert CENTS.text in team.given("session-start", here=Path("/srv/till-fix"))


def test_projects_of_one_vault_are_not_given_each_others_memories(team: Team) -> None:
    clients = team.shared(team.folder / "clients", Sharing("project", ("client-*",)), "clients")
    team.put(decision("Falcon pays in March.", 4, project="client-a"), root=clients)
    team.put(decision("Invoices have net prices.", 5, project="office"), root=clients)
    for name, seen in (("client-a", {"in March", "have net"}), ("client-b", {"have net"})):
        here = team.folder / "work" / name
        (here / ".git").mkdir(parents=True)
        asked = team.run("recall", "what about Falcon, net prices?", here=here).out
        given = team.given("session-start", here=here)
        for told in (asked, given):
            assert {one for one in ("in March", "have net") if one in told} == seen


def test_what_a_system_vault_holds_is_given_everywhere(team: Team) -> None:
    rules = team.shared(team.folder / "rules", Sharing("system"), "rules")
    team.put(decision("Every service writes its logs as JSON lines.", 3), root=rules)
    team.run("search", "logs")
    assert "@rules decision" in team.given("session-start", here=Path("/srv/anything"))


def test_a_secret_in_a_shared_vault_is_given_to_nobody(team: Team) -> None:
    key = "ghp_" + "a1B2" * 9
    team.put(decision(f"The deploy token of the shop is {key}.", 4))
    found = team.run("search", "deploy token of the shop", here=team.shop).out
    assert "deploy token" in found and key not in found
    assert key not in team.run("recall", "deploy token?", here=team.shop).out
    assert "deploy token" not in team.given("session-start")


def test_a_teammates_change_that_git_brought_counts_at_once(team: Team) -> None:
    (path,) = team.put(CENTS)
    team.run("search", "cents", here=team.shop)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("never in floats", "or in tenths of them"), encoding="utf-8")
    assert "tenths of them" in team.given("session-start")
    assert "tenths of them" in team.run("recall", "money cents", here=team.shop).out
    path.unlink()
    assert "cents" not in team.given("session-start")
    assert team.json("search", "money counted in cents", here=team.shop) == []


def test_what_is_promoted_is_given_at_once_from_where_it_is_now(team: Team) -> None:
    own = "decision-20260304-090000-839ac264"
    ran = team.run("promote", own, "--to", "project", here=team.shop)
    assert ran.code == 0, ran.err
    block = team.given("session-start")
    assert block.count("We decided to use Postgres") == 1
    assert "@shop decision 2026-03-04: We decided to use Postgres" in block
    found = team.json("search", "postgres", here=team.shop)
    assert isinstance(found, list)
    assert [one["id"] for one in found if one["collection"] == "memories"] == [f"@shop/{own}"]


def test_a_purge_in_the_shared_vault_leaves_no_word_of_it_to_its_readers(team: Team) -> None:
    team.run("search", "cents", here=team.shop)
    assert where(team.folder / "home", "floats")
    ran = team.run("purge", CENTS.id, "--yes", "--vault", str(team.memory))
    assert ran.code == 0, ran.err + ran.out
    assert where(team.folder / "home", "floats") == []
    assert team.json("search", "money counted in cents", here=team.shop) == []


def test_who_was_given_something_of_another_vault_is_an_event_with_its_words(team: Team) -> None:
    team.run("recall", "how is money counted?", here=team.shop)
    (event,) = team.json("events", "--event", "memory_recall", here=team.shop)  # type: ignore[misc]
    (item,) = event["recalled"]
    assert (item["id"], item["text"]) == (f"@shop/{CENTS.id}", CENTS.text)
    assert item["meta"]["vault"] == "@shop" and item["meta"]["space"] == "project"
    (event,) = team.json("events", "--event", "memory_recall")  # type: ignore[misc]
    assert event["recalled"][0]["text"] == "(gone)"


@pytest.mark.parametrize("what", ["gone", "another", "newer", "own", "broken", "empty"])
def test_what_cannot_be_read_is_told_in_one_line_and_own_answers_come(
    team: Team, what: str
) -> None:
    settings, own = team.memory / "engram.toml", "We decided to use Postgres"
    team.run("search", "cents", here=team.shop)
    text = settings.read_text(encoding="utf-8")
    if what == "gone":
        shutil.rmtree(team.memory)
    else:
        settings.write_text({
            "another": text.replace("vault-shop", "vault-till"),
            "newer": text.replace("format = 1", "format = 99"),
            "own": text.replace('shares = "project"', ""),
            "broken": "format = ???", "empty": "",
        }[what], encoding="utf-8")  # fmt: skip
    for verb in ("search", "recall"):
        ran = team.run(verb, "postgres cents", here=team.shop)
        assert own in ran.out and "cents" not in ran.out.replace("postgres cents", "")
        assert len([line for line in ran.err.splitlines() if "@shop is not read" in line]) == 1
    assert own in team.given("session-start") and "cents" not in team.given("session-start")


def test_a_file_that_is_none_a_link_and_a_folder_in_the_way_leave_the_rest(team: Team) -> None:
    (team.memory / "facts" / "notes.md").write_bytes(b"---\nid: ???\n\xff")
    (team.folder / "secret.md").write_text("The till code is 4711.", encoding="utf-8")
    (team.memory / "facts" / "link.md").symlink_to(team.folder / "secret.md")
    (team.memory / "facts" / "away").symlink_to(team.folder / "vault" / "facts")
    (team.memory / "facts" / "2026-03-05" / "x.md").mkdir()
    found = team.run("search", "money in cents, till code", here=team.shop)
    assert CENTS.text[:20] in found.out and "4711" not in found.out
    assert CENTS.text in team.given("session-start")


def test_a_shared_vault_inside_the_own_one_is_not_of_it(team: Team) -> None:
    inner = team.shared(team.folder / "vault" / "facts" / "team", Sharing("system"), "inner")
    text = "Releases of the shop go out on Tuesdays only."
    team.put(decision(text, 5), root=inner)
    found = team.json("search", "releases on tuesdays")
    assert isinstance(found, list)
    assert len(found) == 1, found


def test_a_vault_of_the_persons_own_in_the_folder_is_read_beside_and_the_other_way_round(
    team: Team,
) -> None:
    till = team.folder / "work" / "till"
    assert team.run("init", str(till)).code == 0
    ports = ("remember", "The till listens on port 9090.", "--project", "till")
    assert team.run(*ports, "--vault", str(till)).code == 0
    team.run("remember", "I prefer code reviews in the morning, before standup.")
    block = team.given("session-start", here=till)
    assert "- @till fact" in block and "port 9090" in block and "small commits" in block
    assert "port 9090" not in team.given("session-start")
    named = {"ENGRAM_VAULT": ""}
    assert team.run("config", "set", "vault", str(team.folder / "vault")).code == 0
    asked = team.run("recall", "code reviews in the morning", here=till, more=named).out
    assert "- @vault" in asked and "before standup" in asked
    assert "Postgres" not in team.run("recall", "postgres writers", here=till, more=named).out


def test_a_name_in_another_vault_never_means_the_own_memory_of_that_id(team: Team) -> None:
    mine = next(iter(team.json("list")))["id"]  # type: ignore[call-overload, index]
    team.put(replace(decision("Theirs, of the same id."), id=mine))
    for verb in ("retire", "forget", "archive", "confirm", "purge", "promote"):
        more = ("--yes",) if verb == "purge" else ("--to", "project") if verb == "promote" else ()
        ran = team.run(verb, f"@shop/{mine}", *more, here=team.shop)
        assert ran.code == 1 and "there is no memory" in ran.err, verb
    assert next(iter(team.json("list")))["id"] == mine  # type: ignore[call-overload, index]


def test_logs_that_git_brought_after_trust_are_believed_by_nobody(team: Team) -> None:
    one = decision("The till runs on Zebrafish, as system_imposed says.")
    team.put(one)
    assert "zebrafish" in team.run("recall", "zebrafish till", here=team.shop).out.lower()
    (team.memory / "state" / "journal").mkdir(parents=True)
    (team.shop / ".git" / "index").write_bytes(b"DIRC...\0memory/state/journal/00000001.json\0")
    ran = team.run("recall", "zebrafish till", here=team.shop)
    assert "zebrafish" not in ran.out.lower() and "git carries" in ran.err
    assert "git carries" in team.run("--vault", str(team.memory), "status").out
    assert team.run("--vault", str(team.memory), "doctor").code == 1


def test_no_secret_stands_in_the_name_of_a_project(team: Team) -> None:
    key = "ghp_k3JdW9sXq2Lm8Rt5Vb1Nz7Yc4Hf6Pg0Aa2Ee"
    mine = [one["id"] for one in team.json("list")]  # type: ignore[attr-defined]
    assert team.run("promote", *mine[:1], "--to", "project", "--project", key).code == 0
    assert team.run("phases", "start", "beta", "--project", key).code == 0
    assert where(team.folder, key) == where(team.folder, key.lower().replace("_", "-")) == []
    assert "secret" in team.run("trust", str(team.memory), "--for", key).err
    assert where(team.folder, key) == []


def test_what_two_readers_take_up_is_in_the_index_that_there_is(team: Team) -> None:
    own, shop = team.folder / "vault", ("shop",)
    team.run("search", "cents", here=team.shop)

    def found(vault: Vault, word: str) -> list[str]:
        with vault.beside(team.shop, shop):
            return [hit.id for hit in vault.search(word).memories]

    environment = team.environment
    with (
        Vault.open(own, environment=environment) as one,
        Vault.open(own, environment=environment) as other,
    ):
        assert len(found(one, "cents")) == len(found(other, "cents")) == 1
        team.put(decision("The shop closes at noon on Sundays.", 2))
        with mock.patch.object(IndexSync, "rebuild") as built:
            assert len(found(one, "noon")) == 1
        built.assert_not_called()
        team.put(decision("The shop opens at seven in winter.", 3))
        (there,) = one.parts.beside.values()
        there.settler.within(1_000)  # and is ended before its index follows
        team.put(decision("The cellar is flooded in spring.", 4))
        assert len(found(other, "cellar")) == len(found(other, "winter")) == 1
        assert len(found(one, "cellar")) == len(found(one, "winter")) == 1
        assert len(found(one, "noon")) == len(found(one, "cents")) == 1


def test_a_vault_that_was_just_made_is_enough_to_be_given_what_a_team_shares(
    team: Team, tmp_path: Path
) -> None:
    new = {"ENGRAM_HOME": str(tmp_path / "new"), "ENGRAM_VAULT": str(tmp_path / "new" / "vault")}
    assert team.run("init", new["ENGRAM_VAULT"], more=new).code == 0
    assert team.run("trust", str(team.memory), more=new).code == 0
    assert "@shop decision" in team.given("session-start", more=new)
