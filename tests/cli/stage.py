"""A person's folder in which every example of every help can be run: two vaults, files, exports."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from engram.model.ids import docid
from engram.store.files.summary_file import render_summary
from tests.cli.shop import Shop
from tests.golden.console import Ran, run
from tests.kit import summary

ROOT = Path(__file__).parents[2]

#: runs until it is stopped, asks the service manager of the machine, or a model
NOT_RUN = {
    "engram daemon run", "engram daemon start", "engram daemon install",
    "engram daemon logs --follow",
    "engram capture --follow ~/.claude/projects --source claude-code", "engram embed",
}  # fmt: skip

CHAT = [
    ("2026-03-04T09:00:00Z", "shop-1", "user",
     "We decided to use Postgres instead of SQLite because two writers need it."),
    ("2026-03-04T09:01:00Z", "shop-1", "assistant", "Two writers settle it."),
    ("2026-03-05T09:00:00Z", "shop-3", "user",
     "Postgres runs on port 5433 because SQLite was not enough for two writers."),
    ("2026-03-06T10:00:00Z", "shop-2", "user", "I prefer small commits with one topic each."),
]  # fmt: skip
#: says the opposite of the decision
CONTRADICTING = """\
---
id: decision-20260305-090000-0a1b2c3d
category: decision
status: active
created: 2026-03-05T09:00:00Z
project: shop
conflicts:
  - "[[{other}]]"
---
We decided to use SQLite.
"""
#: a conversation as ChatGPT exports it
CHATGPT = {
    "title": "A door", "create_time": 1772700000.0, "conversation_id": "c1", "current_node": "a",
    "mapping": {
        "a": {
            "id": "a", "parent": None, "children": [],
            "message": {
                "id": "a", "author": {"role": "user"}, "create_time": 1772700000.0,
                "content": {"content_type": "text", "parts": ["I prefer doors that are orange."]},
            },
        },
    },
}  # fmt: skip
RECORD = """{"title": "Payments", "tags": ["pay"], "content": {"decision": "We pay by card.",
"status": "accepted", "context": "a till", "rationale": ["no cash"]}}"""


@dataclass(frozen=True, slots=True)
class Stage:
    """A shop in a folder, a copy of all of it, and what the ids of the examples are here."""

    shop: Shop
    copy: Path
    ids: dict[str, str]

    def begin_again(self) -> None:
        """Everything as it was at first."""
        shutil.rmtree(self.shop.folder)
        shutil.copytree(self.copy, self.shop.folder, symlinks=True)

    def run(self, line: str, *, as_json: bool = False) -> Ran:
        """Run an example as a shell would; what it is piped into is left out."""
        if inner := re.fullmatch(r'eval "\$\((.*)\)"', line):
            line = inner[1]
        for name, here in self.ids.items():
            line = line.replace(name, here)
        words = [
            str(self.shop.folder / word[2:]) if word.startswith("~/") else word
            for word in shlex.split(line, comments=True)[1:]
        ]
        given = b""
        for sign in ("|", ">", "<"):
            if sign in words:
                at = words.index(sign)
                if sign == "<":
                    given = (self.shop.folder / words[at + 1]).read_bytes()
                words = words[:at]
        environment = self.shop.environment | {"EDITOR": "true"}
        if words[0] == "embed":
            environment["ENGRAM_LLM_EMBEDDING_MODEL"] = "m"
        asked = ["--json"] if as_json else []
        return run([*asked, *words], self.shop.folder, environment, given)


def _only(shop: Shop, category: str) -> str:
    (found,) = json.loads(shop.run("list", "--category", category, "--json").out)
    return str(found["id"])


def make_stage(base: Path) -> Stage:
    """A stage in an empty folder."""
    folder = base / "person"
    shop = Shop(folder)
    turns = "\n".join(
        json.dumps({"role": role, "content": text, "timestamp": time, "session": session,
                    "project": "shop"})
        for time, session, role, text in CHAT
    )  # fmt: skip
    shop.write("chat.jsonl", turns)
    shop.write("notes.txt", "The orange door sticks.\n")
    shop.write("decision.json", RECORD)
    talk = next((ROOT / "tests" / "demo" / "conversation").glob("*.jsonl"))
    shop.write(".claude/projects/shop/" + talk.name, talk.read_bytes())
    with zipfile.ZipFile(folder / "export.zip", "w") as export:
        export.writestr("conversations.json", json.dumps([CHATGPT]))
    assert shop.run("init", "vault").code == 0
    assert shop.run("init", "shop-memory", "--shared", "project").code == 0
    assert shop.run("import", "jsonl", "chat.jsonl").code == 0
    assert shop.run("phases", "start", "first beta", "--project", "shop").code == 0
    assert shop.run("capture", "-", stdin=b"The orange door sticks.\n").code == 0
    assert shop.run("consolidate").code == 0
    decision, preference = _only(shop, "decision"), _only(shop, "preference")
    shop.write("vault/facts/2026-03-05/other.md", CONTRADICTING.format(other=decision))
    page = summary("sum-5b1c0de2", decision)
    shop.write(f"vault/summaries/{page.id}.md", render_summary(page))
    shutil.copytree(shop.vault, folder / "copied-vault")
    box = sorted((shop.vault / "boxes").rglob("*.md"))[0].stem
    copy = folder.parent / "copy"
    shutil.copytree(folder, copy, symlinks=True)
    ids = {"8f26a5": docid(decision)[1:], "3c01b7": docid(preference)[1:], "box-a6010e5a": box}
    return Stage(shop, copy, ids)
