"""A year of an invented person: private chats as a ChatGPT export, a shop with a coding agent.

`PRIVATE` are the conversations of the export, title and what the person says; `CODING` the
sessions of Claude Code by project, `ASIDES` what the person says there of themselves.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

PRIVATE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Moving house", ("We decided to move to Bremen in May.", "Our budget is 1900 euros.")),
    ("Nut-free cakes", ("I'm allergic to walnuts.", "I prefer lemon cake to chocolate.")),
    ("Ida's school", ("My daughter's name is Ida.", "My daughter Ida is in the second class.")),
    ("Wifi at home", ("Our wifi is called Seehund and the guest network is off.",)),
    ("Back pain", ("I take ibuprofen for my back.", "I always stretch before breakfast.")),
    ("Half marathon", ("My goal is to finish the half marathon under two hours.",)),
    ("Dinner ideas", ("I don't eat pork.", "I hate tofu.", "We always cook on Sundays.")),
    ("Portugal", ("I decided to fly to Porto on March 3rd.", "I prefer window seats.")),
    ("New job", ("I work at Brandt Optics as a bookkeeper.", "I live in Kiel.")),
    ("Cover letter", ("Never use the word passionate.", "I prefer short sentences in letters.")),
    ("Choir", ("I sing alto in a choir.", "We rehearse every Thursday at seven.")),
    ("Garden", ("I prefer roses to tulips.", "Always water the tomatoes in the evening.")),
    ("Birthday", ("My birthday is on 4 June.", "I promised my sister the photos by Friday.")),
    ("Diet", ("I'm a vegetarian.", "I never drink coffee after noon.")),
    ("Taxes", ("I have to send the tax form by July 31.", "My tax number starts with 21.")),
    ("Cat", ("I have two cats.", "Our cat Miezi needs her pills every morning.")),
    ("Bank", ("I decided to leave the Sparkasse.", "Our rent is 1150 euros.")),
    ("Therapy", ("I see my therapist every Tuesday.", "I prefer not to talk about my father.")),
    ("Reading", ("I love crime novels.", "My favourite author is Tana French.")),
    ("Piano", ("I play the piano.", "I decided to take lessons with Mr Sommer.")),
    ("Spanish", ("I speak German.", "I want to learn Spanish by the summer.")),
    ("Wedding", ("We're getting married in September.", "We chose the Elbhof for the party.")),
    ("Car", ("I drive an old Volvo.", "We decided to sell the car in autumn.")),
    ("Insomnia", ("I always go to bed at ten.", "Don't suggest melatonin to me.")),
    ("Coffee machine", ("I bought the Gaggia Classic.", "I prefer dark roasts.")),
    ("Photos", ("I prefer black and white photos.", "Always back up the photos to the blue disk.")),
    ("Mother", ("My mother lives in Husum.", "Call my mother every Sunday.")),
    ("Kindergarten", ("Jonte starts kindergarten in August.", "My son's name is Jonte.")),
    ("Answers", ("Keep your answers short.", "Always answer me in German.")),
    ("The shop round the corner", ("Our shop closes at six.", "The shop is called Krabbe.")),
    ("Code of the door", ("The code of the front door is on the fridge.",)),
)

CODING: dict[str, tuple[str, ...]] = {
    "krabbenkorb": (
        "We decided to use Postgres instead of SQLite because two writers need it.",
        "I prefer small commits with one topic each.",
        "Always run the tests before you commit.",
        "The staging server listens on port 8088.",
        "Keep your answers short.",
    ),
    "till": ("We decided to write the till in Rust.", "Never push to main without asking me."),
}

ASIDES: dict[str, tuple[str, ...]] = {
    "krabbenkorb": (
        "I prefer oat milk in my coffee.",
        "My partner's name is Arne.",
        "I'm allergic to penicillin.",
        "Always remind me to call my grandmother on Sundays.",
    ),
    "till": ("I never work on Saturdays because of my son.", "I prefer trains to planes."),
}


def said_privately() -> list[str]:
    """Every statement of the export."""
    return [line for _, lines in PRIVATE for line in lines]


def write_export(path: Path) -> Path:
    """The conversations as `conversations.json`, one a week."""
    path.parent.mkdir(parents=True, exist_ok=True)
    begin = datetime(2025, 11, 3, 18, tzinfo=UTC)
    talks = [
        _conversation(number, title, lines, begin + timedelta(days=9 * number))
        for number, (title, lines) in enumerate(PRIVATE)
    ]
    path.write_text(json.dumps(talks), encoding="utf-8")
    return path


def _conversation(
    number: int, title: str, lines: tuple[str, ...], time: datetime
) -> dict[str, object]:
    nodes: dict[str, dict[str, object]] = {}
    above = None
    said = [turn for line in lines for turn in (("user", line), ("assistant", "Noted."))]
    for place, (role, text) in enumerate(said):
        name = f"{number}-{place}"
        nodes[name] = {
            "id": name, "parent": above, "children": [f"{number}-{place + 1}"],
            "message": {
                "id": name, "author": {"role": role}, "create_time": time.timestamp() + 60 * place,
                "content": {"content_type": "text", "parts": [text]},
            },
        }  # fmt: skip
        above = name
    nodes[str(above)]["children"] = []
    return {
        "id": f"c{number}", "conversation_id": f"c{number}", "title": title,
        "create_time": time.timestamp(), "current_node": above, "mapping": nodes,
    }  # fmt: skip


def write_sessions(folder: Path, roots: Path, *, asides: bool = True) -> Path:
    """The sessions as Claude Code writes them, one a project, below `folder`."""
    for project, lines in CODING.items():
        said = [*lines, *(ASIDES[project] if asides else ())]
        cwd = roots / project
        home = folder / str(cwd).replace("/", "-")
        home.mkdir(parents=True, exist_ok=True)
        records = [
            {
                "type": "user", "uuid": f"{project}-{number}", "sessionId": f"{project}-1",
                "timestamp": f"2026-03-{number + 2:02d}T09:00:00Z", "cwd": str(cwd),
                "message": {"role": "user", "content": line},
            }
            for number, line in enumerate(said)
        ]  # fmt: skip
        text = "".join(json.dumps(record) + "\n" for record in records)
        (home / f"{project}.jsonl").write_text(text, encoding="utf-8")
    return folder
