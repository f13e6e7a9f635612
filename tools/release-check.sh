#!/usr/bin/env bash
# Holds the release form together, and publishes nothing:
#
#   - `go install github.com/winnowhq/winnow/cmd/winnow@latest`, from the modules as a proxy
#     serves them, with a module cache of its own;
#   - .goreleaser.yaml, and a snapshot of it for this machine, by the pinned goreleaser;
#   - the list of what a binary links (CycloneDX);
#   - the image, made without a container engine: twice the same digest, and started in
#     namespaces of its own, as nobody, on a read-only file system.
#
# Each form says its version. It needs Linux, and the Go module proxy once.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
goreleaser=v2.16.0 # needs Go 1.26; later ones need modules that not every proxy has

bin=$PWD/bin
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir -p "$bin" "$work/out"
step() { printf '== %s (%ds)\n' "$*" "$SECONDS"; }
# away CAPABILITY says that something cannot be tried here, unless WINNOW_REQUIRE names it.
away() {
	case ",${WINNOW_REQUIRE:-}," in *",$1,"*) fail "$2, and WINNOW_REQUIRE names $1" ;; esac
	echo "NOT RUN: $2"
}
fail() {
	echo "release-check: $*" >&2
	exit 1
}

revision=$(git rev-parse HEAD)
created=$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
version=0.0.0-check
stamp=github.com/winnowhq/winnow/services/internal/telemetry

step "go install …@latest"
WINNOW_RELEASE_CHECK=1 $go test -count=1 -v -timeout 30m -run '^TestReleaseInstalls$' ./services/internal/test/archtest |
	grep -E 'installed:|^(---|ok|FAIL)' || fail "it cannot be installed"

step "goreleaser"
if [ ! -x "$bin/goreleaser-$goreleaser" ] &&
	GOBIN=$work/out GOFLAGS= $go install "github.com/goreleaser/goreleaser/v2@$goreleaser" >"$work/install.log" 2>&1; then
	mv "$work/out/goreleaser" "$bin/goreleaser-$goreleaser"
fi
if [ -x "$bin/goreleaser-$goreleaser" ]; then
	"$bin/goreleaser-$goreleaser" check
	# A snapshot wants a tag to count from; it gets one in a clone, so that this folder has none.
	git clone -q --no-tags . "$work/clone"
	git -C "$work/clone" tag v0.1.0
	(cd "$work/clone" && "$bin/goreleaser-$goreleaser" build --snapshot --single-target --id winnow --clean >"$work/goreleaser.log" 2>&1) ||
		{ cat "$work/goreleaser.log"; fail "goreleaser build"; }
	said=$("$(find "$work/clone/dist" -name winnow -type f)" --version)
	[[ $said == *"-next (${revision:0:12}"* ]] || fail "the snapshot says $said"
	echo "$said"
else
	tail -3 "$work/install.log" >&2
	away goreleaser "goreleaser $goreleaser cannot be built here"
fi

step "image"
(cd tools/release && GOWORK=off $go build -o "$bin/" ./image ./sbom)
CGO_ENABLED=0 $go build -trimpath -buildvcs=false -o "$work/binaries/" \
	-ldflags="-s -w -X $stamp.version=$version -X $stamp.revision=$revision" ./cmd/...
pack() { "$bin/image" -binaries "$work/binaries" -version "$version" -revision "$revision" -created "$created" -arch "$($go env GOARCH)" "$@"; }
digest=$(pack -out "$work/image" -root "$work/root")
again=$(pack -out "$work/again")
[ "$digest" = "$again" ] || fail "the image is $digest and then $again"
echo "$digest  $(du -sh "$work/image" | cut -f1)"

# started COMMAND… runs it as the container's user sees it: own processes, no network, a
# read-only root with the folder that it may write.
started() {
	unshare --user --map-root-user --mount --pid --net --ipc --uts --fork \
		bash -c 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && u=$(command -v unshare) && exec env -i PATH=/usr/local/bin HOME=/var/lib/winnow "$u" --user --map-user=65532 --map-group=65532 --root="$0" --wd=/ "$@"' "$work/root" "$@"
}
if unshare --user --map-root-user --mount --pid --net true 2>/dev/null; then
	said=$(started winnow --version)
	[[ $said == *"$version (${revision:0:12}"* ]] || fail "in the image: $said"
	echo "in the image: $said"
	for program in "$work"/binaries/winnow-*; do
		said=$(started "$(basename "$program")" --version)
		[[ $said == *"$version"* ]] || fail "$(basename "$program") in the image: $said"
	done
	code=0
	started winnow run >"$work/run.log" 2>&1 || code=$?
	[ "$code" -eq 3 ] && grep -q 'postgres' "$work/run.log" || { cat "$work/run.log"; fail "winnow run without settings: exit code $code, want 3"; }
	echo "winnow run without settings ends with 3 and names what is missing"
else
	away namespaces "this machine forbids namespaces, so the image was made and not started"
fi

step "what is linked"
"$bin/sbom" "$work/binaries/winnow" "$work/winnow.cdx.json" "$version"
linked=$($go version -m "$work/binaries/winnow" | grep -cE $'^\t(dep|=>)')
listed=$(grep -c '"purl"' "$work/winnow.cdx.json")
# One more for the standard library, one for the program itself.
[ "$listed" -eq $((linked + 2)) ] || fail "$listed components for $linked modules"
echo "$listed components, each with its version"
step "done; nothing was published"
