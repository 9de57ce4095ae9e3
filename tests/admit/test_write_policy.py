"""What a policy lets in: its steps in order, its tags, and what a refusal leaves in the log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engram.admit.admission_context import AdmissionContext
from engram.admit.decide import admit
from engram.admit.gate.write_policy import evaluate_write
from engram.admit.refusal_event import denial
from engram.capture.redact.redactor import Redactor
from engram.model.candidate import Candidate
from engram.model.item import EVENT_TYPES, KINDS
from engram.model.policy import WRITE_POLICIES, Policy, PromotionRule
from engram.model.refusal_codes import is_private
from engram.model.write_rules import AFTER_PRIVACY, BY_HAND, Attempt, is_low_signal, tags_of
from tests.admit.cases import candidate

Knowing = Callable[..., AdmissionContext]
#: nothing but the session is written, and what is asked for may leave it
STRICT = Policy(
    write_spaces=("session",),
    promotions=(PromotionRule("session", "project"), PromotionRule("session", "user")),
)
PRIVACY, HAND, PROMOTION = "allowed_by:privacy", BY_HAND, "allowed_by:promotion_rule"
DECIDED = "We use Postgres instead of SQLite, because two writers are needed."


def code(policy: Policy, admission: AdmissionContext, **fields: object) -> str:
    given: dict[str, object] = {"authority": "user_asserted", "sentence": DECIDED} | fields
    verdict = admit(candidate(DECIDED, **given), replace(admission, policy=policy))
    return verdict.code


@pytest.mark.parametrize(
    ("policy", "fields", "expected"),
    [
        (Policy(), {}, "new"),
        (STRICT, {}, "new"),
        (replace(STRICT, write_spaces=("user",)), {}, "write_space_disallowed"),
        (STRICT, {"voice": "stored"}, "write_space_disallowed"),
        (STRICT, {"space": "session"}, "new"),
        (STRICT, {"origin": "person"}, "new"),
        (replace(STRICT, promotions=()), {"origin": "person"}, "write_space_disallowed"),
        (Policy(write_policy="none"), {}, "write_policy_none"),
        (Policy(write_policy="none"), {"origin": "person"}, "new"),
        (Policy(write_policy="none", spaces={"project": Policy()}), {}, "new"),
        (Policy(write_policy="minimal"), {"category": "skill"}, "write_policy_minimal"),
        (Policy(write_policy="minimal"), {"category": "decision"}, "new"),
        (Policy(deny_event_types=("fact",)), {}, "policy_deny_event_type"),
        (Policy(deny_event_types=("fact",)), {"origin": "person"}, "policy_deny_event_type"),
        (Policy(allow_event_types=("decision",)), {}, "policy_deny_event_type"),
        (Policy(deny_patterns=("SQLite",)), {"origin": "person"}, "privacy_deny_pattern"),
        (Policy(promotion={"profile": ("correction",)}), {"slot": "shop::database"},
         "policy_deny_promotion"),
        (Policy(allow_profile_keys=("editor",)), {"slot": "shop::database"},
         "privacy_deny_profile_key"),
        (Policy(allow_profile_keys=("database",)), {"slot": "shop::database"}, "new"),
    ],
)  # fmt: skip
def test_a_row_of_admission_obeys_the_policy(
    knowing: Knowing, policy: Policy, fields: dict[str, object], expected: str
) -> None:
    assert code(policy, knowing(), **fields) == expected


def evaluated(policy: Policy, text: str, redactor: Redactor, **fields: object) -> object:
    attempt = Attempt("project", "semantic", "fact", **fields)  # type: ignore[arg-type]
    found = evaluate_write(policy, attempt, [text], redactor.clean)
    return found.reason, found.rule or found.tags


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my password is 123", ("privacy_deny_sensitive", "marker:password")),
        ("the API key is [REDACTED:api-key:12]", ("privacy_deny_sensitive", "placeholder")),
        ("AK" + "IA" + "QX7T2MNP4KRW8ZLD", ("privacy_deny_sensitive", "redactor")),
        ("The till logs each API-Key.", ("privacy_deny_pattern", "pattern:2")),
        ("DB_TOKEN comes from the vault.", ("privacy_deny_pattern", "pattern:1")),
        ("Tokenization and tokens of a monkey.",
         ("allowed", (PRIVACY, "allowed_by:write_policy:normal", PROMOTION))),
    ],
)  # fmt: skip
def test_privacy_names_the_rule_that_denies(
    redactor: Redactor, text: str, expected: tuple[str, object]
) -> None:
    assert evaluated(Policy(deny_patterns=("token", "api key")), text, redactor) == expected


def test_a_pattern_is_found_however_its_letters_are_written(redactor: Redactor) -> None:
    policy = Policy(deny_patterns=("Z\u00fcrich", "Hauptstra\u00dfe 7"))
    for text in ("the office in Zu\u0308rich", "\uff3a\u00fcrich is far", "HAUPTSTRASSE-7"):
        assert evaluated(policy, text, redactor) == ("privacy_deny_pattern", (
            f"pattern:{1 + text.startswith('H')}"
        ))  # fmt: skip
    assert evaluated(policy, "Z\u00fcricher", redactor)[0] == "allowed"  # type: ignore[index]


def test_the_redactor_is_obeyed_whatever_a_policy_says(redactor: Redactor) -> None:
    lax = Policy(deny_sensitive=False)
    assert evaluated(lax, "my pin is 123", redactor)[0] == "allowed"  # type: ignore[index]
    secret = "AK" + "IA" + "QX7T2MNP4KRW8ZLD"
    assert evaluated(lax, secret, redactor)[0] == "privacy_deny_sensitive"  # type: ignore[index]


def test_what_is_asked_for_says_so_in_its_tags(redactor: Redactor) -> None:
    asked = {"by_hand": True}
    assert evaluated(STRICT, "x", redactor, **asked) == (
        "allowed", (HAND, PRIVACY, "allowed_by:write_policy:normal", PROMOTION),
    )  # fmt: skip
    none = Policy(write_policy="none")
    assert evaluated(none, "x", redactor, **asked) == ("allowed", (PRIVACY, HAND, PROMOTION))


def test_tags_follow_from_the_policy_alone(redactor: Redactor) -> None:
    """So that no transaction need hold them."""
    for chosen in WRITE_POLICIES:
        for kind in KINDS:
            for event in EVENT_TYPES:
                for by_hand in (False, True):
                    policy = replace(STRICT, write_policy=chosen, deny_event_types=("context",))
                    attempt = Attempt("project", kind, event, by_hand=by_hand)
                    found = evaluate_write(policy, attempt, ["x"], redactor.clean)
                    if found.allowed:
                        assert found.tags == tags_of(policy, attempt)
    assert [step(Policy(), Attempt("user", "profile", "fact")).name for step in AFTER_PRIVACY] == [
        "write_policy", "event_types", "promotion", "low_signal",
    ]  # fmt: skip


def test_a_greeting_says_nothing_and_a_sentence_that_has_one_does() -> None:
    assert all(map(is_low_signal, ["ok", "Thanks!", " thank  you. ", "Hey", "GREAT"]))
    assert not any(map(is_low_signal, ["", "ok then", "hello world", "great, use Postgres"]))


def test_a_denial_holds_no_words_and_no_digest_of_them(knowing: Knowing) -> None:
    text = "my password is marzipan7"
    said = candidate(
        text, title="marzipan7", tags=("marzipan7",), entities=("marzipan7",),
        slot="marzipan7::marzipan7", fields=(("due", "marzipan7"),),
    )  # fmt: skip
    verdict = admit(said, knowing())
    event = denial(verdict)
    assert dict(event.details) == {
        "code": "privacy_deny_sensitive", "origin": "rules", "rule": "marker:password",
        "source": said.receipt.link.partition("#")[0], "store": "project:shop",
        "kind": "profile", "type": "fact", "length": str(len(text)),
    }  # fmt: skip
    block = said.receipt.link.partition("#")[2]
    assert "marzipan" not in repr(event) and block not in repr(event)
    other: Candidate = replace(said, text="ok")
    assert not is_private("low_score")
    assert denial(replace(verdict, code="low_score", candidate=other)).details[2] == (
        "source", said.receipt.link,
    )  # fmt: skip
