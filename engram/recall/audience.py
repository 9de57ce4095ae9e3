"""Audience of a memory: which agents it may be given to, if any.

    everyone   what the person said in a project, or told `remember`, about working with agents:
               a preference, a principle or a correction of the user space; what the person wrote
               into the space of the system
    project    what belongs to its project; an agent in that project's folder is given it
    person     all else: private life, personal exports (chats, notes), what has no project
    nobody     what the redactor would change: a secret that a person wrote into the file; and what
               git could not merge: two statements, of which nobody chose one

Pure: the redactor is handed in. What is not recognised as work is the person's: an agent that is
not told a preference asks once more, but what was sent to its provider cannot be taken back. A
catalog keeps what is decided here: when that changes for the same memory, raise its `SCHEMA`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from engram.model.authority import authority_rank
from engram.model.display import plain_line
from engram.model.memory import SESSION, Audience, Memory
from engram.model.sentences import sentences_of

if TYPE_CHECKING:
    from engram.model.turn import Turn

#: sources that are no agent's at work: exports of chats, notes, an assistant's saved memories
_PERSONAL = frozenset({"chatgpt", "claude-ai", "text", "markdown", "mem0", "mcp-memory"})
#: the source of what was asked to be remembered in so many words: it holds without a project, too
_TOLD = "remember"
_ABOUT_HOW = frozenset({"preference", "principle", "correction"})
_ABOUT_WHOM = frozenset({"fact", "relationship", "entity", "moment"})

#: Of programming, or of an agent's answers, and hardly of anything else.
_WORK = r"""`[^`]+` | \w\.(?:py|ts|js|json|toml|ya?ml)\b
    | \b(?:
        commits(?!\ to\b) | commit\ messages? | (?:pull|merge)\ requests? | squash\ merges?
      | code\ (?:reviews?|style) | (?:change|any)\ code | codebase | git
      | repo(?:s|sitory|sitories)? | refactor\w* | reformat\w* | push\ to\ main | delete\ files
      | docstrings? | type\ hints?
      | (?:unit|integration)\ tests | (?:failing|regression)\ tests? | pytest | test\ suites?
      | run(?:ning)?\ (?:the|all)\ tests | lint(?:ers?|ing) | formatters? | indentation
      | (?:early|nested)\ (?:ifs?|returns?) | (?:snake|kebab)[_-]case | camelCase | variables
      | tabs\ (?:over|to|and|instead\ of)\ spaces | variable\ names?
      | composition\ over\ inheritance | (?:long|small|pure|public)\ functions?
      | (?:add|new)\ (?:an?\ )?dependenc(?:y|ies)
      | SQL | API | markdown | emojis? | bullet\ points | explanations
      | your\ (?:answers|replies|responses)
      | (?:short|concise|brief|detailed|long|direct)\ (?:answers|replies|responses)
        (?!\ (?:from|about))
      | (?:answer|reply|respond)(?:\ to)?(?:\ me|\ the\ user)?\ in\ (?:plain\b|(?-i:[A-Z])\w+)
      | apologi[sz]e(?!\ to\b)
    )\b"""
#: Of programming where another one, or one of the next, comes with it.
_CORE = (
    r"\b((?<!area )(?<!door )(?<!dress )(?<!zip )code|commit(?!\w*,? (?:the user )?to\b)|config"
    r"|database|deploy|diff|merge|mock|module|script)(?:e?s|e?d|ted|ting|ing|ment|uration)?\b"
)
_BESIDE = (
    r"\b(?:branch(?:es)?|build|class(?:es)?|comments?|components?|docs|documentation|errors?|files?"
    r"|functions?|issues?|libraries|methods?|packages?|push|releases?|tests?)\b"
)
#: Two things of which one is preferred: tools may have names of other things, but not both.
_COMPARED = r"([\w+#.]+),? (?:over|to|instead of|rather than|and not|not|never) ([\w+#]+)"
_KIN_AND_HEALTH = r"""(?:mothers?|fathers?|mum|mom|dad|sons?|daughters?|kids|wife|husband|boyfriend
    |girlfriend|brothers?|sisters?|bab(?:y|ies)|grand(?:m|p|d|s|c)\w+|aunts?|uncles?|cousins?|in-laws?|weddings?
    |divorc\w+|birthdays?|pregnan\w+|religio\w+|doctors?|dentists?|therap\w+|allerg\w+|medication
    |medicine|smok\w+|pills?|illness|diabetes|vegan|vegetarian)"""
_EVERYDAY = r"""(?:partner|parents?|child(?:ren)?|kid|famil(?:y|ies)|friends?
    |neighbou?rs?|married|diet|yoga|gym|sleep|breakfast|lunch|dinner|meals?|food|eat(?:s|ing)?|cook\w*|drink\w*
    |coffee|recipes?|flights?|hotels?|holidays?|vacations?|bank|tax(?:es)?|salary|rent|landlord
    |insurance|home\ address|passport|wi-?fi|doors?|schools?|teachers?|church|letters?)"""
#: Of the person's own life, whatever else the sentence speaks of.
_PRIVATE = rf"\b(?:{_KIN_AND_HEALTH}|{_EVERYDAY})\b"
#: what begins an item of a list
_BULLET = re.compile(r"\A\s*(?:[-*+]|[0-9]{1,4}[.)])\s+(?:\[[ xX]\]\s+)?")
_OF_THE_PERSON = r"\A(?:the\ user|i|my)\b"
_PERSON = r"\b(?:the\ user|i|my|we|our)\b"
_KIN = rf"\b{_KIN_AND_HEALTH}\b"
#: what a person who works with agents says to have done
_DONE = r"\b(?:bugs?|releas(?:e|ed|ing)|servers?|services?|migrat(?:ed|ing|ion)|merged)\b"
#: what an agent says of the person's own
_TO_PERSON = rf"\byour\ (?:\w+\ )?(?:{_KIN_AND_HEALTH}|{_EVERYDAY})\b"
_OWN = rf"\b(?:the\ user's|my|their)\ (?:\w+\ )?{_EVERYDAY}\b"


def audience_of(memory: Memory, clean: Callable[[str], bool]) -> Audience:
    """To whom a memory may be given; `clean` tells whether the redactor would leave a text."""
    if memory.sensitivity == "secret" or not _free_of_secrets(memory, clean):
        return "nobody"
    if _is_unmerged(memory):
        return "nobody"
    kinds = source_kinds(memory.sources)
    if memory.space == "session" or (kinds and kinds <= _PERSONAL):
        return "person"
    if memory.space == "system":
        return "everyone"
    if memory.space == "project":
        return "project" if memory.project and not _is_private(memory) else "person"
    at_work = bool(memory.project) or not kinds or _TOLD in kinds
    if at_work and memory.category in _ABOUT_HOW and authority_rank(memory.authority) > 0:
        return "everyone" if is_about_work(memory.text) else "person"
    return "person"


def source_kinds(links: Iterable[str]) -> frozenset[str]:
    """The kinds of source that receipts point to: `claude-code-3f2a1c9d04be#^m3f` is of one."""
    return frozenset(link.partition("#")[0].rpartition("-")[0] for link in links)


def turn_audience(turn: Turn) -> Audience:
    """To whom what was said may be given: agents of its project, or nobody but the person.

    Each sentence counts; of secrets the redactor has freed it. What the person says of themselves
    has to name something of programming at least.
    """
    if turn.source in _PERSONAL or not turn.project:
        return "person"
    return "person" if any(map(_is_private_talk, sentences_of(turn.text))) else "project"


def _is_private_talk(sentence: str) -> bool:
    about_life = _tells_of_kin(sentence) or _found(_TO_PERSON, sentence)
    if about_life or not (_found(_OF_THE_PERSON, sentence) or _found(_KIN, sentence)):
        return about_life
    at_work = _found(rf"{_CORE}|{_BESIDE}|{_DONE}", sentence) and not _found(_PRIVATE, sentence)
    return not (at_work or _names_work(sentence))


def is_about_work(text: str) -> bool:
    """Whether a preference is about work with agents: code, commits, tests, names, answers."""
    return not _found(_PRIVATE, text) and _names_work(text)


def _names_work(text: str) -> bool:
    from engram.language.keywords import is_tool

    if _found(_WORK, text):
        return True
    if any(is_tool(one) and is_tool(other) for one, other in re.findall(_COMPARED, text)):
        return True
    core = {match[1].casefold() for match in re.finditer(_CORE, text, re.IGNORECASE)}
    return len(core) > 1 or (len(core) == 1 and _found(_BESIDE, text))


def _is_private(memory: Memory) -> bool:
    """Whether something said in a project is about the person's own life.

    Recipes or banks may be what a program is about, so that everyday words are not enough, and what
    the person decided, wants or has to do there is mostly about the program. The record of a
    session is given with its lists, each line of which counts.
    """
    if memory.schema != SESSION:
        return _tells_of_life(memory.text, memory)
    lines = (line for _, text in memory.sections for line in text.splitlines())
    told = (memory.text, memory.title, *(_BULLET.sub("", line) for line in lines))
    return any(_tells_of_life(text, memory) for text in told)


def _tells_of_life(text: str, memory: Memory) -> bool:
    if _tells_of_kin(text):
        return True
    of_person = _found(_OF_THE_PERSON, text)
    suspect = of_person and memory.category in _ABOUT_WHOM and memory.schema != SESSION
    if of_person or memory.category in _ABOUT_HOW:
        suspect = suspect or _found(_PRIVATE, text)
    return suspect and not _names_work(text)


def _tells_of_kin(text: str) -> bool:
    """Whether the person speaks of people, health and things of their own."""
    return _found(_PERSON, text) and (_found(_KIN, text) or _found(_OWN, text))


def _found(pattern: str, text: str) -> bool:
    # compiled when it is asked for: whoever imports this may have nothing to judge
    return re.search(pattern, text, re.VERBOSE | re.IGNORECASE) is not None


def _is_unmerged(memory: Memory) -> bool:
    # imported here: whoever imports this may have nothing to judge
    from engram.model.markdown import marked_by_git

    return any(map(marked_by_git, (memory.text, *(text for _, text in memory.sections))))


def _free_of_secrets(memory: Memory, clean: Callable[[str], bool]) -> bool:
    """Whether the redactor leaves all that may be shown, in the file's form and in the shown one.

    One line may be a secret where two are none, and so may what a control character had split.
    """
    said = (memory.text, memory.quote, memory.title, *(text for _, text in memory.sections))
    others = (
        *memory.aliases,
        *memory.tags,
        *memory.entities,
        *memory.related_files,
        *(value for _, value in memory.extra),
    )
    shown = (*said, *map(plain_line, said), *others)
    return clean("\n\0\n".join(dict.fromkeys(shown)))
