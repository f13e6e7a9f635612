#!/bin/sh
# Checks and generates the contract in proto/ with the versions that
# tools/go.mod pins, built into bin/ on first use.
#
#   tools/buf.sh lint       style and comments, by proto/buf.yaml
#   tools/buf.sh breaking   against proto/baseline.binpb, the released contract
#   tools/buf.sh generate   *.pb.go beside each .proto
#   tools/buf.sh check      fails when generating would change a committed file
#   tools/buf.sh baseline   accepts the contract as released; after a release only
#
# The baseline is a file and not a git reference so that the check needs neither
# a network nor the repository's history.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$root/bin

# build NAME PACKAGE builds a tool unless it is newer than the pins.
build() {
	if [ ! -x "$bin/$1" ] || [ "$root/tools/go.mod" -nt "$bin/$1" ]; then
		mkdir -p "$bin"
		(cd "$root/tools" && GOWORK=off go build -o "$bin/$1" "$2")
		touch "$bin/$1"
	fi
}

build buf github.com/bufbuild/buf/cmd/buf
build protoc-gen-go google.golang.org/protobuf/cmd/protoc-gen-go
PATH=$bin:$PATH
cd "$root/proto"

case "${1:-}" in
lint) buf format --diff --exit-code && buf lint ;;
breaking) buf breaking --against baseline.binpb ;;
generate) buf generate ;;
check)
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	buf generate --output "$tmp"
	for f in winnow/v1/*.pb.go; do
		cmp -s "$f" "$tmp/$f" || {
			echo "$f is not what its .proto says; run: tools/buf.sh generate" >&2
			exit 1
		}
	done
	;;
baseline) buf build --output baseline.binpb ;;
*)
	sed -n '2,/^$/s/^# \{0,1\}//p' "$root/tools/buf.sh" >&2
	exit 2
	;;
esac
