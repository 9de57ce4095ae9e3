"""The security checkpoint: text that tries to steer an agent, or to change what is remembered.

Turns a text into '' or a stable code. Someone who writes *about* an injection (quotes it, calls it
an attack) passes; someone who performs one does not. Nothing here stores or returns the text.
Source: seed 000 (memory security checkpoint), design 5.18.
"""

from __future__ import annotations

import re

_EARLIER = (
    r"(?:all |any |every |each |of |the |your |my |our |these |those |its |their )*"
    r"(?:previous|prior|above|earlier|preceding|foregoing|existing|original|system|safety|former)"
    r"(?: and [a-z]+)?[ -]*(?:instruction|prompt|rule|message|context|directive|guideline|command|"
    r"constraint|order|polic|restriction|training|conversation)\w*"
)
_RULES = r"(?:instruction|rule|restriction|guideline|filter|limit|constraint|polic|safeguard)\w*"

#: stable code -> what performs it
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (code, re.compile(pattern, re.IGNORECASE))
    for code, pattern in (
        (
            "injection_override",
            rf"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|drop|skip)\b[^.!?\n]{{0,20}}?\b{_EARLIER}"
            rf"|\b(?:do not|don't|never|stop) (?:follow|obey|following|obeying|adhering to|heed)\b[^.!?\n]{{0,20}}?\b{_EARLIER}"
            r"|\b(?:ignore|disregard|forget) (?:everything|anything|all|what)(?: that)?"
            r"(?: (?:you|i|we|they) (?:were|was|have been|ha[ds]|been|are)?)? ?(?:told|said|learned|above|before|so far)"
            r"|\boverrid(?:e|es|ing) (?:the |your |all |my |its )*(?:system )?(?:instructions|prompt|safety)",
        ),
        (
            "injection_role",
            r"\bnew (?:system )?(?:prompt|instructions?|directives?)\s*:"
            r"|(?:^|\n)\s*(?:\[|<\|?|#+ ?|\{\{?)\s*(?:system|sys|inst|im_start|assistant)\s*(?:\||\]|>|:|\}\}?)"
            r"(?=\s*\S)|<\|im_(?:start|end)\|>"
            r"|(?:^|[.!?\n]\s*)(?:system|developer) (?:prompt|message|override)\s*:"
            r"|\byou are now (?:an? |the )?(?:\w+[ -]){0,4}?"
            r"(?:ai|assistant|bot|model|dan|jailbroken|unrestricted|unfiltered|hacker|agent|evil|"
            r"free (?:of|from)|in (?:developer|god|debug|admin|root|dan) mode)\b"
            rf"|\b(?:act|behave|respond|answer|operate)(?: \w+)? (?:as|like)[^.!?\n]{{0,60}}\b"
            rf"(?:without|no|free of|ignoring|with no)\b[^.!?\n]{{0,20}}\b{_RULES}"
            rf"|\bpretend\b[^.!?\n]{{0,40}}\b(?:no|without|don't have|do not have|have not|free of)\b[^.!?\n]{{0,20}}"
            rf"\b(?:{_RULES}|ethic\w*|moral\w*)"
            r"|\b(?:enter|enable|activate|switch (?:in)?to) (?:developer|god|dan|jailbreak|unrestricted) mode\b",
        ),
        (
            "injection_exfiltration",
            r"\b(?:send|post|upload|leak|exfiltrate|forward|e-?mail|transmit|paste|publish|reveal|share|give|print)\b"
            r"[^.!?\n]{0,60}\b(?:api|access|deploy|ssh|private|secret|signing|encryption)?[ -]?"
            r"(?:keys?|tokens?|passwords?|credentials?|secrets?|env(?:ironment)? (?:file|variables?))\b"
            r"[^.!?\n]{0,60}(?:\bto\b|\bat\b|\bvia\b)\s*(?:https?:|\S+@\S+|\S+\.(?:com|net|org|io|dev|xyz|example)\b)",
        ),
        (
            "injection_memory",
            r"\b(?:always |must |please |secretly |silently )*(?:remember|memori[sz]e|store|save|record)\b[^.!?\n]{0,50}"
            r"\b(?:without (?:asking|telling|mentioning)|do not (?:tell|mention|reveal)|don't (?:tell|mention|reveal)"
            r"|secretly|hidden from the (?:user|person))"
            r"|\b(?:disable|turn off|change|alter|edit|weaken)\b[^.!?\n]{0,30}\bmemory (?:polic|filter|rule|security)\w*",
        ),
    )
)

#: Words by which people speak about an attack instead of making one.
_ABOUT = re.compile(
    r"\b(?:prompt[- ]?)?injections?\b|\bjailbreaks?\b|\battack(?:s|er|ers|ed)?\b|\bphish|\bmalicious\b"
    r"|\b(?:red[- ]team|adversarial|poison(?:ed|ing)?|exploit)\b"
    r"|\b(?:test|example|sample|fixture|phrase|string|pattern|regex|detect|filter|screen|block|reject|refus|quarantin)"
    r"(?:s|es|ed|ing|ion|or)?\b[^.!?\n]{0,40}(?:[\"'“‘`:]|\blike\b|\bsuch as\b|\bsaying\b|\bthat says?\b)",
    re.IGNORECASE,
)
#: Someone tells what people did ("we decided to ignore the old rule"), and orders nobody.
_TELLING = re.compile(
    r"\s*(?:we|i|they|he|she|the team|our team)\b(?!.*\byou\b)", re.IGNORECASE | re.DOTALL
)
_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|‘[^’\n]{1,300}’|`[^`\n]{1,300}`|(?<!\w)'[^'\n]{1,300}'(?!\w)"
)


def injection(text: str) -> str:
    """A stable code when the text performs an injection, '' when it is clean."""
    speaking = _QUOTED.sub(" ", text)
    for code, pattern in _PATTERNS:
        found = pattern.search(speaking)
        if found is None:
            continue
        start = max(speaking.rfind(mark, 0, found.start()) for mark in ".!?\n") + 1
        if code != "injection_exfiltration" and _ABOUT.search(speaking[start : found.end() + 80]):
            continue
        if code == "injection_override" and _TELLING.match(speaking[start : found.start()]):
            continue
        return code
    return ""
