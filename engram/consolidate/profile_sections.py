"""Memory -> the section of the profile that it belongs in, or none.

The page says who the person is, who their people are, what they prefer, and which rules always
hold; of what holds in one project the rules, under its name. Of facts it has the person's own, of
corrections those that are rules, and of people what a relation states or what one must know of
them: an allergy, a birthday. How something is done, what was decided, planned, promised or went
wrong is on no profile, nor what a session holds, or others said. English for people; pure.
"""

from __future__ import annotations

import re

from engram.language.proper_names import proper_names
from engram.model.memory import Memory
from engram.model.page_lines import one_line

ABOUT, PEOPLE, PREFERENCES, RULES = "About the user", "People", "Preferences", "Standing rules"
#: the sections in the order of the page
SECTIONS = (ABOUT, PEOPLE, PREFERENCES, RULES)
#: what older pages call a section: where one of these stands, it is continued
FORMER = {RULES: ("Principles", "Corrections")}
#: sections that older pages have, and all of them
GONE = ("Skills", "Corrections")
KNOWN = frozenset([*SECTIONS, *GONE, *(name for names in FORMER.values() for name in names)])
#: how the heading of a project's rules begins
OF_PROJECT = "Project "
#: categories of which some memories are, or were, lines of the page
CATEGORIES = ("preference", "principle", "correction", "skill", "fact", "relationship")
#: a correction that says what is always to be done
_STANDS = re.compile(
    r"\b(?:always|never|from now on|every|each|any more|anymore|instead of|at all)\b"
    r"|^(?:correction: )?(?:please )?(?:don't|do not|no|use|keep|avoid|stop|write|call|answer)\b",
    re.IGNORECASE,
)
#: how a statement begins that is about somebody of the user's
_OURS = re.compile(r"(?:the user's|our|my) ", re.IGNORECASE)
#: what one must know of a person
_MUST_KNOW = re.compile(
    r"\b(?:allerg(?:ic|y|ies)|intoleran(?:t|ce)|birthday|was born|turn(?:s|ed) \d+|vegetarian|vegan"
    r"|diabetic|coeliac|celiac|pregnant|(?:can't|cannot|must not|doesn't|does not) (?:eat|have)"
    r"|epipen|asthma|epilep\w+)\b",
    re.IGNORECASE,
)


def section_of(memory: Memory) -> str:
    """The heading that a memory stands under, '' for one that is not on the page."""
    if not memory.of_owner or memory.sensitivity == "secret" or memory.space == "session":
        return ""
    if memory.category in ("preference", "principle"):
        return _project(memory) or (PREFERENCES if memory.category == "preference" else RULES)
    if memory.category == "correction":
        rule = _STANDS.search(memory.text) is not None
        return (_project(memory) or RULES) if rule else _own(memory)
    if memory.category in ("fact", "relationship") and _is_of_people(memory):
        return PEOPLE
    return _own(memory) if memory.category == "fact" else ""


def _project(memory: Memory) -> str:
    """The heading of the project that a memory holds in alone."""
    within = memory.space == "project" and memory.project
    return f"{OF_PROJECT}{one_line(memory.project)}" if within else ""


def _own(memory: Memory) -> str:
    """The heading of what the person says of themselves."""
    return ABOUT if memory.space == "user" else ""


def _is_of_people(memory: Memory) -> bool:
    """Whether a memory says who somebody is, or what one must know of them."""
    names = [one for one in proper_names(memory.text) if one.type == "person" or one.role]
    told = memory.text.removeprefix("Correction: ")
    begins = _OURS.match(told) is not None or any(told.startswith(one.name) for one in names)
    stated = begins and any(one.role for one in names)
    related = memory.category == "relationship" or stated
    return bool(names) and (related or _MUST_KNOW.search(memory.text) is not None)
