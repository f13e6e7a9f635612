#!/bin/sh
# Checks and generates the contract in proto/ with the versions that
# tools/go.mod pins, made in bin/ on first use.
#
# buf takes two minutes to build, so on Linux its makers' own binary of the same
# version is taken from npm's registry where that can be reached, and only if it is
# byte for byte the one below.
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

# The package @bufbuild/buf-linux-x64 of this version, as npm packs it.
published=1.73.0
published_sha512=74c7ba94142b9474d4ec3ceacda47b51d932ed1efc103cf3c6d61941d8e466e9fd8ca763191e1f2db3d610fc98e2b2c657293a5149ebb647f9aa820ad920baab

# fetch_buf puts the published binary into bin/; it fails where there is none that
# fits the pins and this machine.
fetch_buf() {
	[ "$(uname -sm)" = "Linux x86_64" ] && command -v npm >/dev/null || return 1
	grep -q "bufbuild/buf v$published " "$root/tools/go.mod" || return 1
	packed=$(mktemp -d)
	if (cd "$packed" && npm pack --silent --fetch-retries=1 "@bufbuild/buf-linux-x64@$published") >/dev/null 2>&1 &&
		echo "$published_sha512  $(echo "$packed"/*.tgz)" | sha512sum --check --status; then
		mkdir -p "$bin"
		tar -xzf "$packed"/*.tgz -C "$packed" package/bin/buf && mv "$packed/package/bin/buf" "$bin/buf" && touch "$bin/buf"
		fetched=0
	else
		fetched=1
	fi
	rm -rf "$packed"
	return $fetched
}

[ -x "$bin/buf" ] && [ ! "$root/tools/go.mod" -nt "$bin/buf" ] || fetch_buf || true
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
