"""Whether a statement stands alone and lasts: a candidate -> '' or the code of what it lacks.

    "Let's do length only."  -> `request`: an order for now, in no general words
    "I meant the other one." -> `repair`

    dangling   leans on something said before, or on what only a screen shows
    question   asks, or asks to be told that it is right
    request    tells the agent what to do now, without a word of generality
    passing    holds for the moment, by its own words
    repair     puts an order right that was misunderstood
    cut        is no whole statement
    working    tells of progress, or of a state of this run; what an agent did is more than that
               where a model's statement of it tells a reason or a result

A statement that the person made in another session too (`said_again`) is no mere request. For rules
and models alike; what the person asked to remember does not come here. Pure. Of another language
than English only what asks, what is cut, and what begins with a pronoun of German or Chinese is
told. Source: seed 000 (working memory is never persisted, one testable fact).
"""

from __future__ import annotations

import re
from functools import lru_cache

from engram.language.any_case import AnyCase
from engram.language.changes import kept_of, takes_back
from engram.language.english import is_english
from engram.language.own_statements import ORDERS
from engram.language.scripts import dense_characters
from engram.language.wording import terms_of
from engram.model.candidate import Candidate
from engram.model.memory import PARTICIPANT

DANGLING, QUESTION, REQUEST, PASSING = "dangling", "question", "request", "passing"
REPAIR, CUT, WORKING = "repair", "cut", "working"


def bearing(candidate: Candidate, said_again: bool = False) -> str:
    """The first code that applies, or ''."""
    text, quote = _plain(candidate.text), _plain(candidate.receipt.quote)
    sentence = _plain(candidate.sentence) or quote
    if not is_english(f"{text} {sentence}"):
        return _of_another_language(text)
    if _is_question(candidate, text, quote, sentence):
        return QUESTION
    if _REPAIRS.search(text if candidate.origin == "model" else quote):
        return REPAIR
    if _is_cut(candidate, text):
        return CUT
    if _is_dangling(candidate, text):
        return DANGLING
    found_out = candidate.origin == "model" and candidate.voice == "agent"
    if _passes(candidate, text, quote):
        return PASSING
    if found_out and _reports(text, quote):
        return WORKING
    # what another person has finished is no progress of the agent's work
    of_run = candidate.category != "correction" and PARTICIPANT not in dict(candidate.fields)
    if of_run and not found_out and _is_working(candidate, text, quote):
        return WORKING
    if not said_again and _is_request(candidate, text, quote):
        return REQUEST
    return ""


@lru_cache(maxsize=16)
def _plain(text: str) -> str:
    """One line, apostrophes plain, without what only opens it."""
    line = " ".join(text.split()).replace("’", "'")
    return _OPENS.without(line) or line


_OPENS = AnyCase(r"(?:(?:ha(?:ha)*|lol|wow|ok(?:ay)?|so|well|hm+|oh|ah|yeah|yes|yep|cool)[,!.]* )+")


# -- other languages ------------------------------------------------------------------------------

_POINTS_BACK = re.compile(
    r"(?:er|sie|ihn|ihm|ihr|dies|dieser|dieses|es(?! gibt\b)"
    r"|das(?= (?:ist|sind|war|wird|hat|geht|läuft|muss|soll|kann|macht)\b))\b"
    r"|[他她它](?!人)|[这那](?:是|个(?!项目|应用|团队|公司|月|星期|周末))",
    re.IGNORECASE,
)


def _of_another_language(text: str) -> str:
    if text.endswith(("?", "？")):
        return QUESTION
    if _is_open(text):
        return CUT
    return DANGLING if _POINTS_BACK.match(text) else ""


# -- question -------------------------------------------------------------------------------------

_ASKED = AnyCase(
    r"\?[\"')\]*\s]*$",
    r", ?(?:right|correct|no|yes|ok(?:ay)?)[?.!]*$",
    r",? (?:or not|isn'?t it|don'?t (?:we|you|i)|is that (?:right|so"
    r"|correct)|am i right|what do you think|please confirm|or (?:am i|is it) .{2,40})[?.!]*$",
)
_ASKS = AnyCase(
    r"(?:^|[,;] (?:so |and |but |then )?)(?:can|could|would|will|should|shall|do|does|did|is|are)"
    r" (?:you|we|i|it|this|that|they|there|the|a|an|our|my)\b",
    r"^(?:what|why|how|where|which|who|when) (?:is|are|do|does|did|was|were|can|could|should|would"
    r"|about|if|happens?)\b",
)


#: A question behind a statement, of more words than a tag, is about something else.
_TAG_WORDS = 5
_WORDS = re.compile(r"\w+")


def _is_question(candidate: Candidate, text: str, quote: str, sentence: str) -> bool:
    if _ASKED.search(text) or _ASKS.search(text):
        return True
    if candidate.also:
        return False  # an agent asked it, and the person said yes
    if candidate.origin == "model":
        # "I have no Mac, can the tests cover Safari?": what it states is told before it asks
        told, _, asked = sentence.rpartition(",")
        if len(told.split()) > 2 and _ASKS.match(asked.strip()) and not _ASKS.search(told):
            return not terms_of(told) & terms_of(text)
    rest = sentence.partition(quote)[2]
    # what stands behind it is a sentence of its own to a model, which has read it
    most = _TAG_WORDS if candidate.origin != "model" else 0
    return len(_WORDS.findall(rest)) <= most and _ASKED.search(sentence) is not None


# -- repair ---------------------------------------------------------------------------------------

_REPAIRS = AnyCase(
    r"^(?:(?:no|sorry|typo|oh|ah|and|but|wait|actually),? )*(?:i|the user) (?:mean|meant"
    r"|was (?:talking|asking|referring)|am (?:talking|asking|referring)|didn'?t (?:mean|ask)"
    r"|asked (?:you )?(?:for|to))\b",
    r"^(?:no,? |sorry,? )*(?:not (?:that|this|the \w+) (?:one|but)|the other one|i wanted)\b",
)

# -- cut ------------------------------------------------------------------------------------------

_OPEN_END = AnyCase(
    r"\b(?:and|or|but|the|an?|of|in|than|because|which|if|(?<!\bit )is|are|without|into|from|by"
    r"|when you|(?:has|have|needs?|ought) to(?: be)?|such as|e\.g|i\.e)[.\"'`*]*$"
)
#: the end of a sentence that a model wrote, not of one that it cut
_STOPS = re.compile(r"(?:[^\W_]{2,}|[`)\"'%])[.!]$")
_OPEN_MARK = re.compile(r"(?:[,:(\[{，：、（]|…|\.\.\.)[.\"'`*]*$")
_PART = AnyCase(r"^(?:because|so that|which|whose|than)\b")
#: characters of a script without blanks that make a statement
_FEWEST = 4


#: a word before a bracket that nothing opens; no smiley and no "a)"
_UNOPENED = re.compile(r"\A[^(]*[^\W\d_]{2}\)")


def _is_cut(candidate: Candidate, text: str) -> bool:
    if _PART.match(text) or _is_open(text) or _UNOPENED.match(text):
        return True
    if candidate.origin == "model" and _STOPS.search(text):
        return False  # "... whatever its time is."
    return _OPEN_END.search(text) is not None


def _is_open(text: str) -> bool:
    """Whether it is one word, or ends with a mark after which something follows."""
    if len(text.strip(" .!").split()) < 2 and dense_characters(text) < _FEWEST:
        return True
    return _OPEN_MARK.search(text) is not None or not _is_balanced(text)


_BRACKET = re.compile(r"[()]")
#: a closing bracket that closes none: of a list's label, of a face
_LABEL = re.compile(r"(?:(?:^|[\s(])\w{1,2}|[:;]-?)\Z")


def _is_balanced(text: str) -> bool:
    """Whether each bracket has its other half, in this order."""
    depth = 0
    for mark in _BRACKET.finditer(text):
        if mark[0] == "(":
            depth += 1
        elif depth:
            depth -= 1
        elif not _LABEL.search(text, 0, mark.start()):
            return False
    return depth == 0


# -- dangling -------------------------------------------------------------------------------------

#: An "it" that stands for nothing: "it's fine to close early", "it doesn't matter who pays".
EMPTY_IT = AnyCase(
    r"it(?:(?:'s| is)(?: \w+){0,2} (?:important|essential|critical|crucial|fine|ok|okay|allowed"
    r"|forbidden|acceptable|necessary) (?:to|that|if|when)"
    r"|(?: doesn't| does not| won't)(?: really)? matter (?:if|whether|that|what|how|which))\b"
)
#: A pronoun for something said before. "this project" is known beside the memory, "this week"
#: stands with its date, and "IT" is a department.
_PRONOUN = AnyCase(
    r"^\W*(?:correction: |also |and |but |so )*(?!(?-i:IT)\b)"
    r"(?!th(?:is|ese) (?:repo(?:sitory)?|project|codebase|package|app|application|service|library"
    r"|site|website|vault|workspace|team|company|days|week|weekend|month|quarter|year|morning"
    r"|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)day|spring|summer|autumn|fall|winter)s?\b)"
    r"(?:he|she|it|they|this|that|these|those|his|her|hers|its|their|theirs|him|them|it's|that's"
    r"|there's|here|such)\b(?!-)"
)
#: A thing that only the conversation, or a screen, shows.
_SHOWN = AnyCase(
    r"\b(?:that|this|the (?:other|first|second|third|last|latter|former|above|below|following"
    r"|previous|next|new|old)) (?:one|ones|option|approach|version|way|case|part|step|point)\b",
    r"\bthe (?:first|second|third|last|other)(?: two| ones)?[.!]*$",
    r"\bthe (?:screenshot|attached|attachment|above|below|following)\b",
    r"\bthe (?:image|picture|latter|former)(?:[.,;!]|$"
    r"| (?:is|was|has|shows?|above|below|attached)\b)",
    r"\b(?:as|like) (?:above|below|shown|this|that|before|you (?:said|did|described|suggested))\b",
    r"\b(?:do|does|did|doing|done|using|use|like|want|need|prefer|keep|fix|remove|add|change|about"
    r"|for|with|from|in|to|of|on|than) (?:this|that|these|those)(?: any ?more| now| then| too"
    r"| i think)*[.,!]*$",
    r"^(?:all|both|each|some|none) of (?:this|that|these|those|them|it)\b",
    # "I'll add one tomorrow", where nothing before it is such a one
    r"^(?:(?!\b(?:an?|the(?! user\b)|each|every)\b)[^.;!?])*"
    r"\b(?:add|make|write|get|use|take|buy|need) one"
    r"(?= (?:on|today|tomorrow|now|later|soon|before|after|too)\b|[.,!]*$)",
    r"^(?:the user|i) (?:\w+ )?(?:likes?|loves?|prefers?) (?:the|that|this|your) (?:[\w-]+ ){0,2}?"
    r"(?:idea|answer|example|suggestion|approach|design|version|look|plan|layout|style|result"
    r"|output|change)s?\b",
    r"^[^.!?;]*\b(?:fixed|solved|resolved|cured) (?:it|this|that)[.!]*$",
    r"^(?:the|a) (?:fix|problem|issue|bug|error|reason|cause|root cause|solution|culprit|trick)"
    r" (?:is|was)\b(?! to (?:use|set|pass|add|run|install|pin) )",
    r"\b(?:the )?(?:option|approach|choice|variant) (?:\d|[a-e])\b(?!:| \(|, (?-i:[A-Z]))",
)


#: "This is a shop built with Nuxt" is about the project that stands beside it.
THIS_PROJECT = AnyCase(
    r"^(?:this|it)(?:'s| is) (?:an?|my|our|the) (?:[\w.+#'-]+ ){0,5}?(?:projects?|app|application"
    r"|repo|repository|codebase|package|library|website|site|game|tool|service|module|plugin"
    r"|extension|bot|api|server|webserver|system|prototype|dashboard|cli|framework|firmware|shop"
    r"|blog|monorepo)\b",
    # "This will only ever be a demo", "This is to support an exhibition"
    r"^(?:this|it)(?:'s| is| will| was)(?: (?:not|only|just|ever|always|never|be|really))*"
    r" (?:(?:an?|my|our|the|for|part of|meant|intended|to be|as|to support|to replace"
    r"|to show) )+(?:[\w-]+ ){0,4}?"
    r"(?:poc|proof of concept|prototype|mvp|demo|experiment|exercise|assignment|assessment|hobby"
    r"|portfolio|exhibition|product|startup|side project|repo)\b",
)


#: A goal that names neither a thing nor a measure: "wants to get this finished", "goal is 2:10".
_BARE_GOAL = AnyCase(
    r"^(?:the user|i|we) (?:wants?|needs?|hopes?|plans?|intends?) to (?:[a-z]+ ){1,2}"
    r"(?:this|that|it)(?: (?:done|finished|right|working|ready|over|well|soon|first|now))?[.!]*$",
    r"^(?:the user's|my|our) (?:goal|target|aim) is (?:under|below|over|above|at least|about)?"
    r" ?\d[\d:.,]*[.!]*$",
)
#: "I'm covering her hours": a pronoun for a person that no noun of the statement stands for
_OF_SOMEBODY = re.compile(
    r"(?i:the user|we|i)(?i:'m|'re|'ve|'ll)?(?: (?!(?:the|an?|my|our|their|and)\b)[a-z]+){1,2}"
    r" (?:her|his|him)\b"
)


#: "I'll add one tomorrow": of what kind, only the sentence before it tells
_ONE_OF_THEM = AnyCase(
    r"^(?:the user|i|we)(?:'ll| will|'m going to| am going to| is going to|'re going to)"
    r" (?:\w+ ){0,2}(?:one|some|another(?: one)?|both)(?= (?:on|in|at|by|before|after"
    r"|for|to|when|once|tomorrow|today|tonight|soon|later|next|this|over|from|too)\b|[.,!]|$)"
)


#: words of a statement that names no more than it is about
_ONE_BREATH = 10


def _is_dangling(candidate: Candidate, text: str) -> bool:
    if candidate.project and THIS_PROJECT.match(text):
        return False
    if _PRONOUN.match(text) and not EMPTY_IT.match(text):
        return True
    if _BARE_GOAL.match(text) or _ONE_OF_THEM.match(text):
        return True
    # a model names in a long statement what its last words point to
    alone = candidate.origin != "model" or len(text.split()) <= _ONE_BREATH
    return bool(alone and _SHOWN.search(text)) or _OF_SOMEBODY.match(text) is not None


# -- passing --------------------------------------------------------------------------------------

_PASSING = AnyCase(
    r"^(?:wow|haha+|lol|ugh)\b|\b(?:loves?|likes?|hates?) (?:this|that) \w+[.!]*$",
    r"\bthis (?:morning|afternoon|evening)[.!]*$|\b(?:am|'m) (?:in a meeting|at lunch)\b",
    r"\bprefers? this (?:to|over)\b",
    r"\b(?:leave|back|gone|break|meeting|call|lunch)\b.{0,20}\bin (?:\w+) minutes\b",
    r"\b(?:right now|at the moment|for the moment|this time|just this once|(?:only )?this once"
    r"|just (?:now|today)|for today|in the meantime|for now at least|tonight"
    r"|(?:for|in|on|from|to) this (?:pr|pull request|branch|commit|task|run|session|change|exercise"
    r"|issue|ticket|step|iteration|round|conversation|chat|message|page|file|test|section"
    r"|function|part|one|case))\b",
)


def _passes(candidate: Candidate, text: str, quote: str) -> bool:
    """By the words quoted; by those of a model's statement, where it says that it lasts.

    "In this file" of an agent's words is named in the statement that a model makes of them.
    """
    if candidate.origin != "model" or candidate.appraisal.lasting < 0:
        return _PASSING.search(quote) is not None
    own = candidate.voice != "agent" and _PASSING.search(text) is not None
    return own or _NOW.search(quote) is not None


_NOW = AnyCase(
    r"\b(?:right now|at the moment|for the moment|just now|for today|in the meantime|tonight)\b"
)

# -- working --------------------------------------------------------------------------------------

_WORKING = AnyCase(
    # what was done, or is being done, just now
    r"^(?:the user|we|i)(?:'m| am|'re| are| is|'ve| has| have)? (?:just |already |now |also )*"
    r"(?:(?:going|about) to (?:test|try|run|check|look|go|do|see|push|merge|commit|start|restart)"
    r"|taking over|trying to(?! (?:build|make|create|develop|write|design) an?\b)"
    r"|looking (?:at|for)|testing|running|waiting|working on|seeing|getting"
    r"|pushed|merged|committed(?! to)|rebased|restarted|reverted|ran|tested|tried"
    r"|checked|looked|noticed|saw|see|opened|closed|pasted|attached|installed|downloaded|copied"
    r"|created|added|updated|fixed|changed|marked|reviewed|completed|finished|started"
    r"|think|guess|wonder)\b",
    r"^(?:there(?:'s| is| are) (?:[\w-]+ ){0,4}?(?:comments?|conflicts?|errors?|failures?"
    r"|changes?|warnings?)"
    r"|we have \w+ idle)\b",
    r"^\d+ of \d+ \w+ |^(?:the |my )?last (?:commit|run|build|push)\b",
    r"\b(?:out of context|context left|left off|picked? up where|idle (?:workers?|agents?))\b",
    r"\bstill (?:failing|broken|not working|red|missing|happening|getting|seeing)\b",
    r"^(?:everything|all (?:good|done)|(?:the |all )?tests?|(?:the )?(?:build|ci|pipeline|server))"
    r" (?:is|are|looks?|works?|pass(?:es|ed)?|fail(?:s|ed)?)(?: \w+){0,3}[.!]*$",
    r"\byou (?:just |already |also )*(?:\w{3,}ed|said|did|made|wrote|were|had|got|gave|put|broke"
    r"|forgot|missed)\b",
)


#: how an agent reports where its own work stands
_REPORTS = AnyCase(
    r"^(?:let me|(?:next|now|first)?,? ?i(?:'ll| will|'m going to)"
    r"|the agent(?! (?:recommend|suggest|propos)))\b"
    r"|^i(?:'ve| have)? (?:read|opened|committed|pushed|restarted)\b",
    r"\b(?:was|were) (?:opened|read|committed|pushed|restarted|rebased|renamed|reformatted)\b",
    r"^(?:all (?:of )?)?(?:the )?(?:\d+ )?(?:[\w-]+ )?tests? (?:of [\w ]+ )?(?:still |now )*"
    r"(?:pass|fail|succeed|are (?:green|red|passing|failing))",
    r"\b(?:pull request|branch|refactoring|migration|task|work|steps?|changes?|todo|ticket)"
    r" (?:[\w/.-]+ )?(?:of \d+ )?(?:is|are) (?:now |all )?(?:ready|completed?|done|finished)\b"
    r"|^steps? \d+ of \d+",
    r"\breports? no (?:more )?(?:errors?|warnings?|problems?)\b",
)
#: a result makes more of it: why it was so, or what it is good for
_RESULT = AnyCase(
    r"\b(?:because|since|so that|caused? by|due to|instead of|whereas|unless|fix(?:es|ed)|solved"
    r"|cured|made|takes?|took|keeps?|prevents?)\b"
)


def _reports(text: str, quote: str) -> bool:
    """Whether an agent only tells what it did, or where its work stands."""
    if _REPORTS.search(text) or _WORKING.search(text):
        return True
    told = _REPORTS.search(quote) or _WORKING.search(quote)
    return told is not None and not _RESULT.search(text)


#: what somebody does in a life as well as in a session
_LIVED = AnyCase(
    r"^the user (?:has |just |already )*(?:started|finished|completed|opened|closed|created|tried"
    r"|saw)\b"
)


def _is_working(candidate: Candidate, text: str, quote: str) -> bool:
    """By the words quoted; by those of a model's statement, where it says that it lasts."""
    if candidate.origin != "model" or candidate.appraisal.lasting < 0:
        return bool(_WORKING.search(text) or _WORKING.search(quote))
    return _WORKING.search(text) is not None and not _LIVED.match(text)


# -- request --------------------------------------------------------------------------------------

#: What makes an order, or a wish, one that stands.
_GENERAL = AnyCase(
    r"\b(?:always|never|ever|every|each|all|any(?:thing|one|where)?|no|none|nothing|only(?![.!]*$)"
    r"|must|from now on|(?:going|moving) forward|henceforth|in (?:the )?future|default"
    r"|in general|generally"
    r"|whenever|any ?time|at all times|unless|instead of|rather than|because|since|so that"
    r"|otherwise|no longer|any ?more|in this (?:repo|project|codebase)|across|everywhere|whole"
    r"|prefer|policy|convention|standard|rule|principle|before (?:\w+ing|we|any|every|each"
    r"|you (?:change|touch|write|edit|delete|commit|push|merge|deploy|start))"
    r"|after (?:\w+ing|any|every|each)|(?:when|if) (?:you|we|i|it|an?|the)|decided|agreed"
    r"|settled|(?:we|i) (?:don'?t|do not|won'?t) (?:need|use|want)|instead|guess|make up|invent"
    r"|words?|terms?|mvp|v\d|spelling|(?:is|are) enough|answers?|repl(?:y|ies)|responses?"
    r"|explanations?|commit messages?)\b"
    # "don't build a shop, build a catalogue"
    r"|^(?:don'?t|do not) (?P<verb>\w+) .+\b(?P=verb)\b"
)
_ORDER = AnyCase(
    # how much an answer is to hold
    r"^(?:the user|i) (?:do(?:es)? not|do(?:es)?n'?t) (?:need|want) (?:the|an?|your) (?:\w+ ){0,2}"
    r"(?:intro(?:duction)?|basics|background|theory|explanations?|details|summary|full|whole|part"
    r"|section|bit|lecture)\b",
    r"^(?:the user|i)(?:'d| would) like an? (?:[\w-]+ )?(?:summary|list|overview|review|report"
    r"|table|draft|explanation|example|update)\b",
    r"^(?:please |pls |just |also |then |and |now |ok |so |yeah |yes |no,? )*"
    r"(?:let'?s(?! (?:use|keep|go with|stick|adopt|switch|standardi[sz]e|settle))|let us|don'?t"
    r"|do not|make sure|be sure|ensure|try"
    r"|we (?:should|need to(?! (?:preserve|support)\b)|can(?! assume)|could|have to)"
    r"|you (?:should(?! know)|can(?! find)|need to|could|may|might|must|have to)"
    r"|(?:the user|i)(?:'d| would)? (?:want|like|need)s? (?:you|to (?:see|test|try|check|know|do"
    r"|run|get|go|start|look|understand|ask|talk|discuss|add|fix|change|update|remove|move)))\b",
)


def _is_request(candidate: Candidate, text: str, quote: str) -> bool:
    if candidate.also or candidate.category in ("commitment", "moment", "relationship"):
        return False  # with a second receipt the person takes up what the agent proposed
    if kept_of(text) and takes_back(candidate.sentence or quote):
        return False  # a change of mind, which ends what was decided
    asked: object = _ORDER.match(text) or _is_imperative(text)
    if candidate.origin == "rules" or candidate.appraisal.lasting < 0 or not _OURS.match(quote):
        # a model that takes what "we should" do for a thing that lasts has read what is around it
        asked = asked or _ORDER.match(quote)
    asked = asked or (_TO_BE_DONE.search(text) and _is_imperative(quote))
    return bool(asked) and not _GENERAL.search(_NO.without(text))


#: an answer, and no word of generality
_NO = AnyCase(r"^no,? (?=let'?s\b|i\b|we\b|you\b|just\b|do\b)")
_IMPERATIVE = AnyCase(
    r"^(?:please |pls |just |also |then |and |now )*(?:add|use|remove|delete|change|rename|move"
    r"|put|make|write|create|update|fix|keep(?= (?:it|this|that|these|those|them|both|going)\b)"
    r"|leave|set|run|show|hide|avoid|drop|replace|switch|include|exclude|check|follow|store|save"
    r"|start|skip|ignore|go(?! \d)|give|take|wait|align"
    r"|commit|push|merge|deploy|test|do|return|render|display|handle|support|implement)(?![\w-])"
)


_OURS = AnyCase(r"^(?:ok |so |yeah |yes |then |and |now )*(?:let'?s|let us|we)\b")
#: an order told of as a fact
_TO_BE_DONE = AnyCase(
    r"^[^.;]{1,80}? (?:is|are|has|have|needs?|ought|should|must)(?: to)? be \w+ed\b"
)
_ITS_OBJECT = frozenset(
    ["the", "a", "an", "my", "our", "your", "it", "this", "that", "all", "me", "us", "both",
     "these"]
)  # fmt: skip


def _is_imperative(text: str) -> bool:
    first, _, rest = text.partition(" ")
    ordered = first.casefold() in ORDERS and rest.split(" ", 1)[0].casefold() in _ITS_OBJECT
    return ordered or _IMPERATIVE.match(text) is not None
