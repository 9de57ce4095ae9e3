"""Words that say nothing, each written once with the roles in which it says nothing.

English, but for articles in `silent` and for `GERMAN_FILLERS`; `is_german` tells when these count.
What `query` leaves out is left out of topics and tags too, and what `topic` leaves out is left out
of tags. A question keeps `not`, `no` and `never`.
"""

from __future__ import annotations

import re
from collections import defaultdict

#: roles, and the words that play them and no other
_TABLE = """
query: after because before couldn't doing during ever few further gets getting hadn't having
    he'd he'll hers herself himself i'd i'll i've it'd it'll kind lot might most much must
    myself once other ourselves shall she'd she'll theirs they'd they'll they're they've things
    through under until we'd we'll weren't whether whom whose wouldn't you'd you'll you're
    you've yours yourself yourselves
query empty: been being could each every had here i i'm off only ours over she should such than
    their then there they we're we've were while would
query empty filler: done
query empty silent: a itself just please these those very
query empty silent intent: also an its our the this too
query empty intent: about all am and any are as at be but by can did do does for from has have
    he her him his how if in into is it me my of on or out so some that them to up us was we
    what when where which who will with you your
query light: aren't can't cannot didn't doesn't don't got hasn't haven't isn't like own
    shouldn't wasn't won't
query light filler: again
query light intent: get more
query filler: else many same something thing yet
query silent: really themselves
query intent: let may tell why
topic: above across almost although among another anyone around below between came
    either everyone gave given gives goes going gone however keeps knew known likely makes
    making needed needs neither nobody often ones others perhaps saw says seems seen several
    sometimes soon taken takes there's though thus till toward towards tried trying upon used
    uses via wanted wants what's whatever whoever whole within
topic empty: both let's per that's
topic empty filler: user
topic light: against down made never none rather said say took went without
topic light filler: instead keep make new put since take use work
topic light filler silent: actually already always now still
topic light filler intent: need not want
topic filler: anything best better come enough even everything first found give good know last
    least less look maybe next nor nothing old one quite see seem someone sure think together
    try two using way well yes
tag: according afternoon ago agreed along anybody anyway apart asked based beyond big bring btw
    called comes day days deadline decided depends due early ended ensure especially evening
    everybody except far final five fixed forget forward four friday future fyi general
    generally happened happens hate he's high inside late leave lets likes love means mine
    monday month months morning moved mustn't named night nope onto outside owns picked point
    policy preferred prefers probably reason reminder reports rule running runs saturday send
    sent settled she's side sunday switched third three thumb thursday times told tomorrow
    tonight tuesday turned useful usually wednesday week weeks whenever works year years
    yesterday
tag empty: away it's
tag empty filler: later
tag light: anymore avoid back become choose chose chosen correction decide decision end favor
    finally kept live lives prefer
tag light filler: go note run set start stop today
tag light filler intent: no
tag filler: ask bad call different exactly fix full great happen help hold little long main mean
    name nice ok okay part remember right second small sorry time turn unless wait working wrong
tag filler intent: find show
tag intent: looking
empty: earlier half hour team team's user's utc
light: abandon adopt agree base began begin begun bump convert cost cut deploy deprecate ditch
    downgrade drop effect favour grew grow host increase length light locate longer lower
    migrate newly officially permanently pick plan port raise ran reduce relocate remain rename
    reschedule retire revise scrap serve settle shift ship stay store support switch transition
    upgrade weigh
light filler: change correct move place remove replace require update
light filler silent: currently
filler: able absolutely add added ahead answer apparently assist basically bit bug case changed
    chat check clear code command complete continue create current debug delete describe detail
    doc documentation edit error etc example existing expect explain fail failing fails feature
    figure file fine finish folder follow function guess hello hey hi hope idea implement
    implementing important improve include issue job lead left line list log matter mention miss
    missing number open option output pass perfect possible problem proceed program project
    prompt provide question quick read ready repeat repo repository request rest result retry
    return rewrite save short simple sort specific started step suggest task test text thank
    thanks thought todo tool top true type understand value version wonder word write yeah yep
filler silent: definitely
silent: certainly das dem den der des die ein eine einem einen einer el la las le les lo los
    simply un une
intent: notes search
"""


def _words_by_role() -> dict[str, frozenset[str]]:
    words: defaultdict[str, set[str]] = defaultdict(set)
    for row in _TABLE.replace("\n    ", " ").strip().split("\n"):
        roles, _, those = row.partition(": ")
        for role in roles.split():
            words[role].update(those.split())
    return {role: frozenset(some) for role, some in words.items()}


_OF = _words_by_role()

#: left out of questions, not of documents: a question of nothing else still finds something
QUERY = _OF["query"]
#: are no topic of a vault
TOPIC = QUERY | _OF["topic"]
#: are no tag of a memory
TAG = TOPIC | _OF["tag"]
#: stand in any statement: the judge of contradictions does not compare them
EMPTY = _OF["empty"]
#: verbs of having, changing and denying: two statements about one thing differ in them
LIGHT = _OF["light"]
#: said to an agent about anything: a prompt is not about them
FILLER = _OF["filler"]
#: dropped from a paraphrase without changing what it says; of other languages articles only
SILENT = _OF["silent"]
#: what qmd leaves out of an intent, to the letter
INTENT = _OF["intent"]

#: function words of English
ENGLISH = frozenset(
    ["the", "is", "are", "we", "i", "you", "to", "of", "in", "and", "for", "it", "that", "this",
     "with", "on", "my", "our", "a", "an", "be", "not", "always", "never", "please", "by"]
)  # fmt: skip
#: function words of German that are no English ones
_GERMAN = frozenset(
    ["aber", "alle", "als", "auch", "auf", "aus", "bei", "beim", "bis", "das", "dass", "dem",
     "den", "der", "des", "dich", "doch", "dort", "durch", "ein", "eine", "einem", "einen",
     "einer", "eines", "er", "es", "für", "gegen", "gibt", "haben", "habe", "hatte", "ich", "ihr",
     "ihre", "im", "immer", "ist", "ja", "jede", "jeden", "kann", "kein", "keine", "können",
     "mein", "meine", "meiner", "mich", "mir", "mit", "muss", "nach", "nicht", "noch", "nur",
     "oder", "ob", "ohne", "schon", "sehr", "seit", "sich", "sie", "sind", "sondern", "statt",
     "über", "um", "und", "uns", "unser", "unsere", "vom", "von", "vor", "wann", "warum", "wegen",
     "weil", "welche", "welchem", "welchen", "welcher", "welches", "wenn", "wer", "werden", "wie",
     "wir", "wird", "wo", "wurde", "zu", "zum", "zur", "zwischen"]
)  # fmt: skip
#: words that say nothing in a German question
GERMAN_FILLERS = _GERMAN | {
    "am", "an", "da", "die", "hat", "in", "man", "so", "war", "was", "wem", "wen",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
#: the same for ASCII: all but letters are blank
_NO_LETTERS = {sign: " " for sign in range(128) if not chr(sign).isalpha()}
_UMLAUTS = frozenset("äöüßÄÖÜ")
#: as much of a text as tells its language, characters
_HEAD = 400


def letter_words(text: str) -> set[str]:
    """The words of a text that are of letters alone, casefolded."""
    if text.isascii():  # as most are, which takes a third of the time
        return set(text.lower().translate(_NO_LETTERS).split())
    return set(_WORD.findall(text.casefold()))


def is_german(text: str) -> bool:
    """Whether a text has German function words, and more than English ones; or an umlaut."""
    head = text[:_HEAD]
    words = letter_words(head)
    english = len(words & ENGLISH)
    german = len(words & _GERMAN)
    return german > english or (not english and not _UMLAUTS.isdisjoint(head))
