"""Documents by docid, URI, path or end of one; several at once; what there is."""

from __future__ import annotations

import pytest

from tests.qmd.desk import Desk


def docid(machine: Desk, word: str) -> str:
    found: str = machine.search(word).json[0]["docid"]
    return found


@pytest.mark.parametrize(
    "name",
    [
        "notes/boats/yawl.md", "qmd://notes/boats/yawl.md", "//notes/boats/yawl.md",
        "boats/yawl.md", "yawl.md", "awl.md", "BOATS/YAWL.md", "{FOLDER}/notes/boats/yawl.md",
        "{DOCID}", "#{DOCID}", "'{DOCID}'",
    ],
)  # fmt: skip
def test_a_document_by_any_name(machine: Desk, name: str) -> None:
    name = name.replace("{FOLDER}", str(machine.folder))
    name = name.replace("{DOCID}", docid(machine, "yawl").removeprefix("#"))
    ran = machine.run("get", name)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        f"qmd://notes/boats/yawl.md  {docid(machine, 'yawl')}\n---\n\n"
        "1: # The yawl\n2: \n3: A yawl has its mizzen behind the rudder.\n4: \n"
    )


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["bread.md:3"], "3: Feed the leaven.\n4: Bake the bread hot.\n5: "),
        (["bread.md:3:1"], "3: Feed the leaven."),
        (["bread.md:1:9", "--from", "3", "-l", "1"], "3: Feed the leaven."),
        (["bread.md", "--from", "0", "-l", "1"], "1: # Rye bread"),
        (["bread.md:900"], "900: "),
        (["bread.md:3:1", "--no-line-numbers"], "Feed the leaven."),
    ],
)
def test_parts_of_a_document(machine: Desk, words: list[str], lines: str) -> None:
    assert machine.run("get", *words).out.partition("---\n\n")[2] == lines + "\n"


def test_what_is_not_there_and_what_may_be_meant(machine: Desk) -> None:
    ran = machine.run("get", "boats/yowl.md")
    assert (ran.code, ran.out) == (1, "")
    said = "Document not found: boats/yowl.md\nSimilar files:\n  boats/yawl.md\n  boats/ketch.md\n"
    assert ran.err == said
    assert machine.run("get", "#ffffff").err == "Document not found: #ffffff\n"
    assert machine.run("get").err.startswith("Usage: qmd get ")


def test_what_an_ignore_rule_keeps_out_is_explained(machine: Desk) -> None:
    text = machine.config.read_text(encoding="utf-8")
    machine.config.write_text(text + "    ignore:\n      - boats/old/**\n", encoding="utf-8")
    assert "0 updated, 5 unchanged, 1 removed" in machine.run("update").out
    ran = machine.run("get", "notes/boats/old/log.md")
    assert ran.code == 1 and "Ignore rule: boats/old/**" in ran.err


def test_a_glob_gives_paths_and_a_list_gives_uris(machine: Desk) -> None:
    rows = machine.run("multi-get", "boats/*.md", "--json", "-l", "1").json
    assert [row["file"] for row in rows] == ["boats/ketch.md", "boats/yawl.md"]
    assert rows[0]["body"] == "1: # The ketch\n2: \n3: [... truncated 4 more lines]"
    ran = machine.run("multi-get", "yawl.md, nothing-like-it.md, bread.md", "--json")
    assert [row["file"] for row in ran.json] == [
        "qmd://notes/boats/yawl.md",
        "qmd://notes/bread.md",
    ]
    assert (ran.code, ran.err) == (0, "File not found: nothing-like-it.md\n")


def test_what_is_too_large_is_named(machine: Desk) -> None:
    (row,) = machine.run("multi-get", "bread.m?", "--max-bytes", "10", "--json").json
    assert row["skipped"] is True and "qmd get bread.md" in row["reason"]
    assert "body" not in row


def test_names_in_two_folders_are_ambiguous(machine: Desk) -> None:
    machine.write("a/same.md", "one")
    machine.write("b/same.md", "two")
    machine.run("update")
    ran = machine.run("multi-get", "same.md,bread.md", "--json")
    assert ran.err == ("Ambiguous path same.md: qmd://notes/a/same.md, qmd://notes/b/same.md\n")


def test_nothing_matched_is_an_error(machine: Desk) -> None:
    assert machine.run("multi-get", "zz*.md").code == 1
    assert machine.run("multi-get", "#ffffff").code == 1


@pytest.mark.parametrize("form", ["csv", "md", "xml", "files", "cli"])
def test_every_form_holds_every_document(machine: Desk, form: str) -> None:
    out = machine.run("multi-get", "boats/*.md", "--format", form).out
    assert out.count("ketch.md") == out.count("yawl.md") == 1
    assert "two masts" in out or form == "files"


def test_xml_of_documents_is_xml(machine: Desk) -> None:
    from xml.etree import ElementTree

    machine.write("odd & <b>.md", '# "A" & <b>\n')
    machine.run("update")
    tree = ElementTree.fromstring(machine.run("multi-get", "odd*.md", "--xml").out)
    assert tree.findtext("document/title") == '"A" & <b>'


def test_ls(machine: Desk) -> None:
    assert machine.run("ls").out == "Collections:\n\n  qmd://notes/  (6 files)\n"
    lines = machine.run("ls", "notes/boats").out.splitlines()
    assert [line.split("  ")[-1] for line in lines] == [
        "qmd://notes/boats/ketch.md", "qmd://notes/boats/old/log.md", "qmd://notes/boats/yawl.md",
    ]  # fmt: skip
    assert machine.run("ls", "qmd://notes/zzz").out == "No files found under qmd://notes/zzz\n"
    assert machine.run("ls", "nope").code == 1
