#!/usr/bin/env bash
# The demo: run.sh BIN_DIR, where BIN_DIR holds the `engram` command (`make demo` calls it).
# Makes ./demo-vault, ./demo-vault-model and its own user files in ./.demo-home anew each time, or all
# below $DEMO_FOLDER. Needs no network and no key, and touches nothing else.
set -euo pipefail

here=$(cd "$(dirname "$0")/../.." && pwd)
bin=$(cd "${1:?usage: run.sh BIN_DIR}" && pwd)
cd "$here"
at=${DEMO_FOLDER:+$DEMO_FOLDER/}
vault=${at}demo-vault
second=${at}demo-vault-model
home=${at}.demo-home

# The person's own settings stay out, and the clock stands still: the evening after the last session.
for name in $(env | sed -n 's/^\(ENGRAM_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
export ENGRAM_HOME=$home ENGRAM_VAULT=$vault ENGRAM_CLOCK=2026-03-06T21:00:00Z TZ=UTC
# Data and talk in the order in which they are said, through a pipe too.
export PYTHONUNBUFFERED=1

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi

heading() { printf '\n%s%s%s\n%s\n' "$bold" "$1" "$plain" "${1//?/-}"; }
note() { printf '%s\n' "$@"; }
echoed() {
  printf '\n%s$ engram' "$bold"
  for word in "$@"; do
    case $word in *[\ \?]*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '%s\n' "$plain"
}
engram() {
  echoed "$@"
  "$bin/engram" "$@" 2>&1
}
facts() { find "$vault/facts" -type f -name '*.md' | LC_ALL=C sort; }
count() { wc -l | tr -d ' '; }
digest() { facts | while IFS= read -r file; do printf '%s ' "$file" && cksum <"$file"; done | cksum; }
absent() {
  found=$({ grep -rlF -e "$1" "$vault" "$home" || true; } | count)
  printf '  %-28s %s files\n' "$2" "$found"
  [ "$found" = 0 ]
}

rm -rf "$vault" "$second" "$home"

heading "1  A vault"
note "An ordinary folder. Nothing is sent anywhere, and no key is needed."
engram init "$vault"

heading "2  Three conversations"
note "Kim builds a web shop for a bakery with a coding agent, from Wednesday to Friday." \
  "These are the transcripts that the agent left behind (tests/demo/conversation)."
engram import claude-code tests/demo/conversation

heading "3  What was kept"
kinds=$(facts | sed 's|.*/||; s|-.*||' | LC_ALL=C sort | uniq -c | sed 's/^ *//')
note "$(facts | count) memories in $(printf '%s\n' "$kinds" | count) categories, a file each in $vault/facts:" \
  "$(printf '%s\n' "$kinds" | paste -s -d, - | sed 's/,/, /g')." \
  "A line has the short id that every command takes, day, category, project and title."
engram list --since 2026-03-06

heading "4  One of them"
note "A statement, the words it rests on, and a link to the turn in the readable transcript."
chosen=$(grep -lF 'two writers' "$vault"/facts/*/decision-*.md | sed -n 1p)
chosen=${chosen##*/}
engram show "${chosen%.md}"

heading "5  Finding"
note "Memories come first, then the turns of the conversations, then pages about people and things."
engram search "two writers" --limit 1
engram search "too many clients" --limit 1
engram search fly.io --limit 1

heading "6  Asking"
note "The same as an agent at work on the shop is given it, with sources. Asked when, it begins with the" \
  "date. Of what the second asks for no memory was made: Kim only said it."
engram recall "when did we decide to use postgres?" --limit 1 --project shop
engram recall "when will the token be rotated?" --limit 1 --project shop

heading "7  What was kept out"
note "Kim pasted a password and a token on Thursday. A web page that the agent read that day held" \
  "orders for the agent. Files of the vault and of the cache in which they stand:"
absent 'Tr0ub4dor-and-3' "the database password"
absent 'ghp_0123456789abcdef' "the GitHub token"
absent 'keys.collector.example' "the orders on the web page"
note "What the transcript says instead:" \
  "$(grep -rhoE '\[REDACTED:[^]]*\]' "$vault/transcripts" | sed 's/^/  /')"

heading "8  Is it right?"
note "The person has the last word: a key for each memory that the import brought. Here Kim keeps the" \
  "first (k), takes that back (u), and quits (q)."
printf '\n%s$ engram review import-1%s\n' "$bold" "$plain"
printf 'k\nu\nq\n' | "$bin/engram" review import-1 2>&1

heading "9  Undo, and undo of the undo"
before=$(digest)
echoed undo import-1
said=$("$bin/engram" undo import-1 2>&1)
note "$said" "" "memories left in $vault/facts: $(facts | count)"
[ "$(facts | count)" = 0 ]
engram undo "$(printf '%s\n' "$said" | sed -n 's/.*engram undo \([0-9][0-9]*\).*/\1/p')"
[ "$(digest)" = "$before" ]
note "" "memories in $vault/facts: $(facts | count), every byte as it was before"

heading "10  Consolidation"
note "It gathers what belongs together, and would merge, replace, sum up and age what it may. All of it" \
  "can be taken back."
engram consolidate
note "" "Who and what was spoken of has a page, and each stretch of a conversation its box:"
engram entities show jonas
engram boxes --limit 3
note "" "How much was said and learnt, and how good it is. The rows of the audit are faults that a memory can" \
  "have: said twice, other people's words, broken off ... (--all tells what each means)."
engram stats
engram audit

heading "11  The same with a model"
note "A model finds what rules miss, and says it better. Here it reads the same three conversations." \
  "It is a stand-in: a program on this machine that speaks the API of OpenAI and gives recorded" \
  "answers (tests/demo/answers.json). No key is needed, and nothing leaves this machine."
mkdir -p "$home"
"$bin/python" -m tests.fakes.model_server tests/demo/answers.json >"$home/address" &
stand_in=$!
trap 'kill "$stand_in" 2>/dev/null || true' EXIT
while [ ! -s "$home/address" ]; do
  kill -0 "$stand_in"
  sleep 0.1
done
ENGRAM_LLM_BASE_URL=$(cat "$home/address") ENGRAM_VAULT=$second
export ENGRAM_LLM_BASE_URL ENGRAM_VAULT ENGRAM_LLM_MODEL=gpt-5.4-nano OPENAI_API_KEY=demo
engram init "$second"
note "" "History is never sent to a model unasked. First the price, then the work:"
engram import claude-code tests/demo/conversation --model --dry-run
engram import claude-code tests/demo/conversation --model --yes
note "" "The answers hold mistakes on purpose: words that nobody said, a category of its own making, the" \
  "agent's liking as the person's, an order to post keys. None of them became a memory: \`refused\` says how" \
  "many and why. The decisions, and those that they replaced:"
engram list --category decision --status active --status superseded

heading "Where to go next"
note "Look around in $vault: it is plain Markdown, and opens as a vault in Obsidian." \
  "Ask it something:" \
  "    ENGRAM_HOME=$home ${bin#"$here/"}/engram --vault $vault why ${chosen%.md}" \
  "Then start one of your own:" \
  "    ${bin#"$here/"}/engram init" \
  "    ${bin#"$here/"}/engram import auto" \
  "README.md tells the rest."
