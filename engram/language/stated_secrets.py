"""Stated secrets: a sentence -> whether it tells a password, PIN, key or number of identity.

"My wifi password is sunflower" tells one, whatever the value looks like; "passwords are stored in
1Password", "the password policy is strict" and "the PIN must have four digits" say something about
one, as `secret_conditions` knows. Pure, bounded in time, and never stores the sentence. English,
and the common sentences of German, Spanish, French, Italian, Portuguese, Dutch, Polish, Russian,
Chinese, Japanese and Korean.
"""

from __future__ import annotations

import re
import unicodedata

from engram.language.secret_conditions import is_condition

_OTHER_THING = (
    r"(?![ -]?(?:manager|polic|field|reset|rule|hint|prompt|page|form|file|length|strength|hash|"
    r"store|storage|database|limit|budget|count|bucket|usage|price|rotation|expir|generator|check|"
    r"validation|authentication|login|protect|pad|code generator|photo|control|office|column|input|"
    r"box|dialog|header|type|format|vault|app|tool|name|id\b|server|service|provider|scheme|bearer|url|endpoint))"
)
_PASSWORD = (
    r"(?:pass(?:word|wort|phrase|code|key)|pwd?|kennwort|losungswort|zugangscode|geheimzahl|"
    r"contraseña|clave|mot de passe|senha|palavra-passe|wachtwoord|parola(?: d'ordine)?|hasło|"
    r"haslo|heslo|şifre|lösenord|passord|salasana)"
)
_CODE = (
    r"(?:pin(?:[ -]?(?:code|number|nummer))?|puk|tan|cv[vc]2?|"
    r"(?!(?:locker|building|bike|phone)[ -]?number)"
    r"(?:(?:front|back|garage|main|office|building)[ -])?(?:door|garage|alarm|safe|lock|"
    r"unlock|entry|access|security|keypad|key pad|building|sim|phone|voicemail|verification|"
    r"recovery|backup|2fa|bike|locker|türen?|haus|tresor|alarmanlagen)[ -]?"
    r"(?:code|number|combination|schloss)|"
    r"combination (?:of|for|to) (?:the|my|our) [\w -]{1,30}|(?:tür|alarm|zugangs|entsperr)code)"
)
_KEY = (
    r"(?:x-api-key|(?:api|access|secret|private|encryption|recovery|licen[cs]e|wi-?fi|wlan|network|signing|"
    r"account)[ -]?key|(?:api|access|auth|bearer|bot|personal access|refresh) token|client secret|"
    r"shared secret|secret (?:answer|word|phrase)|security answer|"
    r"key to (?:unlock|open|decrypt) [\w' -]{1,40}|"
    r"(?:seed|recovery|wallet|backup) (?:phrase|words))"
)
_IDENTITY = (
    r"(?:(?:passport|social security|national insurance|insurance|health insurance|driver'?s?'? "
    r"licen[cs]e|driving licen[cs]e|licen[cs]e|identity card|id card|national id|tax(?:payer)?|"
    r"account|bank account|credit card|debit card|card|member|patient|medicare|nhs|visa)"
    r" (?:number|no\.?|nr\.?|id)|ssn|tax id|steuer-?id(?:entifikationsnummer)?|reisepassnummer|"
    r"passnummer|ausweisnummer|kontonummer|kartennummer|versichertennummer|sozialversicherungs"
    r"nummer|führerscheinnummer|codice fiscale|cpf|dni|nie|pesel|bsn|personnummer|aadhaar|iban)"
)
_A_CODE, _A_KEY, _AN_IDENTITY = (
    re.compile(rf"(?<![\w-]){noun}(?!\w)") for noun in (_CODE, _KEY, _IDENTITY)
)
_NOUN = rf"(?:{_PASSWORD}|{_CODE}|{_KEY}|{_IDENTITY})"
_ABOUT = (
    r"(?: (?:for|of|on|to|from|at|in|für|von|vom|der|des|zum|zur|am|im|del?|du|do|da|van|voor|od|"
    r"dla) [^.:;!?\n=]{1,50}?)?"
)
_IS = (
    r"(?: ?[:=] ?|,? (?:is|are|was|were|lautet|heißt|ist|war|es|est|è|é|to|jest|je|"
    r"(?:has |was |is |got )?(?:changed|set|reset|switched) to|starts with|begins with|ends with)"
    r"(?: (?:now|still|just|currently|always|simply))* )"
)
_VALUE = r"[\"'“”„‘`*«]*(?P<value>[^\s\"'“”„‘`«]+)(?P<rest>[^.!?\n]*)"

_TELLS = re.compile(rf"(?<![\w-]){_NOUN}{_OTHER_THING}{_ABOUT}{_IS}{_VALUE}")
#: a word of German, Dutch, ... in which the noun is the last part
_COMPOUND = re.compile(rf"\b(?!1password\b)\w{{1,40}}-?{_PASSWORD}{_ABOUT}{_IS}{_VALUE}")
_BESIDE = re.compile(
    rf"\b(?:with|using|uses?|used|and|und|mit|y|et) (?:(?:the|my|our|dem|la|le) )?"
    rf"{_PASSWORD}{_OTHER_THING} (?P<value>[\w$#!%&*.-]{{3,}})(?P<rest>)"
    r"(?= ?(?:[,;)]|for |on |in |\.?$))"
)
_AS = re.compile(
    rf"\b(?:use|used|uses|set|took|take|chose) (?P<value>\S{{1,64}})(?P<rest>)"
    rf"(?: [^.;!?\n]{{1,40}}?)? (?:as|for) (?:the|my|our|his|her|their|a) (?:[\w'-]+ ){{0,3}}"
    rf"{_PASSWORD}(?![\w-]){_OTHER_THING}"
)
#: a clause ends: what stands before it is the whole of what was said
_END = r"(?= ?(?:[.,;!?)](?:\s|$)|\n|$))"
_SET = re.compile(
    rf"\b(?:set|sets|changed?|reset|switch(?:ed)?) (?:the|my|our) (?:[\w'-]+ ){{0,2}}?"
    rf"(?:{_NOUN}|token){_ABOUT} to [\"'`]?(?P<value>[^\s\"'`.,;]{{3,64}})(?P<rest>)[\"'`]?{_END}"
)
_ARROW = re.compile(
    rf"(?<![\w-]){_PASSWORD}{_ABOUT} ?(?:->|=>|→) ?(?P<value>[^\s>.,;]{{3,64}})(?P<rest>){_END}"
)
#: with one of these a word is a secret only if it looks made, or stands behind a sign alone
_WEAK = r"(?:token|(?:client |webhook |app )?secret|geheimnis)"
_SIGNED = re.compile(
    rf"(?<![\w.-]){_WEAK} ?[:=] ?[\"'`]?(?P<value>[^\s\"'`.,;()\[\]{{}}<>$]{{3,64}})(?P<rest>)"
    rf"[\"'`]?{_END}"
)
_MADE = re.compile(
    rf"(?<![\w-])(?:{_WEAK}{_OTHER_THING}{_ABOUT}{_IS}|(?:{_PASSWORD}|{_CODE}|{_KEY})'s (?:just )?)"
    r"[\"'`]?(?P<value>[\w$#!%&*+-]{4,64})(?P<rest>)"
)
_LOOKS_MADE = re.compile(r"(?=.*[^\W\d_])(?=.*[\d_])|\d{4}")
#: a network is named, and what lets one in
_NETWORK = re.compile(
    r"\b(?:wi-?fi|wlan|ssid|hotspot|guest network)\b[^.!?\n]{0,60}?\b(?:the|its|my|our|der|mit)?"
    rf" ?(?:key|code|schlüssel|pw|pass)(?![\w-]){_IS}{_VALUE}"
)
_BEFORE = re.compile(
    rf"(?<!\S)(?P<value>\S{{1,64}})(?P<rest>) is (?:my|our|the|his|her|their) (?:[\w'-]+ ){{0,3}}"
    rf"(?:{_PASSWORD}|{_CODE})(?![\w-]){_OTHER_THING}"
)
_LOGIN = re.compile(
    r"\b(?:login|log-in|credentials?|zugangsdaten|anmeldedaten|logins)(?: (?:for|of|to|für) "
    r"[^.:;\n]{1,40}?)?(?:: ?\S+ ?[/,|] ?(?P<rest>\S+)| (?:are|is|sind|ist) (?P<user>\S+) "
    r"(?:and|und|/) \S+\W*$)"
)
#: a name and what goes with it, which looks made
_PAIR = re.compile(
    r"\blog ?in (?:with|as|using) \S{1,40} ?/ ?(?P<value>\S{4,64})(?P<rest>)"
    r"|\b(?:user|username|login): ?\S{1,40}[ ,;/]{1,3}pass(?:wd)?: ?(?P<word>\S{3,64})"
)
_OPENS = re.compile(
    r"\b(?:safe|lock|door|gate|phone|vault|alarm|tresor|tür)\b[^.!?\n]{0,20}\b"
    r"(?:opens?|unlocks?|öffnet)(?: sich)? (?:with|by|using|mit)\b[^.!?\n]{0,40}\d"
)
#: languages that need no "is", or write none as a word of its own
_ELSEWHERE = re.compile(
    r"парол\w+(?: (?:от|для|к|на) [^\s:.,]+){0,2}(?: ?[:—–-] ?| это | )(?P<ru>[^\s.,!?]{3,})"
    r"|(?:密码|密碼|口令)(?:是|为|為|：|:) ?(?P<zh>[^\s。，！？]{2,})"
    r"|(?:パスワード|暗証番号)(?:は|：|:) ?(?P<ja>[^\s。、]{2,})"
    r"|(?:비밀번호|암호)(?:는|은|：|:) ?(?P<ko>[^\s.,]{2,})"
)
_SAID_OF_ONE = re.compile(
    r"(?:не|невер|неправ|обязат|забыт|истёк|истек|измен|хран|должен|слаб|слишк|треб|и |или |нуж)"
    r"|(?:必|错|錯|正|空|加密|存|什么|多|太|不|保|忘)|(?:必|正|間|暗号|保|何|忘|設|変|英|半|長|短)"
    r"|(?:필|틀|암|저|무엇|변|잊|최|영)"
)
_NO_VALUES = ("it", "this", "that", "there", "here", "what", "which", "who", "nothing", "something")


def stated_secret(text: str) -> str:
    """The sort of secret that a text tells (`password`, `code`, `key`, `identity`), or ''."""
    folded = unicodedata.normalize("NFKC", text).replace("’", "'").casefold()
    plain = folded
    if not folded.isascii():
        plain = "".join(sign for sign in folded if unicodedata.category(sign) != "Cf")
    plain = re.sub(r"[ \t]+", " ", plain)
    if _OPENS.search(plain):
        return "code"
    for pattern, hints in _STATEMENTS:
        if hints and not any(hint in plain for hint in hints):
            continue
        for match in pattern.finditer(plain):
            if _is_value(match, pattern):
                return _sort_of(match[0])
    if any(not is_condition(m["rest"] or m["user"]) for m in _LOGIN.finditer(plain)):
        return "password"
    told = any(
        not _SAID_OF_ONE.match(next(filter(None, match.groups())))
        and not is_condition(next(filter(None, match.groups())))
        for match in _ELSEWHERE.finditer(plain)
    )
    return "password" if told else ""


def _sort_of(said: str) -> str:
    """Which of the nouns a statement begins or ends with: a key before what it may be called."""
    sorts = (("key", _A_KEY), ("identity", _AN_IDENTITY), ("code", _A_CODE))
    return next((name for name, noun in sorts if noun.search(said)), "password")


#: with what a text has at least where one may match, looked for first; `_is_value` says the rest
_STATEMENTS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (_TELLS, ()), (_COMPOUND, ()), (_BESIDE, ()), (_AS, ()), (_NETWORK, ()), (_BEFORE, ()),
    (_SET, ("set", "chang", "switch")), (_ARROW, ("->", "=>", "→")),
    (_SIGNED, ("token", "secret", "geheimnis")),
    (_MADE, ("token", "secret", "geheimnis", "'s")), (_PAIR, ("log in", "login", "user")),
)  # fmt: skip


def _is_value(match: re.Match[str], pattern: re.Pattern[str]) -> bool:
    """Whether what stands in the place of a value is one."""
    if pattern is _PAIR and match["word"]:
        return not is_condition(match["word"])
    value, rest = match["value"], match["rest"]
    if pattern in (_MADE, _PAIR) and not _LOOKS_MADE.match(value):
        return False
    if pattern is _SIGNED and re.search(r"token|secret|str\Z", value):
        return False  # a type: `token: Token`
    if pattern in (_AS, _BEFORE):
        return value not in _NO_VALUES and not is_condition(value)
    if value in ("the", "our", "my", "his", "her") and re.match(
        r" (?:name|date|birthday|day|year|street|maiden|first|last) ", rest + " "
    ):
        return not re.match(r" (?:name|date) of (?:the|a) (?:file|column|key|variable)", rest)
    return not is_condition(value)
