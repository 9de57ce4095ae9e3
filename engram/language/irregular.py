"""Irregular forms of English words, each written once.

`PAST` and `PARTICIPLE` lead from a verb to its form; `LEMMA` from a form of a verb, a noun or an
adjective to the word that it belongs to.
"""

from __future__ import annotations

#: verb, past, and the participle where it is another
_VERBS = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beat beaten|become became become
begin began begun|bend bent|bet bet|bite bit bitten|blow blew blown|break broke broken
bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|cling clung
come came come|cost cost|creep crept|cut cut|deal dealt|dig dug|draw drew drawn|dream dreamt
drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt
fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|give gave given|go went gone|grind ground
grow grew grown|hang hung|hear heard|hide hid hidden|hit hit|hold held|hurt hurt|keep kept
kneel knelt|know knew known|lay laid|lead led|lean leant|leap leapt|learn learnt|leave left
lend lent|let let|light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken
overcome overcame overcome|pay paid|prove proved proven|put put|quit quit|read read
rebuild rebuilt|resend resent|reset reset|retake retook retaken|rewrite rewrote rewritten
ride rode ridden|ring rang rung|rise rose risen|run ran run|say said|see saw seen|seek sought
sell sold|send sent|set set|sew sewed sewn|shake shook shaken|shine shone|shoot shot
show showed shown|shrink shrank shrunk|shut shut|sing sang sung|sink sank sunk|sit sat|sleep slept
slide slid|smell smelt|speak spoke spoken|spell spelt|spend spent|spill spilt|spin spun
split split|spread spread|spring sprang sprung|stand stood|steal stole stolen|stick stuck
sting stung|stride strode|strike struck|swear swore sworn|sweep swept|swell swelled swollen
swim swam swum|swing swung|take took taken|teach taught|tear tore torn|tell told|think thought
throw threw thrown|understand understood|undertake undertook undertaken|undo undid undone
wake woke woken|wear wore worn|weave wove woven|weep wept|win won|wind wound
withdraw withdrew withdrawn|write wrote written
"""
#: lemma, then other irregular forms of it
_OTHERS = """
go goes|lie lain lying|child children|man men|woman women|person people|foot feet|tooth teeth
goose geese|mouse mice|wife wives|life lives|knife knives|shelf shelves|half halves|leaf leaves
self selves|index indices|matrix matrices|vertex vertices|criterion criteria|analysis analyses
basis bases|datum data|medium media|good better best|bad worse worst|die dying|tie tying
"""


def _rows(table: str) -> list[list[str]]:
    return [entry.split() for entry in table.strip().replace("\n", "|").split("|")]


PAST = {verb: forms[0] for verb, *forms in _rows(_VERBS)}
PARTICIPLE = {verb: forms[-1] for verb, *forms in _rows(_VERBS)}
LEMMA = {form: lemma for lemma, *forms in _rows(_VERBS) + _rows(_OTHERS) for form in forms}
