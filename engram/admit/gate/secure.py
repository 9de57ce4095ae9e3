"""The security checkpoint: text that steers an agent or tells a secret does not become a memory.

`tells_secret` is asked of a text that has passed the redactor: whether one was taken out of it, or
one is told in words that no rule knows. `injection` turns a text into '' or a stable code: someone
who writes *about* an injection (quotes it, calls it an attack) or tells what people and programs do
passes; someone who gives the order does not.
Hidden signs, full-width letters and line breaks inside an order do not hide it. English only.
Nothing here stores or returns the text. Source: seed 000 (memory security checkpoint), design 5.18.
"""

from __future__ import annotations

import re
import unicodedata

from engram.language.stated_secrets import states_secret

#: Curly quotation marks as straight ones.
_QUOTES = str.maketrans("‘’“”", "''\"\"")
#: Letters of the tag block, which no one sees, are read as the ASCII letters they stand for.
_TAGS = {0xE0000 + letter: letter for letter in range(0x20, 0x7F)}


def _any(*patterns: str) -> re.Pattern[str]:
    """One expression of several; a blank in them stands for any white space."""
    return re.compile("|".join(patterns).replace(" ", r"\s"), re.IGNORECASE)


# -- orders to drop what holds --------------------------------------------------------------------

_SOME = r"(?:(?:all|any|every|each|of|the|your|my|our|these|those|its|their) )*"
_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|existing|original|system|safety|former)"
    r"(?: and [a-z]+)?[ -]+"
)
#: What agents are steered by.
_STEERING = r"(?:instruction|prompt|directive|guideline|guidance|training)\w*"
#: What programs have as well: meant for an agent only when all of it, or the agent's own, is to go.
_RULES = r"(?:rule|message|context|command|constraint|order|polic|restriction|conversation)\w*"
_WHOLE = r"(?:(?:all|any|every|each|your)(?: of)?(?: the| your| my| our| these| those)? )"
_STANDING = (
    rf"(?:{_SOME}{_EARLIER}{_STEERING}|{_WHOLE}{_EARLIER}{_RULES}"
    rf"|{_SOME}(?:system|safety) (?:rule|message|polic|restriction|constraint)\w*"
    rf"|{_SOME}{_STEERING} (?:(?:given|written|stated) )?(?:above|before|earlier|so far))"
)
_TOLD = (
    r"(?:everything|anything|all|what)(?: that)?"
    r"(?: (?:you|i|we|they)(?: (?:were|was|have been|ha[ds]|have|been|are))?)?"
    r" (?:told|said|learned|above|before|so far)"
)
_OVERRIDE = _any(
    rf"\b(?:ignore|disregard|forget|override|overrule|bypass|pay no attention to)\b"
    rf"[^.!?]{{0,20}}?\b{_STANDING}",
    rf"\b(?:discard|drop|skip) {_WHOLE}{_EARLIER}{_STEERING}",
    rf"\b(?:do not|don't|never) (?:follow|obey|heed|adhere to) {_SOME}{_EARLIER}{_STEERING}",
    rf"\bstop (?:following|obeying|heeding|adhering to) {_SOME}{_EARLIER}(?:{_STEERING}|{_RULES})",
    rf"\b(?:ignore|disregard|forget) {_TOLD}\b",
    r"\b(?:ignore|disregard|forget) (?:previous|prior|earlier) (?:context|conversation|rules)\b",
    rf"\byou are (?:no longer|not) bound by {_SOME}(?:{_EARLIER})?(?:{_STEERING}|{_RULES})",
)

# -- another role ---------------------------------------------------------------------------------

#: Not a marker but words about one: "System prompt: see prompts/system.md", "[sys] is the prefix".
_NO_WORDS_ABOUT = (
    r"(?! ?(?:see|lives?|is|are|means?|marks?|wraps?|stored|kept|tags?|blocks?|prefix|none|tbd)\b"
    r"| ?[\w/-]+\.\w{2,4}\b)"
)
_ENDS = (
    r"(?= ?(?:[.,;:!?]|$|(?:that|who|with|without|which|and|called|named|whose|in|for|from|working"
    r"|trained|created|built|free)\b))"
)
_AGENT = r"(?:ai|assistant|bot|chatbot|model|language model|agent|hacker)"
_FREELY = (
    r"(?:without|no|free of|free from|ignoring|not bound by)\b[^.!?\n]{0,20}"
    r"\b(?:instruction|rule|restriction|guideline|filter|limit|constraint|polic|safeguard|ethic"
    r"|moral)\w*"
)
_SWITCH = r"\b(?:enter|enable|activate|switch (?:in)?to)"
_ROLE = _any(
    rf"\bnew (?:system )?(?:prompt|instructions?|directives?) ?:{_NO_WORDS_ABOUT}",
    r"<\|im_(?:start|end)\|>|</?system> ?<",
    r"(?:^|\n) ?(?:\[|<\|?|#+ ?|\{\{?) ?(?:system|sys|inst(?:ruction)?|im_start|assistant)"
    rf" ?(?:\||\]|>|:|\}}\}}?)(?= ?\S){_NO_WORDS_ABOUT}",
    rf"(?:^|[.!?\n] ?)(?:system|developer) (?:prompt|message|override) ?:{_NO_WORDS_ABOUT}",
    rf"\byou are now (?:(?:an?|the|my|our) )?(?:[\w-]+ ){{0,4}}?{_AGENT}{_ENDS}",
    r"\byou are now (?:dan|jailbroken|unrestricted|unfiltered|evil|free (?:of|from)"
    r"|in (?:developer|god|debug|admin|root|dan) mode)\b",
    rf"\b(?:act|behave|respond|answer|operate)(?: \w+)? (?:as|like) (?:an? |the |some)?"
    rf"(?:[\w-]+ ){{0,3}}?{_AGENT}\b[^.!?\n]{{0,40}}\b{_FREELY}",
    rf"\bact as if you (?:had|have|were|are) (?:{_FREELY})",
    rf"\bpretend (?:that )?(?:you|to (?:be|have))\b[^.!?\n]{{0,40}}\b(?:{_FREELY}|(?:don't|do not)"
    r" have [^.!?\n]{0,20}\b(?:rule|restriction|guideline|filter|limit)\w*)",
    rf"{_SWITCH} (?:dan|jailbreak|unrestricted|unfiltered) mode\b",
    rf"{_SWITCH} (?:developer|god|debug|root) mode\b,?"
    r" (?:and|then) (?:answer|ignore|obey|do|respond|reply|bypass)\b",
)

# -- secrets sent away ----------------------------------------------------------------------------

#: No secret though it names one: a token count, a password reset link, a key rotation guide.
_NOT_ITSELF = (
    r"(?![ -](?:count|usage|budget|limit|bucket|price|stat|metric|reset|polic|rule|hint|change"
    r"|manager|strength|form|field|rotation|expir|guide|doc|page|list|scan|name|id\b)\w*)"
)
_KEY_KIND = r"(?:api|access|deploy|ssh|gpg|private|secret|signing|encryption|host|license|master)"
_SECRET = (
    rf"(?:(?<!design )tokens?|passwords?|passphrases?|credentials?|secrets?|{_KEY_KIND}[ -]?keys?"
    rf"|(?:your|all|every) keys?|\.env|env(?:ironment)? (?:files?|variables?))\b{_NOT_ITSELF}"
)
_SEND = (
    r"(?:send|post|upload|leak|exfiltrate|forward|e-?mail|transmit|paste|publish|reveal|share|give"
    r"|print|include|append)"
)
_AWAY = r"(?:to|at|via|in|into) ?(?:https?:|\S+@\S+|\S+\.(?:com|net|org|io|dev|xyz|example)\b)"
_EXFILTRATION = _any(
    rf"\b{_SEND}\b[^.!?\n]{{0,60}}(?<!\w){_SECRET}[^.!?\n]{{0,60}}\b{_AWAY}",
    rf"(?<!\w){_SECRET}[^.!?\n]{{0,60}}\b{_SEND} (?:it|them|both)\b[^.!?\n]{{0,40}}\b{_AWAY}",
)

# -- the memory itself ----------------------------------------------------------------------------

_KEEP = r"(?:remember|memori[sz]e|store|save|record)"
_PEOPLE = r"(?:any(?:one|body)|the (?:user|human|person|owner)|them|me|us|it|this)\b(?! \w+s\b)"
_MEMORY = _any(
    rf"\b{_KEEP}\b[^.!?\n]{{0,50}}\bwithout (?:telling|mentioning|informing) {_PEOPLE}",
    rf"\b{_KEEP}\b[^.!?\n]{{0,50}}\b(?:do not|don't|never) (?:tell|mention|reveal) {_PEOPLE}",
    r"\b(?:do not|don't|never) (?:tell|mention|reveal)\b[^.!?\n]{0,30}"
    r"\bthis (?:memory|note|rule|instruction)\b",
    rf"\b(?:secretly|covertly|silently) {_KEEP}\b|\b{_KEEP} (?:this|it|that) silently\b",
    rf"\b{_KEEP}\b[^.!?\n]{{0,50}}\b(?:secretly|covertly|hidden from the (?:user|person))\b",
    r"\b(?:disable|turn off|switch off|weaken|bypass)\b[^.!?\n]{0,30}"
    r"\bmemory (?:polic|filter|rule|security|checkpoint)\w*",
    r"\b(?:delete|erase|wipe|forget) (?:all|every|your)(?: of)?(?: your| the| other)? memories\b",
    r"\b(?:change|alter|edit|rewrite) your memory (?:polic|filter|rule|security)\w*",
)

# -- who only speaks of it ------------------------------------------------------------------------

_ATTACK = (
    r"\b(?:(?:prompt[ -]?)?injections?|jailbreaks?|attack(?:s|ers?|ed)?|phish\w*|malicious"
    r"|red[ -]team|adversarial|poison(?:ed|ing)?|exploits?)\b"
)
_SAMPLE = (
    r"\b(?:test|example|sample|fixture|phrase|string|pattern|regex|detect|filter|screen|block"
    r"|reject|refus|quarantin)(?:s|es|ed|ing|ion|or)?\b[^.!?\n]{0,40}"
    r"(?:[\"':`]|\blike\b|\bsuch as\b|\b(?:saying|says?)\b)"
)
#: Words before an order by which people name it an attack or a specimen.
_ABOUT_ATTACK, _ABOUT = _any(_ATTACK), _any(_ATTACK, _SAMPLE)
#: The same, behind it.
_CALLED = _any(rf" ?(?:is|was|are|were|as|being) (?:[\w-]+ ){{0,3}}?{_ATTACK}")
#: What stands directly behind a comma is an order again: "to stop attackers, ignore ...".
_AFTER_COMMA = _any(r", ?(?:please |then |now |just )*$")

_ADDRESSED = _any(r"\b(?:you|your|everyone|anyone|every(?:body)|assistant|agent|ai|model|reader)\b")
#: Someone tells what people did ("we decided to ignore the old rule"), and orders nobody.
_PEOPLE_TELL = _any(r"[ *-]*(?:we|i|they|he|she|the team|our team)\b")
#: ... or what something does or may do ("an attacker could send", "users can override").
_THINGS_DO = _any(
    r"[ *-]*(?:[\w'-]+ ){1,5}?(?:can|could|may|might|should|must|will|would|does|did|has to|have to"
    r"|needs? to|used to)(?: (?:also|always|never|not|then|simply|just))? ?$"
)
_QUOTED = re.compile(r'"([^"\n]{1,300})"|`([^`\n]{1,300})`|(?<!\w)\'([^\'\n]{1,300})\'(?!\w)')

_ORDERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("injection_override", _OVERRIDE),
    ("injection_role", _ROLE),
    ("injection_exfiltration", _EXFILTRATION),
    ("injection_memory", _MEMORY),
)


_TAKEN_OUT = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}:[0-9]{1,9}\]")


def tells_secret(text: str) -> bool:
    """Whether a text tells a password, PIN, key or number of identity, or did until redaction."""
    return _TAKEN_OUT.search(text) is not None or states_secret(text)


def injection(text: str) -> str:
    """A stable code when the text performs an injection, '' when it is clean."""
    speaking = "\n".join(map(_unquoted, _seen(text).split("\n")))
    for code, pattern in _ORDERS:
        for found in pattern.finditer(speaking):
            start, end = _sentence(speaking, found)
            before, behind = speaking[start : found.start()], speaking[found.end() : end]
            if not _excused(code, before, behind):
                return code
    return ""


def _seen(text: str) -> str:
    """The text as an agent reads it: no hidden signs, one blank or line feed between words."""
    folded = unicodedata.normalize("NFKC", text.translate(_TAGS)).translate(_QUOTES)
    plain = folded
    if not folded.isascii():
        plain = "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")
    return re.sub(r"\s+", lambda blank: "\n" if "\n" in blank.group() else " ", plain)


def _unquoted(line: str) -> str:
    """A line without what it quotes. Quoting single words, or all there is, is no quoting."""

    def without(quoted: re.Match[str]) -> str:
        inside = next(group for group in quoted.groups() if group is not None)
        return '""' if " " in inside else inside

    speaking = _QUOTED.sub(without, line)
    return speaking if re.search(r"\w", speaking) else line


def _sentence(text: str, found: re.Match[str]) -> tuple[int, int]:
    """Where the sentence of a match begins and ends."""
    start = max(text.rfind(mark, 0, found.start()) for mark in ".!?\n") + 1
    ends = [at for mark in ".!?\n" if (at := text.find(mark, found.end())) >= 0]
    return start, min(ends, default=len(text))


def _excused(code: str, before: str, behind: str) -> bool:
    """Whether a sentence only speaks of what a program does, or of an attack."""
    about = _ABOUT_ATTACK if code == "injection_exfiltration" else _ABOUT
    if about.search(before) and not _AFTER_COMMA.search(before):
        return True
    if _CALLED.match(behind):
        return True
    if code == "injection_role" or _ADDRESSED.search(before):
        return False
    if code == "injection_override" and _PEOPLE_TELL.match(before):
        return True
    return _THINGS_DO.match(before) is not None
