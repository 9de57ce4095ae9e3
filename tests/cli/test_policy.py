"""What a policy file does to a vault that is used, and what a broken one leaves as it was."""

from __future__ import annotations

import json

from tests.cli.shop import Shop
from tests.hooks.conversation import given, hook, said_by
from tests.kit import tree_digest

SAID = '{"role":"user","content":"We decided to bake at night because of the heat.",' \
    '"timestamp":"2026-03-06T10:00:00Z"}\n'  # fmt: skip


def test_a_policy_of_the_vault_that_is_not_understood_stops_learning_and_giving_alone(
    shop: Shop,
) -> None:
    policy = shop.vault / "policy.toml"
    policy.write_text("[privacy]\nallow_everything = true\n", encoding="utf-8")
    out, complaints = hook(shop, "session-start", said_by("SessionStart"))
    assert (out, len(complaints)) == ("", 1)
    before = tree_digest(shop.vault / "facts")
    shop.run("capture", "-", stdin=SAID.encode())
    ran = shop.run("extract")
    assert ran.code == 1 and "policy.toml:2: unknown key privacy.allow_everything" in ran.err
    assert tree_digest(shop.vault / "facts") == before
    stopped = "nothing is learnt or given: "
    assert f"{stopped}{policy}:2: unknown key" in " ".join(shop.run("status").out.split())
    for reading in (["list"], ["search", "postgres"], ["show", "preference"]):
        assert shop.run(*reading).code == 0, reading
    assert json.loads(shop.run("policy", "show", "--json").out)["problem"]["code"] == "CONFIG_ERROR"
    # what a person decides about memories is done
    assert shop.run("forget", "preference").code == 0
    assert shop.run("undo").code == 0

    policy.unlink()
    assert "Postgres" in given(shop, "session-start")
    assert shop.run("extract").out.startswith("1 turn: 1 memory")


def test_a_trial_writes_nothing_and_repeats_no_text(shop: Shop) -> None:
    shop.run("list")
    before = tree_digest(shop.vault)
    for who in ("person", "agent", "hand"):
        ran = shop.run("policy", "test", "my password is swordfish", "--by", who)
        assert (ran.code, "swordfish" in ran.out + ran.err) == (0, False)
        assert "privacy_deny_sensitive" in ran.out
    assert tree_digest(shop.vault) == before


def test_under_the_contract_what_is_said_holds_for_its_session_unless_asked_for(shop: Shop) -> None:
    (shop.vault / "policy.toml").write_text('preset = "contract"\n', encoding="utf-8")
    held = [shop.run("list", "--space", space).out for space in ("user", "project")]
    boxes = tree_digest(shop.vault / "boxes")
    shop.run("capture", "-", stdin=SAID.encode())
    shop.run("extract")
    assert [shop.run("list", "--space", space).out for space in ("user", "project")] == held
    assert "bake at night" in shop.run("list", "--space", "session").out
    assert tree_digest(shop.vault / "boxes") == boxes
    told = " ".join(shop.run("events").out.split())
    assert ": allowed" not in told
    assert ": allowed" in shop.run("events", "--event", "memory_border_check").out
    assert shop.run("remember", "The oven is cleaned on Mondays.").code == 0
    assert "cleaned on Mondays" in shop.run("list").out
    named = [path.stem for path in (shop.vault / "state" / "policies").iterdir()]
    assert len(named) == 2  # the one before, and this one
