"""Secret conditions: a word behind "the password is" -> whether it is no value of one.

"required", "stored", "too" say something about a password instead of being it. Apart from
`stated_secrets`, whose patterns a command that only redacts does without. The languages are those
of `stated_secrets`. Pure.
"""

from __future__ import annotations

import re

#: Words that begin or make up what is said about a secret, and are never one.
_CONDITION_WORDS = """
a an the in on at of to for from by with without under inside within behind between near per via
not no never always only also still now just already currently usually often sometimes too very so
quite really rather pretty far much more less most least as that which what when where who whom
whose why how if whether until unless while because since it its i you he she we they this these
those some any all both each every either neither one someone nobody nothing something somewhere
nowhere everywhere elsewhere here there and or but than then yet again once soon later up out off
over down above below same different identical like about around can could may might must shall
should will would do does did has have had is are was were be been being am get gets got going
required optional mandatory necessary needed wrong right correct incorrect invalid valid expired
missing empty blank unknown known unset set secret hidden visible weak strong short long safe secure
insecure unsafe fine ok okay good bad best better worse easy hard simple complex unique random
public private plain plaintext cleartext encrypted hashed salted kept reset lost forgotten broken
wrongly outdated old new fresh default gone true false null none undefined numeric alphanumeric case
read-only write-only sensitive insensitive case-sensitive case-insensitive base64 prompt prompted
input output string text field value user username admin unchanged ready free done due useless
useful important written printed read sent put held built tied bound taken given shown seen asked
said told made found bought paid gpio used reused shared stored saved part next last first enough
twice
der die das dem den ein eine einer im am auf in bei zu zur zum von vom mit ohne unter nicht nie
immer nur auch noch jetzt schon sehr als wie falsch richtig ungültig gültig abgelaufen erforderlich
notwendig nötig pflicht leer vergessen geheim sicher unsicher lang kurz gleich geändert gespeichert
verschlüsselt bekannt unbekannt weg alt neu
el la los las un una en con sin de del no muy ya incorrecta correcta incorrecto obligatoria
obligatorio necesaria secreta segura débil corta larga igual misma vacía caducada
le les une dans sur sous avec sans du des pas très déjà incorrect obligatoire requis nécessaire
secret sûr faible court même vide expiré oublié stocké
il lo gli nel nella non già errata sbagliata obbligatoria scaduta corta debole sicura
o os as um uma no na em com sem não muito incorreta obrigatória expirada fraca curta
het een de op niet altijd onjuist verplicht verlopen vergeten zwak kort nieuw
jest w na za nie błędne wymagane krótkie słabe
v na za není špatné povinné slabé krátké
"""
_CONDITIONS = frozenset(_CONDITION_WORDS.split())
_CONDITION_ENDING = re.compile(
    r"\w\w(?:ed|able|ible|ive|ous|ful|less|ory|ary|ly|pflichtig|lich|bar|iert|ada|ado|ida|ido)\Z"
)


def is_condition(word: str) -> bool:
    """Whether a word behind "the password is" says something about it instead of being it."""
    plain = word.strip(".,;:!?()[]*_`\"'").casefold()
    return not plain or plain in _CONDITIONS or _CONDITION_ENDING.search(plain) is not None
