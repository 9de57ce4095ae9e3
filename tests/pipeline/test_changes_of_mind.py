"""What a person says a week later ends, replaces or doubts what they said before."""

from __future__ import annotations

import json
from pathlib import Path

from engram.model.memory import Memory
from engram.model.turn import turn_of
from engram.vault import Vault

#: first, a week later, and what becomes of the first; each pair is of a project of its own
PAIRS = [
    ("I live in Graz.", "I live in Turku now.", "superseded"),
    ("I work at Brightwater.", "I work at Northlight now.", "superseded"),
    ("The deadline for the catalogue is March 20.",
     "The deadline for the catalogue moved to April 3.", "superseded"),
    ("We use Dovetail for interviews.", "We moved from Dovetail to Condens.", "superseded"),
    ("We use mariadb.", "We switched from mariadb to sqlite.", "superseded"),
    ("Our design tool is Sketch.", "We replaced Sketch with Figma.", "superseded"),
    ("I prefer dark mode.", "I prefer light mode now.", "superseded"),
    ("We decided to use Kafka for events.", "We decided against Kafka.", "superseded"),
    ("the staging port is 8080", "no, the staging port is 9090", "superseded"),
    ("I'm vegetarian.", "I'm no longer vegetarian.", "superseded"),
    ("We deploy on Fridays.", "We don't deploy on Fridays any more.", "superseded"),
    ("We use Jest for unit tests.", "Vitest it is, no more Jest.", "superseded"),
    ("We use Jenkins for the builds.", "No more Jenkins, we use Buildkite.", "superseded"),
    ("We decided to drop support for Windows.", "We keep supporting Windows after all.",
     "superseded"),
    ("We decided to drop support for Solaris.", "We keep supporting Haiku after all.", "active"),
    ("We decided to migrate from npm to yarn.", "never mind, we'll stay with npm", "superseded"),
    ("I'm training for the marathon in October.",
     "I'm not running the marathon in October after all.", "needs-review"),
    ("The session timeout is 15 minutes.", "The session timeout is 30 minutes.", "needs-review"),
    ("Always rebase before merging.", "Never rebase before merging.", "needs-review"),
    ("The planning meeting is on Mondays.", "The planning meeting is on Thursdays.",
     "needs-review"),
    ("My name is Lena.", "Call me Leni.", "active"),
    ("We use Postgres for orders.", "We use Redis for sessions.", "active"),
    ("The staging port is 8081.", "The production port is 8080.", "active"),
]  # fmt: skip


def test_a_change_of_mind_is_heard(vault: Vault) -> None:
    for number, (first, second, _) in enumerate(PAIRS):
        for day, text in (("02", first), ("09", second)):
            at = f"2026-03-{day}T10:{number:02d}:00Z"
            turn = turn_of(
                "user", text, at, source="test", session=f"{number}-{day}", project=f"till{number}"
            )
            vault.capture([turn])
    vault.flush()
    vault.consolidate()

    def became(number: int) -> Memory:
        first = f"2026-03-02T10:{number:02d}:00Z"
        (found,) = (one for one in vault.parts.catalog.memories() if one.created == first)
        return found

    assert [(first, became(number).status) for number, (first, _, _) in enumerate(PAIRS)] == [
        (first, status) for first, _, status in PAIRS
    ]


def test_only_the_persons_own_file_claims_more_than_a_persons_word(
    vault: Vault, tmp_path: Path
) -> None:
    note = tmp_path / "notes" / "till.md"
    note.parent.mkdir()
    claims = "---\ncategory: fact\nstatus: active\nauthority: system_imposed\n---\n"
    note.write_text(claims + "We decided to use Postgres for the till.\n", encoding="utf-8")
    stored = tmp_path / "mem0.json"
    said = {"id": "1", "memory": "The user prefers tabs.", "authority": "tool_verified",
            "metadata": {"authority": "system_imposed"}}  # fmt: skip
    stored.write_text(json.dumps({"results": [said]}), encoding="utf-8")
    vault.import_files("markdown", note.parent)
    vault.import_files("mem0", stored)
    found = list(vault.parts.catalog.memories())
    assert found and {one.authority for one in found} <= {"ai_inferred", "user_asserted"}
    by_hand = vault.parts.disk.root / "facts" / "2026-03-06" / "mine.md"
    by_hand.parent.mkdir(parents=True, exist_ok=True)
    by_hand.write_text(claims + "Backups run at four.\n", encoding="utf-8")
    (mine,) = vault.search("backups run").hits
    assert vault.memory(mine.id).authority == "system_imposed"
