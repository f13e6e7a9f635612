#!/usr/bin/env bash
# Has schemathesis (PyPI, pinned below) derive requests from the contract, right ones and
# wrong ones, and send them to a winnow dev of its own: `tools/schemathesis.sh [EXAMPLES]`,
# how many of each operation (default 30). It fails where the server answers with a 5xx, or
# with a status, a content type, a header or a body that the contract does not have. It asks
# with the key of a person, who may do everything, with that of one who is bound to a team,
# and without one, as the agents of a laptop are served.
#
# Where Python or PyPI cannot be had it says so and passes, unless WINNOW_REQUIRE names
# pypi.
set -euo pipefail
cd "$(dirname "$0")/.."
pinned=schemathesis==4.32.5
examples=${1:-30} seed=${SEED:-1}

away() {
	case ",${WINNOW_REQUIRE:-}," in
	*,pypi,*)
		echo "schemathesis: $1, and WINNOW_REQUIRE names pypi" >&2
		exit 1
		;;
	esac
	echo "schemathesis: NOT RUN, $1"
	exit 0
}
command -v python3 >/dev/null || away "python3 is not installed"

tool=${XDG_CACHE_HOME:-$HOME/.cache}/winnow/$pinned
work=$(mktemp -d)
server=
end() {
	[ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
	rm -rf "$work"
}
trap end EXIT
if [ ! -x "$tool/bin/schemathesis" ]; then
	rm -rf "$tool"
	python3 -m venv "$tool" 2>"$work/pip.log" || away "python3 makes no venv: $(tail -1 "$work/pip.log")"
	timeout 300 "$tool/bin/pip" install -q --disable-pip-version-check --retries 1 "$pinned" >"$work/pip.log" 2>&1 || {
		rm -rf "$tool"
		away "pip could not install $pinned: $(tail -1 "$work/pip.log")"
	}
fi

${GO:-go} build -o "$work/winnow" ./cmd/winnow
mkdir "$work/home"
mkfifo "$work/banner"
env HOME="$work/home" XDG_STATE_HOME="$work/state" "$work/winnow" dev --ephemeral --port 0 --nats-port 0 >"$work/banner" 2>"$work/dev.log" &
server=$!
# It prints its banner, with the address and last its folder, when all of it is ready.
exec 3<"$work/banner"
url= WINNOW_STATE_DIR=
while [ -z "$WINNOW_STATE_DIR" ] && IFS= read -r line <&3; do
	case $line in
	*HTTP*http://*) url=$(sed -n 's/^ *HTTP *\(http[^ ]*\).*/\1/p' <<<"$line") ;;
	*WINNOW_STATE_DIR=*) WINNOW_STATE_DIR=${line##*WINNOW_STATE_DIR=} ;;
	esac
done
[ -n "$WINNOW_STATE_DIR" ] || { cat "$work/dev.log"; exit 1; }
export WINNOW_STATE_DIR
# key ID ARGS… registers a principal and prints its key.
key() { "$work/winnow" principal add "$@" --key 2>/dev/null | sed 's/^[^ ]* //'; }

# ask WHO ARGS… sends everything in the name of WHO.
failed=
ask() {
	local who=$1
	shift
	echo "schemathesis as $who"
	# From the temporary folder, because it keeps a cache where it runs.
	(cd "$work" && nice -n 5 "$tool/bin/schemathesis" run "$url/api/openapi.json" --no-color --seed "$seed" --max-examples "$examples" --phases "${PHASES:-examples,coverage,fuzzing,stateful}" \
		--continue-on-failure --suppress-health-check all --warnings off --request-timeout 60 \
		--checks "${CHECKS:-not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,unsupported_method}" \
		"$@") >"$work/$who.log" 2>&1 || failed=1
	if [ -n "$failed" ] || [ -n "${VERBOSE:-}" ]; then cat "$work/$who.log"; else sed -n '/SUMMARY/,$p' "$work/$who.log"; fi
}
ask person -H "Authorization: Bearer $(key fuzz --highest human)"
ask bound -H "Authorization: Bearer $(key fuzz-bound --highest human --scope team:web)"
ask agent
[ -z "$failed" ]
