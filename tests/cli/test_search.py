"""`engram search` as people use it: two groups with receipts, and a plain answer to anything."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from engram.surfaces.json import HIT_KEYS
from tests.cli.shop import Shop
from tests.golden.console import Ran

_PLAIN = re.compile(r"(memories|conversation)\n")


def one_line(ran: Ran) -> str:
    """What a search that found nothing said: one line beside the answer."""
    assert (ran.code, ran.out) == (0, "")
    (line,) = ran.err.splitlines()
    return line


def found(shop: Shop, *query: str) -> list[str]:
    """The ids that a search finds."""
    ran = shop.run("search", "--json", "--", *query)
    assert ran.code == 0, ran.err
    return [row["id"] for row in json.loads(ran.out)]


# -- what is shown ------------------------------------------------------------------------------


def test_memories_come_before_the_conversation_and_each_shows_where_it_stands(
    same_shop: Shop,
) -> None:
    out = same_shop.run("search", "two", "writers").out
    assert [line for line in out.splitlines() if not line.startswith(" ")] == [
        "memories", "conversation", "boxes, entities, summaries",
    ]  # fmt: skip
    for path, line in re.findall(
        r"^    ((?:facts|transcripts|boxes)/\S+):(\d+)$", out, re.MULTILINE
    ):
        lines = (same_shop.vault / path).read_text("utf-8").splitlines()
        assert 0 < int(line) <= len(lines)


def test_a_group_of_nothing_has_no_heading(same_shop: Shop) -> None:
    assert same_shop.run("search", "category:decision", "writers").out.startswith("memories\n")
    assert "conversation" not in same_shop.run("search", "category:decision", "writers").out
    assert same_shop.run("search", "settle").out.startswith("conversation\n")


def test_json_has_the_promised_keys_in_order_and_explain_adds_why(same_shop: Shop) -> None:
    plain = json.loads(same_shop.run("search", "--json", "writers").out)
    assert all(tuple(row) == HIT_KEYS for row in plain)
    told = json.loads(same_shop.run("search", "--json", "--explain", "writers").out)
    assert all(tuple(row) == (*HIT_KEYS, "source", "why") and row["why"] for row in told)
    assert [row["id"] for row in told] == [row["id"] for row in plain]


def test_neighbours_and_folding_are_printed_and_are_keys_where_they_are_asked_for(
    same_shop: Shop,
) -> None:
    out = same_shop.run("search", "--around", "writers").out
    assert re.search(r"^    before #[0-9a-f]{6} (user|assistant): ", out, re.MULTILINE)
    assert re.search(r"^    after #[0-9a-f]{6} (user|assistant): ", out, re.MULTILINE)
    rows = json.loads(same_shop.run("search", "--json", "--around", "--fold", "writers").out)
    assert all(tuple(row) == (*HIT_KEYS, "before", "after", "more") for row in rows)
    turns = [row for row in rows if row["collection"] == "turns"]
    assert any(row["before"] for row in turns) and any(row["after"] for row in turns)
    assert all(row["before"] is row["after"] is None for row in rows if row not in turns)


def test_a_found_line_is_found_by_its_docid(same_shop: Shop) -> None:
    for row in json.loads(same_shop.run("search", "--json", "writers").out):
        ran = same_shop.run("show", row["docid"])
        assert ran.code == 0 and "writers" in ran.out


def test_a_phrase_that_nobody_said_is_looked_for_in_words_and_that_is_said(
    same_shop: Shop,
) -> None:
    ran = same_shop.run("search", "postgres", '"writers two"')
    assert _PLAIN.match(ran.out)
    assert ran.err == "nothing holds that phrase; its words were looked for instead\n"


def test_a_misspelt_word_is_answered_with_one_that_would_be_found(same_shop: Shop) -> None:
    said = one_line(same_shop.run("search", "posgtres"))
    assert said == "nothing found; perhaps you meant: postgres"
    assert found(same_shop, "postgres")


# -- whatever is asked --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        '"two writers', '"', "two 'writers", "writers (", "writers AND OR NOT", "what is it the",
        "writers 🎉", "writers שלום", "كاتبان writers", "\u202ewriters\u202c", "writers \udcff",
        "writers \ud800", "writers\0", "\x1b[31m writers", "writ*", "writ* \udcff*", "WRITERS",
        "writers " * 1_300, "writers " + "x " * 9_000, "category: writers",
        "- writers", "-- writers", "~^ writers", "\uff57riters",
    ],
)  # fmt: skip
def test_any_query_with_a_word_that_was_said_is_answered(query: str, same_shop: Shop) -> None:
    ran = same_shop.run("search", "--", query)
    assert ran.code == 0 and _PLAIN.match(ran.out), ran.err
    assert ran.err == ""


@pytest.mark.parametrize(
    "query", ["-", "--", "🎉", "שלום", "\0", "\udcff", "*", '""', "(", "-nobody -else", "::", "zz*"]
)
def test_a_query_for_nothing_that_was_said_ends_with_one_line(query: str, same_shop: Shop) -> None:
    ran = same_shop.run("search", "--", query)
    if ran.out:  # exclusions alone list the memories
        assert _PLAIN.match(ran.out) and ran.err == ""
    else:
        assert one_line(ran).startswith("nothing found")
    assert same_shop.run("search", "--json", "--", query).code == 0


@pytest.mark.parametrize(
    "words", [["-writers"], ["-writers", "-5"], ["-5"], ["-writers", "--json"]]
)
def test_a_word_with_a_minus_may_come_first(words: list[str], same_shop: Shop) -> None:
    ran = same_shop.run("search", *words)
    assert ran.code == 0 and ran.err in ("", "nothing found\n")
    assert "two writers" not in ran.out


def test_what_was_said_in_any_script_is_found(shop: Shop) -> None:
    said = ["🎉 at last", "東京タワーへ行く", "שלום עולם", "قاعدة البيانات", "naïve Größe"]
    rows = [json.dumps({"role": "user", "content": text, "id": text}) for text in said]
    shop.write("scripts.jsonl", "\n".join(rows) + "\n")
    assert shop.run("import", "jsonl", "scripts.jsonl").code == 0
    for query in ("🎉", "東京", "שלום", "البيانات", "NAIVE", "grösse"):
        assert len(found(shop, query)) >= 1, query


def test_a_turn_of_five_megabytes_is_found_by_its_first_word_and_its_last(shop: Shop) -> None:
    text = "wolframite " + "tea cake marzipan 東京 " * 240_000 + "zirconium"
    assert len(text.encode()) > 5_000_000
    shop.write("big.jsonl", json.dumps({"role": "user", "content": text}) + "\n")
    assert shop.run("import", "jsonl", "big.jsonl").code == 0
    (first,) = found(shop, "wolframite")
    assert found(shop, "zirconium") == [first]
    assert len(shop.run("search", "zirconium").out) < 2_000


# -- whatever became of the index ---------------------------------------------------------------


def _index(shop: Shop) -> Path:
    return next((shop.folder / "home").rglob("catalog.sqlite")).parent / "index"


def _file_in_the_way(index: Path) -> None:
    shutil.rmtree(index)
    index.write_text("mine", encoding="utf-8")


def _link_in_the_way(index: Path) -> None:
    index.rename(index.with_name("elsewhere"))
    index.symlink_to("elsewhere")


def _dangling_link_in_the_way(index: Path) -> None:
    shutil.rmtree(index)
    index.symlink_to("nowhere")


@pytest.mark.parametrize("spoil", [_file_in_the_way, _link_in_the_way, _dangling_link_in_the_way])
def test_without_an_index_the_files_answer_and_one_line_says_so(spoil: object, shop: Shop) -> None:
    before = shop.run("search", "writers")
    index = _index(shop)
    spoil(index)  # type: ignore[operator]
    for _ in range(2):
        ran = shop.run("search", "writers")
        assert (ran.code, ran.out) == (0, before.out)
        (line,) = ran.err.splitlines()
        assert line.startswith("note: no index to be had") and "reading the files" in line
    index.unlink()
    assert shop.run("search", "writers") == before


def _gone(index: Path) -> None:
    shutil.rmtree(index)


def _truncated(index: Path) -> None:
    for path in index.glob("gen-*/*/*"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _emptied(index: Path) -> None:
    for path in index.rglob("*"):
        if path.is_file():
            path.write_bytes(b"")


def _foreign(index: Path) -> None:
    for path in index.glob("gen-*/*/*"):
        path.write_bytes(b"\x80\x04K\x01." + bytes(500))


def _older(index: Path) -> None:
    manifest = next(index.glob("gen-*/manifest.json"))
    manifest.write_text(manifest.read_text("utf-8").replace('"schema": "', '"schema": "0'), "utf-8")


@pytest.mark.parametrize("spoil", [_gone, _truncated, _emptied, _foreign, _older])
def test_a_spoilt_index_is_made_anew_without_a_word(spoil: object, shop: Shop) -> None:
    before = shop.run("search", "writers")
    assert before.code == 0 and before.err == ""
    spoil(_index(shop))  # type: ignore[operator]
    assert shop.run("search", "writers") == before
    assert shop.run("doctor").out == "all is well\n"
