#!/usr/bin/env bash
# Runs every fuzz target of the three modules, one after another, for a time
# each: `scripts/fuzz.sh 10s`. The go command runs one target at a time, hence
# the loop.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
time=${1:-10s}

grep -rlE '^func Fuzz[A-Z]' --include='*_test.go' cmd pkg proto services | sort | while read -r file; do
	package=./$(dirname "$file")
	sed -nE 's/^func (Fuzz[A-Za-z0-9_]+)\(.*/\1/p' "$file" | while read -r target; do
		echo "== $package $target"
		"$go" test -run='^$' -fuzz="^$target\$" -fuzztime="$time" "$package" </dev/null
	done
done
