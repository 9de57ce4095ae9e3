"""Agent orders: a text -> the stable code of an order to an agent in it, '' when there is none.

What drops an agent's instructions, gives it another role, sends secrets away or hides what is kept
counts whoever says it. What is not the person's own words (`own` is false) is read more strictly:
orders to the memory and to every later session, texts that speak to agents, approvals in the
person's name, hidden signs, encoded text, and orders to send things away or to run what is fetched.
Someone who writes *about* such an order (quotes it, calls it an attack) or tells what people and
programs do passes; someone who gives it does not. Hidden signs, full-width letters, Markdown's
escapes and line breaks inside an order do not hide it. Pure, linear in the text; nothing is stored.
English; of nine other languages the orders to drop one's instructions, and in what is not the
person's own those to keep something and to act without asking.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from engram.language.any_case import AnyCase
from engram.language.hidden_text import decoded, hidden_signs, is_encoded, other_forms

#: Curly quotation marks as straight ones.
_QUOTES = str.maketrans("‘’“”", "''\"\"")
#: Letters of the tag block, which no one sees, are read as the ASCII letters they stand for.
_TAGS = {0xE0000 + letter: letter for letter in range(0x20, 0x7F)}


def _any(*patterns: str) -> AnyCase:
    """One expression of several; a blank in them stands for any white space."""
    return AnyCase("|".join(patterns).replace(" ", r"\s"))


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
_ROMANCE = r"(?:instrucciones|instruções|istruzioni|instructions|consignes|directives)"
_OVERRIDE = _any(
    rf"\b(?:ignore|disregard|forget|override|overrule|bypass|pay no attention to)\b"
    rf"[^.!?]{{0,20}}?\b{_STANDING}",
    rf"\b(?:discard|drop|skip) {_WHOLE}{_EARLIER}{_STEERING}",
    rf"\b(?:do not|don't|never) (?:follow|obey|heed|adhere to) {_SOME}{_EARLIER}{_STEERING}",
    rf"\bstop (?:following|obeying|heeding|adhering to) {_SOME}{_EARLIER}(?:{_STEERING}|{_RULES})",
    rf"\b(?:ignore|disregard|forget) {_TOLD}\b",
    r"\b(?:ignore|disregard|forget) (?:previous|prior|earlier) (?:context|conversation|rules)\b",
    rf"\byou are (?:no longer|not) bound by {_SOME}(?:{_EARLIER})?(?:{_STEERING}|{_RULES})",
    # the same in other languages
    r"\b(?:ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*)\b[^.!?\n]{0,30}\b(?:alle[nrs]?"
    r"|sämtliche\w?|(?:bis|vor)herige\w?|vorige\w?|frühere\w?|obige\w?) (?:\w+ ){0,2}(?:anweisung"
    r"|instruktion|vorgabe)\w*",
    r"\b(?:ignor[aeo]\w*|olvid[ae]\w*|esque[çc]\w+|desconsidere\w*|dimentica\w*|oubli\w+)\b"
    r"[^.!?\n]{0,12}\b(?:(?:todas?|todos|tutt[ei]|toutes?|tous|previas?|previous)(?: \w+){0,3}"
    rf" {_ROMANCE}|{_ROMANCE} (?:anterior|précédent|preceden|previ|antérieur)\w*)",
    r"\b(?:negeer|negeren|vergeet)\b[^.!?\n]{0,12}\b(?:alle|eerdere|vorige|voorgaande)(?: \w+){0,2}"
    r" (?:instructies|aanwijzingen)",
    r"(?:игнорируй|игнорировать|забудь|забыть)\w*[^.!?\n]{0,12}(?:все|предыдущ|прежн)\w*(?: \w+)?"
    r" (?:инструкц|указан)\w*",
    r"(?:忽略|忘记|忘掉|無視|无视)[^。！？\n]{0,6}(?:之前|以前|先前|以上|所有|一切|全部)[^。！？\n]{0,6}"
    r"(?:指令|指示|提示)",
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
    rf"(?:^|[.!?\n] ?)(?:(?:system|developer) (?:prompt|message|override)|system (?:note"
    rf"|notice|instruction)s?) ?:{_NO_WORDS_ABOUT}",
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
    r"\bmark (?:all|every|your)\b[^.!?\n]{0,20}\bmemor(?:y|ies)\b[^.!?\n]{0,40}\bas\b",
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
#: An attack that is told of: "the prompt injection in that page said ...".
_TOLD_OF = _any(
    rf"{_ATTACK}[^.!?\n]{{0,60}}?\b(?:sa(?:ys?|id|ying)|tell(?:s|ing)?|told|ask(?:s|ed|ing)?"
    r"|wr(?:ites?|ote|iting)|contain(?:s|ed|ing)?|such as|like|tr(?:y|ies|ied)|want(?:s|ed)?)\b"
)
_QUOTED = re.compile(r'"([^"\n]{1,300})"|`([^`\n]{1,300})`|(?<!\w)\'([^\'\n]{1,300})\'(?!\w)')

_ORDERS: tuple[tuple[str, AnyCase], ...] = (
    ("injection_override", _OVERRIDE),
    ("injection_role", _ROLE),
    ("injection_exfiltration", _EXFILTRATION),
    ("injection_memory", _MEMORY),
)

# -- what only the person may ask for -------------------------------------------------------------

_AI = (
    r"(?:a\.?i\.?s?|llms?|language models?|(?:coding |ai |your |the )?(?:agents?|assistants?)"
    r"|chatbots?"
    r"|copilots?|claude|chatgpt|gpt(?:-\d\w*)?|gemini|codex|cursor)"
)
_STORE = (
    r"(?:memor(?:y|ies)|knowledge(?: base| graph)?|profile|vault|rules?(?: file)?|notes"
    r"|(?:claude|agents|gemini)\.md)"
)
_PUT = (
    r"(?:remember|memori[sz]e|store|save|record|persist|keep|add|write|commit|put|log|append"
    r"|retain)"
)
_SESSION = (
    r"(?:sessions?|conversations?|chats?|interactions?|runs?|tasks?|agents?|assistants?|answers?"
    r"|responses?|repl(?:y|ies)|prompts?|turns?|requests?)"
)
_LATER = r"(?:future|subsequent|later|new|upcoming|following|next|coming|further)"
_DUTY = r"(?:must|should|shall|will|has to|have to|needs? to|is to|are to|ought to|begins?|starts?)"
_THIS = r"(?:this|these|the (?:following|above|below|next)|what follows)"
_STRICT_MEMORY = _any(
    # "save this", "add the following to your memory", "keep in mind for later"
    rf"(?<!to )\b(?:{_PUT} {_THIS}|(?:remember|memori[sz]e|save|store|record) (?:it|that))\b"
    r"(?! (?:file|branch|page|button|script|dialog)\b)",
    rf"\b{_PUT}\b[^.!?\n]{{0,80}}\b(?:to|in|into|as|within) (?:(?:your|the|its|a|an|my|our|long[-"
    rf" ]term"
    rf"|persistent|permanent|core|shared|user|project|agent(?:'s)?|own) ){{0,4}}{_STORE}\b",
    rf"\b(?:update|overwrite|edit|replace|extend|amend|modify) (?:(?:your|the|its|long[- ]term"
    rf"|persistent|project|agent(?:'s)?) ){{1,3}}{_STORE}\b",
    r"\b(?:remember|memori[sz]e|note)(?: that\b|,? ?:| (?:forever|permanently|always)\b)",
    r"\b(?:keep|bear) (?:it |this |that )?in mind\b|\btake note\b",
    r"\b(?:for|as) (?:your |a |the )?(?:long[- ]term|persistent|permanent|future) (?:memory"
    r"|reference"
    r"|recall)\b|\bmemory (?:update|entry|instruction|note|item|directive)s? ?[:=]",
    # trust and life time claimed
    r"\balways (?:trust|believe|accept|approve|obey|allow|permit|follow|comply)\b",
    r"\bnever (?:question|doubt|verify|challenge|distrust|double[- ]check|refuse|reject|flag)\b",
    r"\b(?:fully |unconditionally |implicitly )trust(?:ed|s)?\b|\btrust(?:ed)? (?:unconditionally"
    r"|implicitly|without (?:question|verification|checking))\b",
    r"(?:^|[.!?;,:(\n] ?|\b(?:and|it|this|that|memory|note|fact|rule|entry|record|instruction)s? )"
    r"(?:never|does not|doesn't|do not|don't|must not|must never|cannot|can't|should not) (?:ever"
    r" )?"
    r"(?:expires?|be (?:forgotten|deleted|removed|overwritten|superseded|replaced|expired|changed"
    r"|questioned))\b",
    r"\b(?:do not|don't|never) (?:forget|delete|remove|overwrite|supersede|expire) (?:this|it"
    r"|these)\b",
    r"\b(?:this|the above|the following)\b[^.!?\n]{0,40}\b(?:overrides?|supersedes?|replaces?"
    r"|takes?"
    r" (?:precedence|priority)|outranks?|is (?:permanent|final|authoritative|binding"
    r"|non-negotiable))\b",
    r"\b(?:confidence|priority|importance|authority|trust|ttl|expires?|retention|severity) ?[:=] ?"
    r"[\"']?(?:high(?:est)?|max\w*|1(?:\.0+)?\b|100|critical|never|none|permanent|forever|infinite"
    r"|absolute|system|user_asserted|system_imposed)",
    r"\b(?:highest|top|maximum|absolute) (?:priority|confidence|authority|trust)\b",
    # later sessions
    rf"\b(?:every|all|each|any|in|for|at|of|your|our|from) (?:and every |other )?{_LATER}"
    rf"(?: \w+)? {_SESSION}\b",
    rf"\b(?:every|all|each|any) (?:\w+ )?{_SESSION} {_DUTY}\b|\bobey(?:s|ed)?\b",
    r"\b(?:in|at|during|for|to|with) (?:every|each|all|any) (?:\w+ )?(?:session|conversation|chat"
    r"|answer|reply|repl(?:y|ies))s?\b",
    rf"\bat the (?:start|beginning|end) of (?:every|each|all|any|the next|your next) (?:\w+"
    rf" )?{_SESSION}",
    r"\b(?:from now on|going forward|henceforth|from this (?:point|moment)(?: on)?|hereafter)\b",
    rf"\b(?:next time|when(?:ever)?|if|once|as soon as|after) (?:you|(?:any|some)(?:one|body)|an?"
    rf" {_AI}|{_AI}|the (?:user|person|owner))(?: \w+)? (?:sees?|reads?|encounters?|recalls?"
    rf"|retrieves?|loads?|process(?:es)?|parses?|finds?|summari[sz]es?|opens?|gets?|receives?"
    rf"|asks?|mentions?|requests?)\b",
)
_STRICT_AGENT = _any(
    rf"\b{_AI} (?:that|who|which)? ?(?:is |are )?(?:reading|reads?|viewing|views?|processing"
    rf"|process"
    rf"(?:es)?|parsing|summari[sz]ing|indexing|crawling|scanning|sees?|opens?)\b",
    rf"(?:^|[.!?:;,(\[>#*\n-] ?)(?:(?:important|special|urgent|hidden|private|quick) )?(?:note"
    rf"|message"
    rf"|notice|attention|instructions?|memo|warning|hint|reminder|directive|info|hello|hi|hey"
    rf"|dear)s?"
    rf",?(?: to| for)? (?:all |any |the |every |our |your )*{_AI}\b",
    r"\b(?:as|if you are|if you're|since you are|because you are|you are|you're) an? (?:helpful "
    r"|large"
    r" )?(?:ai|llm|language model|assistant|agent|chatbot|bot)\b",
    rf"(?:^|[.!?:;\n] ?)(?:all |any |every |the )?{_AI}(?:,| ?:| {_DUTY}| (?:is|are) (?:required"
    rf"|instructed|expected|asked|told|authori[sz]ed|allowed) to)\b",
    # approvals in somebody's name
    r"\b(?:user|owner|human|admin(?:istrator)?|operator|maintainer|security team|management"
    r"|person)s?\b[^.!?\n]{0,50}?\b(?:(?:pre-?)?(?:approve[sd]?|authori[sz]e[sd]?)|consent(?:s|ed)"
    r"|grant(?:s|ed)|waive[sd]|agreed to (?:all|any|every)|gave (?:you )?permission)\b",
    r"\b(?:never|do not|don't|no need to|not) (?:ever )?ask(?: (?:me|them|us|the user|again|for"
    r"|before))\b",
    r"\b(?:pre-?(?:approved|authori[sz]ed)|without (?:asking|confirm\w+|approval|permission|review"
    r"|being asked|(?:further|any|user) (?:confirmation|approval|review|questions?)))\b",
    r"\bno (?:further |user |additional |explicit )?(?:confirmation|approval|permission|consent"
    r"|review)s?"
    r" (?:is |are )?(?:needed|required|necessary)\b",
    r"\b(?:confirmation|approval|permission|consent|review)s? (?:is|are) (?:not|no longer|never)"
    r" (?:needed|required|necessary)\b",
    r"\b(?:skip|bypass|suppress) (?:all|any|every|the) (?:confirmation|permission|approval)s?\b",
    r"\b(?:do not|don't|never) (?:tell|inform|notify) (?:the )?(?:user|owner|person|human)s?\b",
    # without asking, in other languages
    r"\b(?:ohne (?:rückfrage|nachfrage|zu fragen)|sin (?:preguntar|confirmación))\b"
    r"|без (?:вопросов|спроса)|(?:不用|无需|不必)(?:询问|确认|批准)",
)
#: role tokens and tags of chat templates and tools, as they stand in a page
_STRICT_ROLE = _any(
    r"<\|\w{2,24}\|>|\[/?(?:INST|SYS(?:TEM)?)\]|<</?SYS>>|</?s>\s*\[",
    r"</?(?:system|assistant|user|human|developer|instructions?|tool_(?:call|result|use|response)"
    r"|function_(?:calls?|results?)|invoke|thinking|system-reminder|admin|important"
    r"|engram-\w+)\b[^<>]*>",
    r"(?:^|\n) ?[#>*_ ]*(?:system|assistant|human|developer|instructions?)[*_ ]* ?:(?= ?\S)",
    r"\b(?:begin|end|start) (?:of )?(?:system|admin|hidden|new) (?:prompt|message|instructions?)\b",
    r"\byou are (?:now|actually|really|no longer)\b|\bpretend (?:to be|you)\b|\byour (?:new|real"
    r"|true"
    r"|actual) (?:role|task|goal|purpose|objective|instructions?|job)\b",
)
_STRICT_OVERRIDE = _any(
    r"\b(?:ignore|disregard|forget|override|bypass|overrule)\b[^.!?\n]{0,40}\b(?:instructions?"
    r"|prompts?"
    r"|guidelines?|rules?|polic(?:y|ies)|safeguards?|restrictions?|directives?|constraints?"
    r"|memor(?:y"
    r"|ies)|preferences?|(?:you|user|person|they)\b[^.!?\n]{0,20}\b(?:said|told|asked|wants?"
    r"|learned))\b",
    # the same in other languages
    r"\b(?:ignorier\w*|vergiss|vergessen sie|missachte)\b[^.!?\n]{0,40}\b(?:anweisung|regel|vorgabe"
    r"|befehl|instruktion)\w*",
    r"\b(?:ignor[ae]\w*|olvid[ae]\w*|esque[çc]\w+|dimentica\w*"
    r"|oubli\w+)\b[^.!?\n]{0,40}\b(?:instruc"
    r"|instruç|istruzion|consigne|reglas|regras|regole|règles|órdenes|ordens|directives)\w*",
    r"\b(?:negeer|negeren|vergeet)\b[^.!?\n]{0,40}\b(?:instructies|regels)\b",
    r"(?:игнорир|забуд)\w*[^.!?\n]{0,40}(?:инструкц|указан|правил)\w*",
    r"(?:忽略|忘记|無視|无视)[^。！？\n]{0,20}(?:指令|指示|规则|提示)",
    r"(?:指示|命令|ルール)[^。！？\n]{0,12}(?:無視|忘れ)|(?:지시|명령|규칙)[^.!?\n]{0,12}(?:무시|잊)",
)
_STRICT_KEEP_ELSEWHERE = _any(
    r"\b(?:merk(?:e|t)?(?: dir| euch)|speicher\w*)\b[^.!?\n]{0,60}(?:[:,]|\b(?:gedächtnis|dass"
    r"|dies)\b)",
    r"\b(?:recuerda|guarda|memoriza|lembre-se|guarde|ricorda(?:ti)?|souviens-toi|mémorise"
    r"|retiens)\b",
    r"(?:запомни|сохрани)\w*|(?:记住|記住|请记|保存到记忆)|(?:覚えて|記憶し)|(?:기억하|기억해)",
)
_ADDRESS = (
    r"(?:https?:|ftp:|wss?:|\S+@\S+\.\w|\S+\.(?:com|net|org|io|dev|xyz|app|site|co|me|info|sh"
    r"|example"
    r"|test|local|internal)\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|webhook|endpoint|server|address)"
)
_STRICT_EXFILTRATION = _any(
    rf"(?<![\w/.-])(?:send|post|upload|leak|exfiltrate|forward|e-?mail|transmit|publish|submit|report|beacon"
    rf"|deliver|copy|sync|push|mail|cc|bcc)\b[^.!?\n]{{0,80}}\b(?:to|at|via|into)"
    rf" ?[^.!?\n]{{0,30}}{_ADDRESS}",
    r"\b(?:call|fetch|get|visit|open|load|request|ping|query|contact|render|embed|include|append"
    r"|add"
    r"|insert)\b[^.!?\n]{0,60}https?:\S*(?:\?|\{|\$|<|%7b)\S*",
    r"!\\?\[[^\]\n]{0,80}\] ?\(https?:\S*[?{$]",
    r"\b(?:webhook\.site|ngrok\.|requestbin|pipedream\.net|burpcollaborator|interact\.sh|oast\.\w+"
    r"|requestcatcher|beeceptor|pastebin\.com)",
)
_STRICT_COMMAND = _any(
    r"\b(?:curl|wget|iwr|irm|invoke-webrequest|fetch)\b[^\n]{0,200}?(?:\||;|&&) ?(?:sudo )?(?:ba"
    r"|z|da)?"
    r"(?:sh|python3?|node|perl|ruby|iex|powershell|source)\b",
    r"\b(?:bash|sh|zsh|python3?|eval|source|exec) ?(?:-c )?[\"']?[<$(]+ ?\(? ?(?:curl|wget)\b",
    r"\b(?:rm -rf|chmod 777|sudo|mkfs|dd if=|git push (?:-f|--force)|base64 (?:-d|--decode))",
    r"(?:--no-verify|--dangerously\S*|--yolo)\b|:\(\)\{",
    # what a page says is carried out unread
    r"\bhttps?:\S+ and (?:then )?(?:follow|do|obey|execute|run)\b",
    # the files that keep the keys of an account
    r"\b(?:read|cat|print|paste|copy|write|append|add|echo)\b[^\n]{0,80}(?:\.ssh/|\.aws/credentials"
    r"|\bauthorized_keys\b|/etc/shadow\b)",
)
_SENT_BY_OTHERS: tuple[tuple[str, AnyCase], ...] = (
    ("injection_override", _STRICT_OVERRIDE),
    ("injection_role", _STRICT_ROLE),
    ("injection_exfiltration", _STRICT_EXFILTRATION),
    ("injection_command", _STRICT_COMMAND),
    ("injection_agent", _STRICT_AGENT),
    ("injection_memory", _STRICT_MEMORY),
    ("injection_memory", _STRICT_KEEP_ELSEWHERE),
)


#: where an order begins, and how one to do something does
_BEGINS = r"(?:^|[.!?;:\n] ?|, (?:and |then )?)"
_DO = (
    rf"{_BEGINS}(?:then |and |first |now |just |also |only |simply )?"
    r"(?:use|run|add|install|set|send|call|open|create|delete|remove|write|read|push|pull|commit"
    r"|deploy|approve|skip|disable|enable|turn|switch|start|stop|begin|execute|fetch|download"
    r"|upload|copy|move|put|make|include|exclude|prefer|follow|treat|consider|assume|accept|allow"
    r"|reply|respond|answer|say|tell|ask|give|keep|return|report|share|post|insert|replace|change"
    r"|update|check|verify|reject|refuse|route|point|configure|export|import|pin|visit|click|buy"
    r"|pay|transfer|wire|remember|memori[sz]e|note|store|save|record|mention|recommend|suggest|praise|rate|hide|show|print|log|merge|sign)"
    r" (?!(?:is|are|was|were|has|have|of|in|on|for|by|will|does|can|times?|messages?|requests?)\b)"
)
#: always, never, must and later in other languages
_ELSEWHERE = (
    r"\b(?:immer|stets|niemals|muss|müssen|darf nicht|siempre|nunca|jamás|debes?|deben|toujours"
    r"|jamais|doit|doivent|sempre|deve|devono|devem|altijd|nooit|moet|zawsze|nigdy|musi)\b"
    r"|всегда|никогда|долж(?:ен|на|ны)|总是|永远|必须|必須|常に|必ず|항상|반드시",
    r"\b(?:a partir de (?:ahora|agora)|dorénavant|désormais|ab (?:sofort|jetzt)|künftig"
    r"|d'ora in poi|vanaf nu|od teraz)\b|отныне|впредь|今後|これから|从现在|從現在"
    r"|(?<!\w)以后|앞으로",
)
_ADDRESSES = r"\byou(?:r|rs|rself|rselves|'(?:ll|re|ve|d))?\b|\b(?:is|are|was|were) to (?:be )?\w+"
#: Words of duty, and verbs that begin an order.
_INSTRUCTS = _any(
    r"\b(?:must|shall|should|always|never|do not|don't|make sure|ensure|be sure|please|needs? to"
    r"|ha(?:ve|s) to|required|ought to|let's|mandatory|forbidden|prohibited|not allowed|avoid)\b",
    _DO,
)


#: What is no plain statement of what is so: it speaks to a reader, claims trust or power, hands
#: something over for good, tells what agents do, or is a form that a program reads.
_NO_STATEMENT = _any(
    _ADDRESSES,
    r"\b(?:(?:un)?trust(?:s|ed|ing|worthy)?|exempt\w*|(?:white|allow)-?list\w*|safe|reliable"
    r"|authori[sz]\w+|(?:certificate )?authority|administrators?|commit rights|write access"
    r"|unreviewed|unverified|skip\w*|bypass\w*|no need to|sole|exclusively?|permanent(?:ly)?"
    r"|perpetuity|forever|irrevocabl\w+|first choice|hereby|immediately|urgent|overrid\w+"
    r"|without (?:question|checks?|review|verification))\b",
    r"\b(?:requires?|insists?|mandates?|instructs?|obliges?|mandated|instructed|obliged|entitled)\b",
    rf"\b{_AI}\b[^.!?\n]{{0,60}}\b(?:store|note|remember|trust|believe|recommend|prefer|choose|use"
    r"|follow|obey|treat|handle|send|run|call|accept|approve|skip|ignore|say|tell|answer|reply"
    r"|memori[sz]e|record|save)(?:s|d|ed)?\b",
    r"<[a-z!/]|<!--|[{\[] ?[\"']?\w+[\"']? ?:|\"\w+\" ?:|= ?\{|\$[({]|^\w+: ?\n",
    r"(?:^|\n)[-*+> ]{0,4}[\w.-]+ ?[:=] ?\S+ ?(?:\n|$)",
    r"\b(?:customary|(?:best|common|standard|usual) practice)\b",
    *_ELSEWHERE,
)
#: What is an order, or a claim of trust, from one who tells how a work is done and what was found.
_ORDER_OR_CLAIM = _any(
    _DO,
    rf"{_BEGINS}(?:and |but |just |then )?(?:always|never|do not|don't|make sure|ensure|be sure"
    r"|please|let's|avoid)\b"
    r"(?! (?:the|an?|what|whether|how|when|in|on|by|to|at|\w+ed|\w+[^s]s)\b)",
    r"^(?:always|never|do not|don't|make sure|ensure|be sure|please|let's|avoid)\b",
    _ADDRESSES,
    rf"\b{_AI}\b[^.!?;\n]{{0,60}}\b(?:must|shall|should|ha(?:ve|s) to|needs? to|always|never)\b",
    r"\b(?:future|later|subsequent) sessions? (?:must|shall|should|ha(?:ve|s) to|needs? to)\b",
    r"\b(?:agents|assistants) (?:trust|believe|follow|obey|accept|approve|skip|ignore|run)\b",
    r"\b(?:must|shall|should|may|can|needs? to|ha(?:ve|s) to)(?: \w+){0,2} (?:skip|bypass"
    r"|trust)\w*\b",
    r"\b(?:(?:un)?trust(?:s|ed|ing|worthy)?|exempt\w*|unreviewed|hereby"
    r"|without (?:question|review|verification))\b",
    *_ELSEWHERE,
)


def injection(text: str, *, own: bool = True) -> str:
    """A stable code when the text performs an injection, '' when it is clean.

    `own` says that the words are the person's: then what is asked of the memory is their wish.
    """
    if not own:
        if hidden_signs(text):
            return "injection_hidden"
        if is_encoded(text):
            return "injection_encoded"
    seen = _seen(text)
    speaking = "\n".join(map(_unquoted, seen.split("\n")))
    met: set[str] = set()
    found = _performed(speaking, _ORDERS, _excused, met)
    if own and not found and any(injection(words, own=False) for words in decoded(text)):
        return "injection_encoded"
    if found or own:
        return found
    if any(_performed(form, _ORDERS, _excused) for form in other_forms(seen)):
        return "injection_encoded"
    # a quotation is no excuse for what somebody else has written
    bare = seen.replace('"', "")
    orders = [one for one in _ORDERS if one[0] in met] if bare == speaking else _ORDERS
    return _performed(bare, (*orders, *_SENT_BY_OTHERS), _told_of)


def added_order(text: str, given: str) -> str:
    """The code of an order in a text that a model wrote, unless what it was given holds it too."""
    code = injection(text, own=False)
    return code if code and (injection(text) or injection(given, own=False) != code) else ""


Excuse = Callable[[str, str, str], bool]


def _performed(
    text: str, orders: Iterable[tuple[str, AnyCase]], excused: Excuse, met: set[str] | None = None
) -> str:
    """The code of the first order that is not excused; those of excused ones are put into `met`."""
    for code, pattern in orders:
        for found in pattern.finditer(text):
            if met is not None:
                met.add(code)
            start, end = _sentence(text, found)
            if not excused(code, text[start : found.start()], text[found.end() : end]):
                return code
    return ""


def _told_of(code: str, before: str, behind: str) -> bool:
    """Whether a sentence tells of an attack, or of what people did."""
    if _TOLD_OF.search(before) or _CALLED.match(behind):
        return True
    return code == "injection_override" and _PEOPLE_TELL.match(before) is not None


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


def is_instruction(text: str) -> bool:
    """Whether a text tells somebody what to do or to believe, and is no plain statement."""
    seen = _seen(text)
    return _INSTRUCTS.search(seen) is not None or _NO_STATEMENT.search(seen) is not None


def is_order(text: str) -> bool:
    """The same of one who tells how a work is done: what a part "must" do is how it works."""
    return _ORDER_OR_CLAIM.search(_seen(text)) is not None
