#!/usr/bin/env bash
# The first hour of a new user, in a clean home: demo, dev, adopt, mcp install, a session,
# review, undo. Prints each command with its time and exit code, and fails with the first
# that fails. WINNOW names a built program; without it one is built.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
# Short, because a socket's path is, and open to the user that root's PostgreSQL runs as.
hour=$(mktemp -d /tmp/first-hour-XXXXXX)
chmod 711 "$hour"
dev=
finish() {
  if [ -n "$dev" ] && kill -0 "$dev" 2>/dev/null; then
    kill -TERM "$dev"
    wait "$dev" || true
  fi
  rm -rf "$hour"
}
trap finish EXIT

if [ -z "${WINNOW:-}" ]; then
  WINNOW=$hour/winnow
  "${GO:-go}" build -o "$WINNOW" ./cmd/winnow
fi
export HOME=$hour/home WINNOW_STATE_DIR=$hour/state NO_COLOR=1
unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_STATE_HOME XDG_CONFIG_HOME
mkdir -p "$HOME/.claude/projects/-shop" "$hour/shop"
# A made-up history of one agent: a session in the folder of the shop, and its notes.
cat >"$HOME/.claude/projects/-shop/one.jsonl" <<END
{"type":"user","sessionId":"one","cwd":"$hour/shop","timestamp":"2026-02-05T09:00:00Z","message":{"role":"user","content":"Cut the release."}}
{"type":"assistant","sessionId":"one","timestamp":"2026-02-05T09:00:10Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"git tag v3.1.0"}}]}}
{"type":"user","sessionId":"one","timestamp":"2026-02-05T09:00:20Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":""}]}}
{"type":"user","sessionId":"one","timestamp":"2026-02-05T09:00:30Z","message":{"role":"user","content":"Please remember the following:\\n- The release notes live in docs/releases.md.\\nThanks!"}}
END
printf '%s\n' '# Shop' '' '- 2026-02-01: the mail relay of the shop listens on port 2525.' >"$hour/shop/CLAUDE.md"
cd "$hour/shop"

# step COMMAND... runs it; its output is in $hour/out.
step() {
  local began ended code=0
  began=$(date +%s%N)
  "$@" >"$hour/out" 2>"$hour/err" || code=$?
  ended=$(date +%s%N)
  shift
  printf '%6d ms  exit %d  winnow %s\n' $(((ended - began) / 1000000)) "$code" "$*"
  if [ "$code" -ne 0 ]; then
    cat "$hour/out" "$hour/err" >&2
    exit 1
  fi
}

# id PREFIX prints the first id of a kind in the last output.
id() { grep -oE "$1_[0-9A-Z]{26}" "$hour/out" | head -1; }

step "$WINNOW" --version
step "$WINNOW" demo

began=$(date +%s%N)
mkfifo "$hour/banner"
"$WINNOW" dev --ephemeral --port 0 --nats-port 0 >"$hour/banner" 2>"$hour/dev.log" &
dev=$!
# It prints its banner when all of it is ready. The last line names the folder that an
# ephemeral instance has for itself; without it the process has ended.
exec 3<"$hour/banner"
WINNOW_STATE_DIR=
while [ -z "$WINNOW_STATE_DIR" ] && IFS= read -r line <&3; do
  case $line in *WINNOW_STATE_DIR=*) WINNOW_STATE_DIR=${line##*WINNOW_STATE_DIR=} ;; esac
done
[ -n "$WINNOW_STATE_DIR" ] || { cat "$hour/dev.log" >&2; exit 1; }
printf '%6d ms          winnow dev, until it answers\n' $((($(date +%s%N) - began) / 1000000))

step "$WINNOW" adopt
grep -q 'release notes live in docs' "$hour/out" || { echo "adopt found nothing in the history:" >&2; cat "$hour/out" >&2; exit 1; }
step "$WINNOW" adopt --write
step "$WINNOW" mcp install claude
step "$WINNOW" remember "2026-11-20: the shop's tests need \`make db\` first." --scope project:shop
step "$WINNOW" search "make db" --scope project:shop
step "$WINNOW" publish "$repository/services/ops/demo/sessions/integration.jsonl" --project first-hour --wait
step "$WINNOW" propose "Never push to \`main\` without a review." --scope project:shop --json
proposal=$(id prop)
step "$WINNOW" review --plain
step "$WINNOW" review decide "$proposal" promote --json
decision=$(id dec)
step "$WINNOW" why "$proposal"
step "$WINNOW" undo "$decision"
step "$WINNOW" audit verify --rows
step "$WINNOW" demo --clean
step "$WINNOW" mcp check claude
step "$WINNOW" doctor
echo "the first hour took $SECONDS s"
