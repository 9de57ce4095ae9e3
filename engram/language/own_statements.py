"""A turn's text -> the sentences that a person states in their own words, with their offsets.

    "ok we use pnpm here. can you fix the build?" -> "we use pnpm here." opened by "ok"

Left out: whatever is not the person's own words (`own_ranges`), questions (with or without a
question mark), plain orders to the agent ("push it"), what only announces something ("Dana
wrote:"), and text that is not English. "Use uv, we dropped pip" is two statements.
Guarantees: `text[sentence.start:sentence.end]` is the sentence verbatim; linear in the length of
the text; never raises. When in doubt a sentence is left out: what is missed here a model may still
find, what is let through becomes a false memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engram.language.english import is_english
from engram.language.own_ranges import Range, own_ranges, quotations
from engram.language.session_orders import is_for_session, says_how_long
from engram.model.sentences import sentence_ranges

#: the languages that rules read
ENGLISH, GERMAN = "en", "de"


@dataclass(frozen=True, slots=True)
class Sentence:
    """`said` is the sentence on one line, apostrophes plain, without its opening words;
    `lead` is those words in lower case ("ok", "no, wait", "fyi"), empty when there are none.
    `language` is "en", or "de" (`german_statements`).
    """

    start: int
    end: int
    said: str
    lead: str = ""
    language: str = ENGLISH


def statements(text: str) -> list[Sentence]:
    """The person's own statements and standing instructions, in order."""
    own = own_ranges(text)
    if not own or not is_english(text):
        return []
    quoted = quotations(text)
    return [
        sentence
        for paragraph in own
        for whole in sentence_ranges(text, *paragraph)
        for clause in _clauses(text, *whole)
        if not any(first < clause[0] < last for first, last in quoted)
        and (sentence := _read(text, *clause)) is not None
    ]


#: Where a sentence goes on with a statement of its own.
_JOINT = re.compile(
    r"(?:,? (?:and|but|so)|,| -| —| –) (?!(?:we|i) (?:don['’]?t|do not|never|won['’]?t)"
    r" (?:need|use|want|have) (?:it|them|that|those|any)\b)"
    r"(?=(?:please )?(?:i|i['’]m|im|i['’]ve|i['’]ll|i['’]d|my|we"
    r"|we['’]re|we['’]ve|we['’]ll|our|don['’]?t"
    r"|(?:never|always) (?!(?:in|on|at|to|from|into)\b)\w+|let['’]?s|every|each|btw"
    r"|fyi|only (?:the|an?|our)"
    r"|the (?:team|client|customer|board|boss|management)|legal|everyone|everybody|nobody"
    r"|no one|they|please|pls|(?-i:[A-Z])[\w-]+['’]s birthday)\b)",
    re.IGNORECASE,
)
#: ... or a standing instruction with another one.
_STANDS = re.compile(
    r"\s*(?:please |pls |also )?(?:don['’]?t|do not|never|always|use|no|avoid|stop|keep)\b", re.I
)
_NEXT_ORDER = re.compile(
    r"(?:, (?:and )?| and )(?=(?:keep|use|put|write|make|add|run|just|fix)\b)", re.IGNORECASE
)
#: ... or with a question about it.
_ASKING = re.compile(
    r"(?:[,;]|[ .]--?| —) (?:so |and |but |then )?(?:can|could|would|will|should|do|does|did|is|are"
    r"|how|what|why|where|which|any)\b[^?]*\?|(?<=[\w)`]) (?:can|could|would|will) you\b[^?]*\?",
    re.IGNORECASE,
)
#: First parts on which the second hangs.
_HANGING = re.compile(
    r"\s*(?:(?:so|and|but|ok|also) )?(?:if|when|whenever|once|unless|until|while|although|though"
    r"|because|since|before|after|every time|each time|for|in|on|from now on|going forward"
    r"|by default|to|as)\b"
    r"|.*\b(?:maybe|perhaps|might|probably|possibly|imagine|suppose|guess|think|wonder|unsure"
    r"|if|because|whether|unless|says?|said|wrote|rule|policy|convention|principle|decision"
    r"|agreed|promised|told|thumb|remember|note|reminder|wrong|not (?:right|correct|true)|either"
    r"|change|rename|add|write|text|replace|set)\b",
    re.IGNORECASE,
)
#: Nobody can say what such a sentence joins.
_TOO_LONG_TO_SPLIT = 1000


def _clauses(text: str, start: int, end: int) -> Iterator[Range]:
    """The range of a sentence, or of its statements when each says something of its own."""
    asking = _ASKING.search(text, start, end)
    if asking and text[start:end].rstrip("\"')]* ").endswith("?"):
        end = asking.start()
    at = start
    for joint in _joints(text, start, end):
        left = text[at : joint.start()]
        if (
            joint.start() < at
            or len(left.split()) < (2 if _STANDS.match(left) else 3)
            or left.count("`") % 2
            or left.count("(") > left.count(")")
            or says_how_long(left)
            or says_how_long(text[joint.end() : end])
            or (_HANGING.match(left) and not _QUESTION.match(left.lstrip()))
            or _names_two(left, text[joint.start() : joint.end() + 1])
        ):
            continue
        yield at, joint.start()
        at = joint.end()
    yield at, end


def _joints(text: str, start: int, end: int) -> list[re.Match[str]]:
    if end - start > _TOO_LONG_TO_SPLIT:
        return []
    joints = list(_JOINT.finditer(text, start, end))
    if _STANDS.match(text, start):
        joints += _NEXT_ORDER.finditer(text, start, end)
    return sorted(joints, key=re.Match.start)


_STATES = re.compile(
    r"(?:'m|'s|\b(?:is|am|are|was|were|have|has|use|uses|work|works|live|lives|prefer|like|need"
    r"|want|run|called))\b",
    re.IGNORECASE,
)


def _names_two(left: str, joint: str) -> bool:
    """Whether "... and I" joins two people, not two statements: `Toby and I`, `my wife and I`."""
    if joint.casefold() not in (" and i", ", and i", " and m") or _STATES.search(left):
        return False
    before = left.split()[-2:]
    return before[-1][0].isupper() or before[0].casefold() in ("my", "our", "the")


#: Words that open a sentence without saying anything; some of them tell how it is meant.
_LEAD_WORDS = (
    r"(?:[\w'-]+ ){0,3}(?:things?|notes?|points?|reminders?|constraints?|requirements?|preferences?"
    r"|details?|caveats?|fix|correction|instructions?"
    r"|(?:standing|house|general) (?:orders?|rules?))(?: [\w ,'-]{2,40})?(?=:)",
    r"i (?:honestly|truly|strongly|firmly|really) (?:feel|think|believe)(?: that)?",
    r"ok|okay|k|so(?! far\b)|and|but|also|oh and|and also|btw|by the way|ah+|oh+|hm+|ugh|well"
    r"|anyway|then",
    r"yea|yeah|yep|yes|yup|alright|right|sure|exactly|correct|agreed(?! (?:with|on|that|to|by"
    r"|in)\b)|understood|got it|fair enough",
    r"cool|great|perfect|nice|good|awesome|sounds good|makes sense|lol|ha(?:ha)*|no worries",
    r"good (?:point|catch|job|idea|news)|(?:great|nice) (?:work|job|one|news)|hurray|yay|woo+t?",
    r"woo+hoo+",
    r"thanks|thank you|thx|hey(?: there)?|hi(?: there)?|hello|good (?:morning|afternoon|evening)",
    r"basically|honestly|tbh|imo|plus|additionally|again|in fact|however|therefore|lastly|in short"
    r"|(?:currently|now|first(?:ly)?|secondly|finally|in general|overall)(?=,)|guess what"
    r"|(?:big )?news(?=:)",
    r"(?:scratch|strike|forget) (?:that|it|what i said)|i was wrong|correcting myself|typo(?=[:,])",
    r"(?:wrong|bad) assumption|not true|(?:ah|oh) no|my fault|i misspoke|edit(?=:)|tl;?dr(?=[:,])",
    r"let me correct (?:that|myself)|(?:as )?i(?:'ve)? (?:already )?told you(?: \w+)?(?=[:,])",
    r"let's settle (?:this|it)(?=:)|from an? [\w -]{3,30} (?:perspective|point of view)",
    r"one (?:(?:more|other) )?thing|another thing|first of all|for starters|(?:like|as) i said",
    r"(?:just )?to be clear|to clarify|just so (?:you know|we're clear)|as you know|heads ?up|fwiw",
    r"psa|ps|p\.s\.",
    r"for (?:the (?:record|future)|context|reference|background|next time|your information"
    r"|future reference|what it's worth)",
    r"(?:just )?(?:an? )?(?:quick )?(?:note|reminder|update|context)(?=[:,])",
    r"(?:just )?(?:an? )?(?:quick )?fyi",
    r"(?:some )?(?:background|context|info)(?: [\w ,']{2,40})?(?=:)|reminder that|note to self",
    r"new rule(?=:)|solved(?=:)",
    r"(?:please )?(?:also )?note that",
    r"(?:please )?(?:also )?remember(?: that|(?=:)|(?= (?:we|i|my|our|the)\b))",
    r"(?:please )?(?:also )?(?:remember|save|store|note|write down)(?: (?:this|that|it))?"
    r"(?: (?:to|in) (?:your |the )?memory)?(?=:)",
    r"(?:please )?(?:also )?(?:keep|bear) in mind(?: that|(?=[:,])|(?= (?:we|i|my|our|the)\b))",
    r"(?:very |super )?important(?: note)?(?=[:,!])|confession(?=[:,])",
    r"(?:a )?(?:small |quick |minor )?correction(?=[:,])",
    r"i(?: just)? want(?:ed)? (?:you to (?:know|remember|note)|to (?:note|mention|add|point out))"
    r"(?: that)?",
    r"(?:you should know|i should (?:mention|add|note))(?: that)?",
    r"(?:i think |it'?s |it is |also |just )*worth(?:while)? (?:noting|knowing|mentioning)"
    r"(?: that)?",
    r"wait|hold on|sorry|my bad|my mistake|oops|actually|not quite|wrong|incorrect|decision made",
    r"figured it out|found it|nope|nah|careful",
    r"(?:we|i) talked (?:it|this|that) (?:over|through)(?=[,:;]| and (?:we|i)\b)|after (?:a lot"
    r"|hours|days|lots) of [\w -]{3,20}(?=[,:])",
    r"confirming that|i agree(?=,)|for example(?=,)|though(?=,)",
    r"(?:it'?s )?(?:also )?important to (?:note|know|remember)(?: that)?",
    r"(?:i|we)(?:'ve| have)? (?:changed (?:my|our) minds?(?: on [\w -]{2,30})?|mixed (?:that|it"
    r"|this"
    r"|them|those) up)(?=[,:;.])|forget what i said(?: about [\w -]{2,30})?(?=[,:;.])",
    r"no(?= ?[,.!:;—–-]|$"
    r"| (?:no|actually|wait|its?|it's|that'?s?|this|the|we|i|sorry|our|my)\b)",
    r"now(?= (?:we|i|our|the)\b)",
)  # fmt: skip
_LEAD = re.compile(rf"(?:(?:{'|'.join(_LEAD_WORDS)})(?!\w|'|-\w)[\s,.!:;—–-]*)+", re.IGNORECASE)

_PEOPLE = r"(?:you|u|we|i|they|these|those)"
_ANYTHING = rf"(?:{_PEOPLE}|it|that|this|there|he|she|someone|anyone|all|an?|any|my|our|the)"
_QUESTION = re.compile(
    rf"(?:(?:can|could|would|will|should|shall|may|has)(?:n't|'t|nt)? {_ANYTHING}\b"
    rf"|(?:do|have|had)(?:n't|nt)? {_PEOPLE}\b"
    r"|(?:does|did|is|are|was|were)(?:n't|nt)? \w|am i\b|why\b|whose\b|whom\b|what'?s\b"
    r"|how (?:do|does|did|is|are|was|were|can|could|should|would|will|come|about|much|many|long"
    r"|often|hard|big|have|has|might|to(?!\b.*: ))\b"
    r"|what (?:is|are|was|were|do|does|did|if|about|happens|happened|kind|types?|would|should|could"
    r"|can|will|else|has|have|the|other|version|color|name|time)\b"
    r"|(?:where|when)(?:'s| is| are| was| were| do| does| did| will| can| should| would)\b"
    r"|which (?:\w+ )?(?:is|are|do|does|did|has|one|should|would|of)\b"
    r"|who(?:'s| is| are| was| do| does| did| has| can| should| owns| wrote| maintains)\b"
    r"|any (?:ideas?|chance|thoughts|reason|way|suggestions?|luck)\b|thoughts\b|ideas\b"
    r"|wondering\b|i(?:'m| am|'m just| was)? ?wonder|you know (?:if|how|what|why|where)\b"
    r"|tell me\b|explain\b(?! (?:things|everything|stuff|your)\b))",
    re.IGNORECASE,
)

#: What makes an order one that stands.
_STANDING = re.compile(
    r"\b(?:always|never|ever|only|exclusively|from now on|(?:going|moving) forward|henceforth"
    r"|in (?:the )?future|every|each|whenever|by default|instead of|rather than|over|in general"
    r"|at all times|any ?time"
    r"|before you (?:change|touch|write|edit|delete|commit|push)|all (?:new|code|my|our|your)|your"
    r"|my|unless|not|answers?|repl(?:y|ies)|responses?"
    r"|explanations?|commit messages?|commits|emojis?|british|american|metric|conventional"
    r"|because|(?:we|i) (?:don['’]?t|do not|won['’]?t|never) (?:need|use|want|have))\b",
    re.IGNORECASE,
)
#: Verbs that people give orders with.
ORDERS = frozenset(
    ["abort", "add", "address", "adjust", "analyse", "analyze", "append", "apply", "approve",
     "archive", "assign", "attach", "begin", "bring", "build", "bump", "call", "cancel",
     "change", "check", "checkout", "clean", "cleanup", "clear", "clone", "close", "comment",
     "commit", "compare", "compile", "complete", "configure", "confirm", "connect", "consider",
     "continue", "convert", "copy", "correct", "create", "cut", "debug", "define", "delete",
     "deploy", "describe", "design", "diff", "disable", "discard", "dive", "do", "document",
     "double", "download", "draft", "draw", "drop", "dump", "edit", "enable", "ensure", "evaluate",
     "execute", "expand", "explore", "export", "expose", "extend", "extract", "fetch", "figure",
     "fill", "filter", "find", "finish", "fix", "focus", "follow", "generate", "get", "give", "go",
     "grab", "handle", "help", "hide", "ignore", "implement", "import", "improve",
     "include", "increase", "inline", "insert", "inspect", "install", "integrate", "investigate",
     "kill", "leave", "link", "lint", "list", "load", "log", "look", "lower", "make", "mark",
     "merge", "migrate", "modify", "move", "name", "open", "optimise", "optimize", "output",
     "pass", "paste", "pick", "plan", "play", "point", "polish", "prepare", "print", "proceed",
     "provide", "publish", "pull", "push", "put", "read", "rebase", "rebuild", "record", "redo",
     "reduce", "refactor", "refresh", "regenerate", "reload", "remove", "rename", "render",
     "reorder", "reorganize", "replace", "report", "reproduce", "request", "rerun", "research",
     "reset", "resolve", "restart", "restore", "resume", "return", "reuse", "revert", "review",
     "rewrite", "roll", "run", "save", "scan", "search", "see", "select", "send", "separate",
     "set", "setup", "ship", "show", "simplify", "skip", "solve", "sort", "split", "squash",
     "stage", "start", "stash", "store", "submit", "suggest", "summarise", "summarize", "support",
     "swap", "switch", "sync", "tag", "take", "test", "think", "tidy", "track", "translate",
     "trigger", "try", "turn", "tweak", "undo", "uninstall", "unstage", "update", "upgrade",
     "upload", "validate", "verify", "view", "wait", "walk", "wire", "work", "wrap"]
)  # fmt: skip
_POLITE = re.compile(
    r"(?:please|pls|plz|just|now|then|go ahead and|next|first|also|try to|make sure(?: that| to)?"
    r"|be sure to|ensure(?: that)?|let me|help me|i want you to|i need you to|i'd like you to"
    r"|i would like you to)\s+",
    re.IGNORECASE,
)


def _read(text: str, start: int, end: int) -> Sentence | None:
    """The sentence in a range, or None for a question, an order or nothing at all."""
    raw = text[start:end]
    stripped = raw.strip()
    start += len(raw) - len(raw.lstrip())
    asked = stripped.rstrip("\"')]*").endswith("?")
    if len(stripped) < 2 or asked or stripped[-1] == ":":
        return None
    line = _STRESSED.sub(r"\1", one_line(stripped))
    lead = _LEAD.match(line)
    said = line[lead.end() :] if lead else line
    opening = lead.group().strip(" ,.!:;—–-").casefold() if lead else ""
    if _QUESTION.match(said) or (_is_order(said) and "remember" not in opening):
        return None
    return Sentence(start, start + len(stripped), said, opening)


_STRESSED = re.compile(r"\*\*([^*\n]{1,80})\*\*")


def one_line(text: str) -> str:
    """White space single, apostrophes plain."""
    return " ".join(text.split()).replace("’", "'").replace("ʼ", "'")


_KEPT_ORDERS = ("call me ", "go easy ", "go with ")


def _is_order(said: str) -> bool:
    """A plain order: a verb first, and nothing that makes it stand for more than this task."""
    polite = _POLITE.match(said)
    body = said[polite.end() :] if polite else said
    verb = body.split(" ", 1)[0].rstrip(",.!:").casefold()
    named = said.casefold().startswith(_KEPT_ORDERS) or body.casefold().startswith("call me ")
    lasts = named or _STANDING.search(said) or is_for_session(said)
    return verb in ORDERS and not lasts
