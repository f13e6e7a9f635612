#!/bin/sh
# Reads the code with the linters that tools/lint/go.mod pins, built into bin/
# on first use (about two minutes, golangci-lint is large).
#
#   tools/lint.sh golangci   what .golangci.yml enables, in all three modules
#   tools/lint.sh deadcode   functions that no main and no test reaches
#   tools/lint.sh vuln       known holes in what is linked; says so and passes
#                            where the database of holes cannot be reached
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$root/bin

# build NAME PACKAGE builds a tool unless it is newer than the pins.
build() {
	if [ ! -x "$bin/$1" ] || [ "$root/tools/lint/go.mod" -nt "$bin/$1" ]; then
		mkdir -p "$bin"
		(cd "$root/tools/lint" && GOWORK=off go build -trimpath -o "$bin/$1" "$2")
		touch "$bin/$1"
	fi
}

case "${1:-}" in
golangci)
	build golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	for module in . pkg proto; do
		(cd "$root/$module" && "$bin/golangci-lint" run --config "$root/.golangci.yml" --allow-parallel-runners ./...)
	done
	;;
deadcode)
	build deadcode golang.org/x/tools/cmd/deadcode
	cd "$root"
	# What only tests call counts as alive here: the mains decide with -test left
	# out, and tools/lint/deadcode.txt lists what waits for a part to come.
	found=$("$bin/deadcode" ./cmd/... ./examples/... ./services/internal/docgen | sed 's/:[0-9]*:[0-9]*: /: /' |
		grep -v '^services/internal/test/\|test/[^/]*\.go: ' | sort || true)
	wanted=$(grep -v '^#' tools/lint/deadcode.txt | sort)
	[ "$found" = "$wanted" ] || {
		printf '%s\n' "$wanted" >"$bin/deadcode.wanted"
		printf '%s\n' "$found" | diff -u "$bin/deadcode.wanted" - >&2 || true
		echo "deadcode: remove what no main reaches (+), or take what is reached out of tools/lint/deadcode.txt (-)" >&2
		exit 1
	}
	;;
vuln)
	build govulncheck golang.org/x/vuln/cmd/govulncheck
	cd "$root"
	out=$("$bin/govulncheck" ./cmd/... 2>&1) && { echo "govulncheck: nothing known"; exit 0; }
	case "$out" in
	*"fetching vulnerabilities"* | *"no such host"* | *"connection refused"* | *"i/o timeout"* | *"403"* | *"proxyconnect"*)
		echo "govulncheck: not run, its database cannot be reached from here" ;;
	*) printf '%s\n' "$out"; exit 1 ;;
	esac
	;;
*)
	sed -n '2,/^$/s/^# \{0,1\}//p' "$root/tools/lint.sh" >&2
	exit 2
	;;
esac
