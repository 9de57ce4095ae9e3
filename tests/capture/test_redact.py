"""The redactor: what it must find, what it must leave alone, and what it promises about both."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.capture.redact.check_digits import luhn
from engram.capture.redact.redactor import Redaction, compile_redactor
from engram.capture.redact.span_checks import CHECKS, entropy
from engram.model.errors import ConfigError
from tests.benchmarks.redaction import (
    BLIND,
    KINDS,
    LABELLED,
    LATER,
    LOOKALIKES,
    ROOT,
    Draws,
    by_kind,
    expand,
    halves,
    labelled,
    measure,
    shipped,
)
from tests.effort import examples

REDACTOR = shipped()
ROWS = labelled()
SECRETS = [row for row in ROWS if row.secret is not None]

TABLE = tomllib.loads((ROOT / "config" / "redaction.toml").read_text(encoding="utf-8"))


def made(template: str) -> str:
    """A secret of the given form, the same in every run."""
    return expand(template, Draws(f"test {template}"))


AWS = made("AKIA${b32:16}")
GITHUB = made("ghp_${b62:36}")


# ------------------------------------------------------------------ the labelled set


def test_the_labelled_set_is_large_and_varied() -> None:
    kinds = {row.kind for row in SECRETS}
    places = {row.place for row in ROWS}
    assert len(SECRETS) >= 200 and len(ROWS) - len(SECRETS) >= 200 and len(kinds) >= 12
    assert places == {
        "prose", "code", "json", "json-escaped", "url",
        "file-name", "tool-argument", "title", "shell", "log",
    }  # fmt: skip


def test_recall_and_false_positives_on_the_labelled_set() -> None:
    outcome = measure(REDACTOR, ROWS)
    for row in (*outcome.missed, *outcome.mistaken):
        print(row.number, row.kind, row.place, repr(REDACTOR.redact(row.text).text[:160]))
    assert outcome.recall >= 0.99
    assert outcome.false_positives <= 0.01


def test_secrets_of_many_kinds_are_found_and_what_looks_like_them_is_left() -> None:
    rows = by_kind()
    made_with, kept_back = halves(row for row in rows if row.secret is None)
    for part in (
        [row for row in rows if row.secret is not None] + made_with,
        by_kind(LATER) + kept_back,
        by_kind(BLIND),
    ):
        outcome = measure(REDACTOR, part)
        for row in (*outcome.missed, *outcome.mistaken):
            print(row.kind, repr(row.text[:120]), repr(REDACTOR.redact(row.text).text[:160]))
        assert outcome.recall >= 0.97
        assert outcome.false_positives <= 0.01
    assert len({row.kind for row in rows}) >= 150


@pytest.mark.parametrize("file", [LABELLED, KINDS, LATER, BLIND, LOOKALIKES])
def test_the_labelled_files_hold_no_key_of_a_known_form(file: Path) -> None:
    keys = {"-key", "-token", "-webhook", "aws-secret", "jwt"}
    found = REDACTOR.redact(file.read_text(encoding="utf-8")).found
    assert not [found for found in found if found.kind.endswith(tuple(keys))]


@pytest.mark.parametrize(
    "text",
    [
        "pass\u200bword: {}",
        "p\u00adass\u2060word is {}",
        "\uff50\uff41\uff53\uff53\uff57\uff4f\uff52\uff44\uff1a {}",
        "p\u0430ssw\u043erd = {}",
        "\U0001d429\U0001d41a\U0001d42c\U0001d42c\U0001d430\U0001d428\U0001d42b\U0001d41d: {}",
    ],
)
def test_a_disguised_name_is_read_as_a_person_reads_it(text: str) -> None:
    redacted = REDACTOR.redact(text.format("Tulip-Field-91") + " \u2014 \u200bends here").text
    assert redacted == text.format("[REDACTED:password:14]") + " \u2014 \u200bends here"


def test_a_disguised_value_goes_with_all_its_signs() -> None:
    for value in ("Tu\u200blip-Fi\u00adeld-91", "\uff34ulip-\uff26ield-\uff19\uff11"):
        assert REDACTOR.redact(f"the password is {value}, ok").text == (
            f"the password is [REDACTED:password:{len(value)}], ok"
        )


def test_json_stays_json() -> None:
    for row in ROWS:
        if row.place == "json":
            json.loads(REDACTOR.redact(row.text).text)


# ------------------------------------------------------------------ the placeholder


def test_a_placeholder_keeps_kind_and_length_and_nothing_else() -> None:
    redacted = REDACTOR.redact(f"the key {AWS} is old")
    assert redacted.text == "the key [REDACTED:aws-key:20] is old"
    assert redacted.found == (Redaction("aws-key", 20),)
    assert AWS not in repr(redacted) and AWS[4:12] not in repr(redacted)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"password={GITHUB}", "github-token"),
        (f"Authorization: Bearer {GITHUB}", "github-token"),
        (f"https://kim:{GITHUB}@git.example.net", "github-token"),
        ("https://kim:Hx72kd9Q@git.example.net", "url-password"),
    ],
)
def test_the_most_telling_kind_names_an_overlap(text: str, kind: str) -> None:
    assert [found.kind for found in REDACTOR.redact(text).found] == [kind]


def test_a_url_keeps_scheme_user_and_host() -> None:
    text = "postgres://app:Hx72kd9Q@db.internal:5432/shop"
    assert (
        REDACTOR.redact(text).text
        == "postgres://app:[REDACTED:url-password:8]@db.internal:5432/shop"
    )


def test_a_sentence_keeps_its_full_stop_and_a_field_its_neighbour() -> None:
    assert REDACTOR.redact("My password is hunter2.").text == (
        "My password is [REDACTED:password:7]."
    )
    assert REDACTOR.redact("?password=hunter2&user=kim").text == (
        "?password=[REDACTED:password:7]&user=kim"
    )


def test_a_text_that_was_redacted_before_is_clean() -> None:
    text = 'password = "[REDACTED:password:7]", key [REDACTED:aws-key:20], token: [REDACTED:jwt:90]'
    assert REDACTOR.redact(text).text == text
    assert REDACTOR.clean(text)


def test_what_stands_beside_a_placeholder_is_still_found() -> None:
    text = f"[REDACTED:aws-key:20] {AWS} password=[REDACTED:x:3] password=hunter2"
    redacted = REDACTOR.redact(text)
    assert AWS not in redacted.text and "hunter2" not in redacted.text
    assert redacted.text.count("[REDACTED:aws-key:20]") == 2


def test_a_found_secret_is_taken_out_wherever_else_it_stands() -> None:
    secret = made("${b62:18}")
    text = f"echo {secret} | ./login --password {secret}  # not {secret}"
    assert secret not in REDACTOR.redact(text).text


def test_a_weak_password_is_not_hunted_through_the_text() -> None:
    redacted = REDACTOR.redact("PGPASSWORD=postgres psql -h db postgres").text
    assert redacted == "PGPASSWORD=[REDACTED:password:8] psql -h db postgres"


# ------------------------------------------------------------------ key blocks


def block(kind: str, lines: int) -> tuple[str, str, str]:
    body = made(f"${{pem:{lines}}}")
    return f"-----BEGIN {kind}-----", body, f"-----END {kind}-----"


@pytest.mark.parametrize("newline", ["\n", r"\n", r"\\n", "\r\n", " "])
@pytest.mark.parametrize("kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY"])
def test_a_key_block_goes_in_every_spelling_of_its_line_breaks(kind: str, newline: str) -> None:
    begin, body, end = block(kind, 9)
    text = newline.join([f"before {begin}", *body.split("\n"), f"{end} after"])
    redacted = REDACTOR.redact(text)
    assert redacted.text.startswith("before [REDACTED:private-key:")
    assert redacted.text.endswith("] after") and len(redacted.found) == 1


@pytest.mark.parametrize("side", ["head", "tail"])
def test_a_key_block_that_was_cut_goes_as_far_as_its_lines(side: str) -> None:
    begin, body, end = block("EC PRIVATE KEY", 5)
    kept = "Then we went home, and nobody spoke."
    text = f"{begin}\n{body}\n{kept}" if side == "head" else f"{kept}\n{body}\n{end}"
    redacted = REDACTOR.redact(text).text
    assert kept in redacted
    assert not any(line in redacted for line in body.split("\n"))


def test_markers_without_a_key_and_public_blocks_stay() -> None:
    begin, body, end = block("PUBLIC KEY", 3)
    for text in (
        f"{begin}\n{body}\n{end}",
        "it starts with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----",
    ):
        assert REDACTOR.redact(text).text == text


# ------------------------------------------------------------------ numbers


@given(st.text("0123456789", min_size=2, max_size=19), st.data())
def test_luhn_notices_every_single_wrong_digit(digits: str, data: st.DataObject) -> None:
    whole = next(digits + check for check in "0123456789" if luhn(digits + check))
    place = data.draw(st.integers(0, len(whole) - 1))
    other = data.draw(st.sampled_from("0123456789").filter(lambda digit: digit != whole[place]))
    assert not luhn(whole[:place] + other + whole[place + 1 :])


@pytest.mark.parametrize("separator", ["", " ", "-"])
@pytest.mark.parametrize("issue", ["4:16", "37:15", "6011:16", "2221:16"])
def test_a_card_goes_with_its_separators(issue: str, separator: str) -> None:
    card = made(f"${{card:{issue}:{separator}}}")
    assert REDACTOR.redact(f"paid with {card}, thanks").text == (
        f"paid with [REDACTED:card:{len(card)}], thanks"
    )


def test_an_account_number_ends_where_its_country_says() -> None:
    account = made("${iban:DE: }")
    assert REDACTOR.redact(f"to {account} EUR 20").text == (
        f"to [REDACTED:iban:{len(account)}] EUR 20"
    )


def test_entropy_counts_bits_a_character() -> None:
    assert entropy("") == 0 and entropy("aaaa") == 0
    assert entropy("abcd") == 2 and entropy("0123456789abcdef") == 4


# ------------------------------------------------------------------ any text at all

texts = st.text(st.characters(exclude_categories=()), max_size=200)
fragments = st.lists(
    st.one_of(
        st.sampled_from(ROWS).map(lambda row: row.text),
        st.sampled_from(["[REDACTED:jwt:9]", "[REDACTED:", "password", "=", '"', "\\", "\n", "\0"]),
        st.text(max_size=6),
    ),
    max_size=5,
).map("".join)


@given(st.one_of(texts, fragments))
@examples(75)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = REDACTOR.redact(text)
    again = REDACTOR.redact(once.text)
    assert again.text == once.text and again.found == ()
    assert REDACTOR.clean(once.text)
    assert REDACTOR.clean(text) == (once.found == ()) == (once.text == text)


@given(
    st.sampled_from(["é", "İ", "ß", "漢", "😀", "\ud800", "ǅ", "ﬁ", "\u0301"]), st.integers(1, 9)
)
def test_places_hold_beyond_ascii(letter: str, count: int) -> None:
    around = letter * count
    text = f"{around} {AWS} {around} password=hunter2 {around}"
    assert REDACTOR.redact(text).text == (
        f"{around} [REDACTED:aws-key:20] {around} password=[REDACTED:password:7] {around}"
    )


@given(st.text("abc .,\n", max_size=20), st.text("abc .,\n", max_size=20))
def test_plain_words_around_are_kept(before: str, after: str) -> None:
    text = f"{before}\n\n{AWS}\n\n{after}"
    assert REDACTOR.redact(text).text == f"{before}\n\n[REDACTED:aws-key:20]\n\n{after}"


@pytest.mark.parametrize(
    "unit",
    [
        "pw=",
        'password="',
        "token=a1",
        "-----BEGIN PRIVATE KEY-----\n",
        "eyJ.",
        "\\",
        "4111 ",
        "password,",
        "| password |\n|---|\n",
        "password for the ",
        "seed ",
        "p\u200b",
        "code ",
    ],
)
def test_hostile_repetition_is_worked_through(unit: str) -> None:
    redacted = REDACTOR.redact(unit * 2000).text
    assert REDACTOR.redact(redacted).text == redacted


# ------------------------------------------------------------------ the person's list


def test_exact_strings_and_globs_are_left_alone() -> None:
    allowing = compile_redactor(TABLE, [AWS, "ghp_*"])
    assert allowing.clean(f"{AWS} and token {GITHUB}")
    assert not compile_redactor(TABLE, ["ghp_*", AWS[:10]]).clean(AWS)


# ------------------------------------------------------------------ the table


def rule(**changes: object) -> dict[str, object]:
    row: dict[str, object] = {"kind": "badge", "literals": ["badge-"], "pattern": "badge-[0-9]{4}"}
    row.update(changes)
    return {"rule": [{key: value for key, value in row.items() if value is not None}]}


def test_a_table_of_ones_own_works() -> None:
    redacted = compile_redactor(rule()).redact("show badge-1234 now")
    assert redacted.text == "show [REDACTED:badge:10] now"


def test_an_empty_table_finds_nothing() -> None:
    assert compile_redactor({}).clean(f"{AWS} {GITHUB} password=hunter2")


@pytest.mark.parametrize(
    "changes",
    [
        {"pattern": "badge-[0-9"},
        {"pattern": ""},
        {"pattern": "{{nowhere}}[0-9]"},
        {"kind": "Not a kind"},
        {"group": 3},
        {"group": "name"},
        {"check": "guess"},
        {"check": "key-block"},
        {"surprise": 1},
        {"literals": None},
        {"literals": []},
        {"literals": ["BADGE"]},
        {"literals": [1]},
        {"near": ["door"]},
        {"literals": None, "near": ["ключ"]},
        {"literals": None, "shape": ["ключ"]},
        {"literals": None, "run": "yes"},
    ],
)
def test_a_bad_rule_is_refused_by_name(changes: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"rule 1 \("):
        compile_redactor(rule(**changes))


def test_a_table_of_another_shape_is_refused() -> None:
    with pytest.raises(ConfigError, match="parts"):
        compile_redactor({"parts": []})
    with pytest.raises(ConfigError, match="rule"):
        compile_redactor({"rule": {"kind": "x"}})


def test_the_shipped_table_uses_every_check_and_every_part() -> None:
    rules = TABLE["rule"]
    assert {row.get("check", "none") for row in rules} == set(CHECKS)
    used = "".join(row["pattern"] for row in rules) + "".join(TABLE["parts"].values())
    assert all(f"{{{{{name}}}}}" in used for name in TABLE["parts"])
