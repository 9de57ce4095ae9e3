"""A line of prose -> whether it hands a text over, to be read as another person's words.

    "what do you think of this mail"  hands over what stands below it
    "translate this: we use oak"      from the colon on
    "turn the above into a table"     what stands above it
    "our rules for this repo:"        introduces words of the person's own

Only how the line is worded counts, not what follows. Pure functions of one line.
"""

from __future__ import annotations

import re

#: What can only be a text that was put into the turn.
_PASTED = (
    r"(?:texts?|paragraphs?|sentences?|passages?|excerpts?|articles?|posts?|e-?mails?|mails?"
    r"|messages?|letters?|cover letters?|essays?|abstracts?|bios?|cvs?|resum[eé]s?|drafts?|tweets?"
    r"|threads?|reviews?|proposals?|clauses?|terms|minutes|transcripts?|conversations?|chats?"
    r"|stories|story|poems?|lyrics|speech|announcements?|quotes?|statements?|replies|wording"
    r"|grammar|spelling|typos?|punctuation|phrasing|tone|copy|gist|key points|main points"
    r"|takeaways?|document|report|paper|recipe|contract|ad|slogan|listing|notes|intros?)"
)
#: What may as well be a file that the agent has before it.
_TEXT = (
    rf"(?:{_PASTED}|readme|docs?|documentation|page|comments?|tickets?|issue|bug report|specs?|rfc"
    r"|adr|plan|policy|logs?|output|errors?|stack ?trace|trace|snippets?|code|function|config|yaml"
    r"|json|csv|licen[cs]e|diff|patch|changelog|release notes|descriptions?|prompts?|instructions"
    r"|claims?|answers?|response|section|list|table|file|results?|feedback|warnings?|listing"
    r"|example)"
)
_WORK = (
    r"(?:translat(?:e|ion)|summari[sz]e|summary|sum up|tl;?dr|proof-?read|rephrase"
    r"|(?:spell|spelling|grammar|style)[- ]?check"
    r"|reword|paraphrase|rewrite|re-write|polish|shorten|condense|critique|recap|transcribe"
    r"|simplify|fact[- ]?check|(?:continue|finish) the story|respond to|reply to"
    r"|(?:reply|answer|comeback) to"
    r"|übersetz\w*|fass\w* .{0,40}zusammen|korrigier\w*|tradui\w*|résum\w*|corrig\w*|traduc\w*"
    r"|traduz\w*|resum[ai]\w*|riassum\w*)"
)
#: Something that is known by its name, and was not pasted: "summarise the meeting".
_NAMED = (
    rf"(?! (?:the|an?|my|our|your|his|her|their)\b(?! (?:[\w'-]+ ){{0,3}}{_PASTED}\b)"
    r"| (?:all|every|each|any|what|when|how|where|both|everything|it|them|me|you|him|her)\b"
    r"|\.\w)"
)
_REQUEST = re.compile(
    rf"\b(?<![/.-]){_WORK}\b{_NAMED}"
    rf"|\b(?:fix|correct|check|improve|clean up|mind|edit)(?: up)? (?:the |my |our |any |its )?"
    rf"(?:[\w'-]+ )?{_PASTED}\b",
    re.IGNORECASE,
)
_AT_A_TEXT = re.compile(
    rf"\b(?:(?:this|these|the following) (?:[\w'-]+ ){{0,2}}?{_TEXT}|(?:that|those) {_PASTED}"
    rf"|{_TEXT} (?:below|attached))\b",
    re.IGNORECASE,
)
#: "this" alone, or before a word that says what is thought of it.
_BARE = re.compile(
    r"\b(?:this|these)(?=[.,;!?)]*$|[,;] | (?:to|into|in|as|for|with|please|pls|so|too|and|or"
    r"|is|was|sounds?|looks?|means?|makes?|says?|happens?|works?|reads?|more|less|better"
    r"|differently"
    r"|out|person|guy"
    r"|customer|client|user|colleague|sender|author)\b)"
    r"|\b(?:does|do|is|are|would|will|can|could|should|did|has) (?:this|these)\b(?! (?:repo|project"
    r"|app|service|package|module|branch|library|feature|bug|task|pr|folder|machine|job|server)\b)"
    r"|\bthe following\b(?! \w+: \S)|\b(?:here|below)[.?!]*$",
    re.IGNORECASE,
)
#: The subject of what somebody tells, and asks nobody.
_TELLS = re.compile(
    r"(?:(?:ok|so|and|but|no|yes|also|well|actually|hm+),? )*"
    r"(?:i|i'?m|i'?ve|we|we'?re|this|these|that|it|he|she|they|my|our)\b",
    re.IGNORECASE,
)
_HERE_IS = re.compile(
    r"(?:ok,? |so |and |but )?(?:here(?:['’]s| is| are|'re)|below (?:is|are)|see below"
    r"|(?:i )?(?:found|got|received|copied|pasted|pasting)\b|(?:from|via) [\w' ]{2,30}$|look:)",
    re.IGNORECASE,
)
_TELLING = (
    r"(?:says?|said|wrote|writes|thinks|claims|claimed|replied|answered|asks|asked|insists|posted"
    r"|(?:messaged|texted)(?: \w+)?|(?:told|sent) (?:me|us)|commented|states|reads|found|flagged"
    r"|prints|printed|reports|reported|complains|complained|logged|warns|warned)"
)
_SAYS_AT_END = re.compile(rf"\b{_TELLING}(?: that)?[,.:]?$", re.IGNORECASE)
_SAYS = re.compile(
    rf"\b(?<!\bi )(?<!\bwe )(?:{_TELLING}(?: this| that)?: |(?:docs|readme|wiki) says? (?=[A-Z]))"
    r"(?=\S)",
    re.IGNORECASE,
)
#: the same of pages in other languages
_SAYS_ELSEWHERE = re.compile(
    r"(?:\b(?:página|sitio|sito|pagina|seite|webseite|website|site|странице|сайте)\b|网页|网站)"
    r"[^.!?:：\n]{0,30}(?:\b(?:dice|decía|dizia|diz|scriveva|steht|stand|stond|staat|написано)\b|写着)"
    r"[^.!?:：\n]{0,40}[:：] ?(?=\S)",
    re.IGNORECASE,
)
#: Somebody else's text, as the person came by it.
_CAME_BY = re.compile(
    rf"\b(?:got|received|found|copied)\b.{{0,15}}\b(?:this|these|an?)\b.{{0,15}}\b{_TEXT}\b"
    rf"|\bhere(?:['’]s| is| are)\b.{{0,30}}\b{_PASTED}\b",
    re.IGNORECASE,
)
#: The same, before a colon.
_CITED = re.compile(
    rf"\b(?:according to|from)\b.{{0,30}}\b(?:{_TEXT}|wiki|guide)\b"
    rf"|\b{_TEXT}\b.{{0,20}}\breceived\b|\b(?:got|found|saw|read|copied) this\b",
    re.IGNORECASE,
)
_READING = re.compile(
    r"(?:(?:please|pls|can you|could you|now) )*(?:explain|improve|edit|review|judge|rate|grade"
    r"|mark|check|analy[sz]e|evaluate|assess|critique|format|read|look at"
    r"|(?:give (?:me )?)?feedback on|comment on)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"(?:^|\b(?:the|my|our|his|her|their|\w+['’]s) )(?:text|paragraph|article|post|e-?mail|mail"
    r"|message|letter|essay|abstract|bio|draft|tweet|proposal|quote|statement|readme|docs"
    r"|documentation"
    r"|page|input|prompt|transcript|speech|story|tweet idea)(?: of [\w ]+)?$",
    re.IGNORECASE,
)
_ASKS_WHAT_TO_SAY = re.compile(
    r"\bwhat (?:should|do|would|can|could) (?:i|we) (?:say|reply|answer|write|respond)\b"
    r"|\bis it true that$|\bwhat (?:does|did) the (?:author|writer|sender)\b"
    r"|\b(?:any|the|spot|find) (?:\w+ )?(?:mistakes?|typos?)\b"
    r"|^[\w./-]+\.(?:md|txt|html|pdf|docx?)$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?]) +")


def hands_over(line: str) -> bool:
    """Whether what stands below the line is handed over with it."""
    if _HEADING.fullmatch(line) or _SECTION.fullmatch(line):
        return False
    if line.endswith(":") or _HERE_IS.match(line) or _SAYS_AT_END.search(line):
        return True
    return any(_hands(sentence) for sentence in _SENTENCE.split(line))


def _hands(sentence: str) -> bool:
    if any(asked.search(sentence) for asked in (_REQUEST, _AT_A_TEXT, _ASKS_WHAT_TO_SAY)):
        return True
    if (reading := _READING.match(sentence)) and _ANY_TEXT.search(sentence, reading.end()):
        return True
    asks = sentence.endswith("?") or not _TELLS.match(sentence)
    return asks and _BARE.search(sentence) is not None


_ANY_TEXT = re.compile(rf"\b{_PASTED}\b", re.IGNORECASE)


def handed_at(line: str, *, last: bool) -> int:
    """Where somebody else's words begin within the line; -1 when it has none.

    Behind a colon; or in the last line of a turn, below which nothing stands that could be meant,
    behind the sentence that asks for something to be done with a text.
    """
    said = _SAYS.search(line)
    if said is None and (":" in line or "：" in line):
        said = _SAYS_ELSEWHERE.search(line)
    if said:
        return said.end()
    for colon in re.finditer(r": (?=\S)", line):
        before = _SENTENCE.split(line[: colon.start()])[-1]
        if _announces(before, len(_WRITTEN.findall(line, colon.end() - 1))):
            return colon.end()
    asked = _DASH.search(line)
    if asked and _REQUEST.match(line[: asked.start()]):
        return asked.end()
    if last:
        for end in _SENTENCE.finditer(line):
            before = _SENTENCE.split(line[: end.start()])[-1]
            if _asks_for_text(before):
                return end.end()
    return -1


#: With such a word the person introduces what they say themselves: "people you will hear about".
_SPOKEN_TO = re.compile(r"\b(?:you|i|we|me|us)\b", re.IGNORECASE)
#: Where a sentence in written style begins.
_WRITTEN = re.compile(r"(?<=[.!?:]) +[A-Z]")


def _announces(before: str, sentences: int) -> bool:
    """Whether a text, of so many sentences in written style, follows the words before a colon."""
    if _OWN_INTRODUCTION.search(before):
        return False
    if re.fullmatch(r"tl;?dr", before, re.IGNORECASE):
        return sentences > 1  # one is what the person has to say in short
    if sentences >= _TEXT_FROM and _SPOKEN_TO.search(before) is None:
        return True
    found = (one.search(before) for one in (_REQUEST, _CAME_BY, _CITED, _LABEL, _TURNED))
    if any(found) or _READING.match(before):
        return True
    return _AT_A_TEXT.search(before) is not None and not _TELLS.match(before)


def _asks_for_text(sentence: str) -> bool:
    """Whether a sentence is about a text that must stand behind it."""
    if _CAME_BY.search(sentence) or _NOTHING_ELSE.fullmatch(sentence):
        return True
    if sentence.endswith("?") and _CITED.search(sentence):
        return True
    if _REQUEST.search(sentence) or _READING.match(sentence):
        return _THIS_ONE.search(sentence) is not None
    return _THIS_TEXT.search(sentence) is not None and not _TELLS.match(sentence)


#: What stands between a request and the text: "rewrite as bullet points - ..."
_DASH = re.compile(r" [-–—]+ (?=\S)")
_TURNED = re.compile(
    r"\b(?:turn|convert|make|put|change) (?:this|these) (?:in)?to\b", re.IGNORECASE
)
#: A request that names no text: it can only be the one behind it.
_NOTHING_ELSE = re.compile(
    rf"(?:(?:please|pls) )?{_WORK}(?: (?:please|pls|it|this))?[.!]*", re.IGNORECASE
)
_THIS_TEXT = re.compile(
    rf"\b(?:this|these) (?:[\w'-]+ ){{0,1}}?(?:{_PASTED}|readme)\b", re.IGNORECASE
)
_THIS_ONE = re.compile(
    rf"{_THIS_TEXT.pattern}|\bthis (?:in|as|to|into|for|and)\b|\bthis[.?!]*$"
    r"|\b(?:in)?to (?-i:[A-Z])\w+[.?!]*$",
    re.IGNORECASE,
)


def asks_about_above(line: str, sentences: int) -> bool:
    """Whether the line, behind all else, asks for something to be done with what stands above.

    `sentences` stand above; a mere opinion of "this" is asked about a text of some length only.
    """
    if any(asked.search(line) for asked in (_REQUEST, _AT_A_TEXT, _ABOVE)):
        return True
    asks = _BARE.search(line) is not None or _OPINION.match(line) is not None
    return sentences >= _TEXT_FROM and line.endswith("?") and asks


_ABOVE = re.compile(r"\babove\b|^\^", re.IGNORECASE)
_OPINION = re.compile(r"(?:so )?(?:what do you think|thoughts)\b", re.IGNORECASE)
#: Fewer sentences are what a person tells before asking.
_TEXT_FROM = 3


_OWN_INTRODUCTION = re.compile(
    r"^(?:(?:quick|short|small) )?update$|"
    r"\b(?:i|we)(?:'ve| have)? (?:also )?(?:want|need|decided|agreed|prefer|like|use|always|never"
    r"|care about|settled|follow|have (?:some|a few|these|two|three|the following))\b"
    r"|\b(?:my|our) (?:own |team |coding |house |general )*(?:rules?|preferences?|conventions?"
    r"|decisions?|constraints?|requirements?|standards?|principles?|setup|stack|guidelines"
    r"|habits)\b"
    r"|\b(?:remember|keep in mind|bear in mind|from now on|note that|take note|about me)\b"
    r"|\banswer(?:s|ing|(?= your))\b|\brules? for (?:this|the|my|our|all|every|you)\b"
    r"|\bground rules\b"
    r"|\bstanding orders\b"
    r"|\b(?:two|three|few|some|several|more|other|these) (?:\w+ )?(?:things|points|reminders):$"
    r"|\b(?:you should|for you to) (?:know|remember)\b",
    re.IGNORECASE,
)
#: what asks for a space in which the words beside it are to hold (`promotion_hints`)
REMEMBER_THIS = (
    r"(?:remember|save) this (?:for|about) (?:me|everyone|(?:the|my|our) (?:project|system))"
)
_FOR_A_SPACE = re.compile(
    rf"\b(?:{REMEMBER_THIS}|(?:project|system) memory)(?:,? please)?:$",
    re.IGNORECASE,
)
#: Above the points of what a person asks for, with a colon or without.
_HEADING = re.compile(
    r"(?:# ?)?(?:the |my |our )?(?:(?:strict|hard|project|tech|technical|important|general|coding"
    r"|key|design|code|git|safety|style|test|testing|naming|security|workflow) )*(?:rules"
    r"|constraints|requirements|stack|important|preferences"
    r"|conventions|guidelines|principles|assumptions)(?: (?:note|rules))?:?",
    re.IGNORECASE,
)
_SECTION = re.compile(r"(?:goals?|tasks?|features?|project|background|steps):", re.IGNORECASE)
_OF_OTHERS = re.compile(
    rf"\b(?:from|by|found|got|received|copied|pasted|{_TELLING[3:-1]}|{_TEXT}|meeting|this)\b",
    re.IGNORECASE,
)


#: The same, as a sentence: "Some notes before we get started."
_POINTS = re.compile(
    r"(?:(?:ok|okay|so|but|and|also|just|here are|there are|i have),? )*(?:a few|some"
    r"|a couple(?: of)?"
    r"|two|three|several) (?:(?:more|other|quick|important) )?(?:notes|things|points|reminders"
    r"|remarks"
    r"|clarifications|corrections)(?: (?:before|for|about|on) [\w ]{2,30})?[.:]?",
    re.IGNORECASE,
)


def introduces_own(line: str) -> bool:
    """Whether the line opens a list of what the person says themselves."""
    if _HEADING.fullmatch(line) or _POINTS.fullmatch(_SENTENCE.split(line)[-1]):
        return True
    if _FOR_A_SPACE.search(line):
        return True
    if not line.endswith(":") or _OWN_INTRODUCTION.search(line) is None:
        return False
    about = re.sub(r"\bthis (?:repo(?:sitory)?|project|codebase|team|week)\b", "", line, flags=re.I)
    return _OF_OTHERS.search(re.sub(r"\banswer(?:s|ing)?\b", "", about, flags=re.I)) is None
