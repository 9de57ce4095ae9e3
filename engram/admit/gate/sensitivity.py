"""Sensitivity: a statement -> how far it may travel, and whether it is another person's own matter.

`public` tells nothing that belongs to the person's house: `internal` are private hosts, home
folders, ways to reach somebody, money and named customers. A secret has no level: it is refused.
`tells_of_another` is true of illnesses and treatments, pay, and numbers of identity of somebody
else: nobody asked them. What the person says of themselves is theirs; what a guest must not eat is
what one minds for them. Pure, bounded in time, English; a check of forms and words, no certainty.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from engram.language.any_case import AnyCase

Sensitivity = Literal["public", "internal"]


_AMOUNT = r"\d[\d.,' ]{0,20}"
_INTERNAL = AnyCase(
    # hosts that no stranger reaches
    r"\b[\w-]+(?:\.[\w-]+){0,6}\.(?:internal|corp|local|lan|intra|intranet|private|home\.arpa)\b",
    r"(?<![\d.])(?:10(?:\.\d{1,3}){3}|192\.168(?:\.\d{1,3}){2}|172\.(?:1[6-9]|2\d|3[01])"
    r"(?:\.\d{1,3}){2}|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])(?:\.\d{1,3}){2})(?![\d.])",
    # home folders and shares
    r"(?<![\w.])(?:/home/|/Users/|/root\b|~/|~\w+/)|\b[A-Z]:\\+Users\\|(?<!\\)\\\\[\w.-]+\\\w",
    # ways to reach somebody
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+){1,5}\b",
    r"(?<![\w.])(?:\+|00)\d{1,3}[ ()/.-]{0,2}\d(?:[ ()/.-]{0,2}\d){6,12}(?![\w.])",
    r"\b(?:phone|tel|telephone|mobile|cell|fax|whatsapp|signal)\b[^.!?\n]{0,30}?\d(?:["
    r" ()/.-]?\d){5,13}",
    r"\b\d{1,5}\w? (?:[A-Z][\w'-]+ ){1,3}(?:street|st|road|rd|avenue|ave|lane|drive|square"
    r"|court)\b",
    r"\b[\w-]+(?:straße|strasse|gasse|weg|platz) \d{1,4}\b",
    # money
    rf"[$€£¥₹]\s?\d|\b{_AMOUNT}(?:k|m|bn|million|thousand)?\s?(?:€|£|euros?\b|eur\b|usd\b"
    rf"|dollars?\b"
    r"|cents\b|pounds?\b|gbp\b|chf\b|francs?\b|yen\b|crowns?\b|rupees?\b)",
    r"\b(?:salary|salaries|revenue|turnover|profit|invoice total|day rate|hourly rate|payroll)\b",
    # customers by name
    r"\b(?:customer|client)s?,? (?:called |named |is |are |like )?(?-i:[A-Z])\w+",
    r"(?-i:\b[A-Z])[\w&-]+(?: (?-i:[A-Z])[\w&-]+)? (?:is|was|became|are) (?:an? |our |the )"
    r"(?:\w+ ){0,2}(?:customer|client)\b",
)

# -- other people ---------------------------------------------------------------------------------

_NO_NAME = (
    r"(?:i|we|you|it|its|this|that|the|there|these|those|a|an|my|our|your|his|her|their|he|she|they"
    r"|if|when|who|what|which|where|why|how|user|users|nobody|everyone|everybody|someone|somebody"
    r"|anyone|anybody|no|some|any|all|each|every|one|and|but|or|so|for|in|on|at|as|to|also"
    r"|patients?"
    r"|people|after|before|since|because|today|yesterday|note|remember)\b"
)
_NAME = rf"(?:(?!{_NO_NAME})(?-i:[A-Z])[\w-]+(?: (?-i:[A-Z])[\w-]+)?)"
_RELATION = (
    r"(?:mother|father|mom|mum|dad|parents?|wife|husband|partner|spouse|fianc\w+|girlfriend"
    r"|boyfriend"
    r"|ex|son|daughter|child|children|kids?|baby|toddler|brother|sister|siblings?|twins?|grand\w+"
    r"|aunt|uncle|cousin|niece|nephew|\w+-in-law|stepson|stepdaughter|boss|manager|supervisor"
    r"|colleagues?|co-?workers?|teammates?|friends?|neighbou?rs?|room-?mate|flat-?mate|landlord"
    r"|employees?|interns?|assistant|secretary|student|teacher|nanny|tenant|patient|cto|ceo|lead)"
)
_OWNER = rf"(?:my|our|his|her|their|the user's|{_NAME}'s)"
_OTHER = rf"(?:{_OWNER} (?:[\w-]+ ){{0,2}}?{_RELATION}(?: {_NAME})?|{_NAME}|he|she)"

_ILLNESS = (
    r"(?:diabet\w+|cancer|tumou?rs?|leuk[ae]?emia|lymphoma|melanoma|carcinoma|glaucoma"
    r"|depress(?:ion"
    r"|ed|ive)|bipolar\w*|schizo\w+|adhd|autis\w+|asperger\w*|epilep\w+|asthma\w*|hiv\b|aids\b"
    r"|hepatitis|covid\S*|multiple sclerosis|parkinson\S*|alzheimer\S*|dementia|arthritis"
    r"|heart (?:attack|disease|condition|failure|defect)|high blood pressure"
    r"|hypertension|migraines?|ptsd"
    r"|burn-?out|anorexi\w+|bulimi\w+|alcoholi\w+|addict\w*|crohn\S*|lupus|thyroid\w*"
    r"|an[ae]{1,2}mia"
    r"|pneumonia|tuberculosis|endometriosis|fibromyalgia|herpes|syphilis|infertil\w+|suicid\w+"
    r"|panic attacks|an? (?:anxiety|eating|mental|personality|panic|sleep) disorder|chemo\w*"
    r"|dialysis"
    r"|(?:radio|psycho)?therapy|surgery|sick leave"
    r"|rehab|insulin|antidepressants?|antipsychotics?|beta blockers?"
    r"|statins?|lithium|metformin|ritalin|prozac|sertraline|methadone|a stroke"
    r"(?! (?:width|colou?r|style))|an? (?:abortion|miscarriage|overdose)|pregnan\w+"
    r"|\w{3,}(?:itis|sclerosis|dystrophy|syndrome|phobia|pathy))"
)
_SUFFERS = (
    r"(?:has|have|had|got|is|are|was|were|has been|suffer(?:s|ed)?|struggles?|lives?|liv(?:es|ing)|"
    r"diagnosed|treated|takes?|took|takes|needs?|recover(?:s|ed|ing)|undergo\w*|start(?:s|ed)|in"
    r"|on)"
)
_FIGURE = rf"[$€£]?\s?{_AMOUNT}(?:k|m|\s?thousand)?\b"
_MONEY = (
    rf"(?:[$€£]\s?{_AMOUNT}|{_AMOUNT}k?\s?(?:€|£|euros?|eur|usd|dollars?|pounds?|gbp|chf|francs?)"
    rf"|{_AMOUNT}k?(?: (?:gross|net|before tax))? (?:a|per|each|an) (?:year|month|hour|week|day"
    rf"|annum)"
    rf"|{_AMOUNT}k(?=\W*$))"
)
_PAPER = (
    r"(?:passport|social security|national insurance|health insurance|insurance|id(?:entity)?(?:"
    r" card)?"
    r"|national id|driv(?:er'?s?'?|ing) licen[cs]e|tax|medicare|nhs|patient|bank account|account"
    r"|(?:credit |debit )?card)"
)
_OF_ANOTHER = AnyCase(
    rf"\b{_OTHER}(?:,? who)? (?:[\w-]+ ){{0,2}}?{_SUFFERS} (?:[\w'-]+ ){{0,5}}?{_ILLNESS}\b",
    rf"\b(?:{_OWNER} (?:[\w-]+ )?{_RELATION}'s|{_NAME}'s|his|her) (?:[\w-]+ ){{0,2}}?(?:{_ILLNESS}"
    r"|diagnos[ie]s|medication|blood (?:type|group|test\w*)|test results|medical (?:history"
    r"|record)\w*"
    r"|therapist|psychiatrist|oncologist|therapy sessions?)\b",
    rf"\b{_OTHER} (?:[\w-]+ ){{0,2}}?(?:earn(?:s|ed)?|(?:is|was|gets?|got) paid) (?:[\w']+"
    rf" ){{0,3}}?"
    rf"{_FIGURE}",
    rf"\b{_OTHER} (?:[\w-]+ ){{0,2}}?(?:makes?|made|gets?|got|takes home) (?:[\w']+"
    rf" ){{0,3}}?{_MONEY}",
    rf"\b(?:{_OWNER} (?:[\w-]+ )?{_RELATION}'s|{_NAME}'s|his|her) (?:[\w-]+ ){{0,3}}?(?:salary"
    rf"|wages?"
    rf"|pay(?:check)?|income|bonus|pension|debts?|mortgage|credit score|net worth)"
    rf" [^.!?\n]{{0,40}}?"
    r"\d",
    rf"\b{_OTHER} (?:has|have|gets?|got|had) an? (?:[\w-]+ ){{0,2}}?(?:salary|wage|income|bonus"
    rf"|pension"
    rf"|debt|mortgage) of {_FIGURE}",
    rf"\b(?:{_OWNER} (?:[\w-]+ )?{_RELATION}'s|{_NAME}'s|his|her) (?:[\w-]+ )?(?:{_PAPER}"
    rf" (?:number|no"
    r"\.?|nr\.?|id)|ssn|iban|tax id|personnummer|steuer-?id)\b(?!\s*(?:field|column|format|form))"
    r"(?=\s*(?:is|was|:|=|ends|starts|begins|changed|[\d\[]))",
)


#: what each of these names, looked for first
_TOPIC = AnyCase(
    rf"\b(?:{_ILLNESS}|diagnos|medication|blood |test results|medical |therap|psychiatrist"
    r"|oncologist|earn|paid|makes?|made|gets?|got|takes home|salary|wage|pay|income|bonus|pension"
    r"|debt|mortgage|credit score|net worth|ssn|iban|personnummer|steuer-?id"
    r"|(?:number|no|nr|id)\b|tax id)"
)
#: what such a statement has at least, looked for first: most have neither
_MATTER = AnyCase(
    rf"\b(?:{_ILLNESS}|diagnos\w+|medication|blood|medical|test results|therap\w+|psychiatrist"
    r"|oncologist|ssn|iban|tax|personnummer|steuer-?id)\b|\d|\bnumber\b|\bid\b"
)


@lru_cache(maxsize=128)
def sensitivity_of(text: str) -> Sensitivity:
    """The level of a statement that is neither a secret nor another person's own matter."""
    return "internal" if _INTERNAL.search(text) else "public"


def tells_of_another(text: str) -> bool:
    """Whether a statement tells of somebody else's health, pay or number of identity."""
    plain = text.replace("’", "'")
    if _MATTER.search(plain) is None or _TOPIC.search(plain) is None:
        return False
    return _OF_ANOTHER.search(plain) is not None
