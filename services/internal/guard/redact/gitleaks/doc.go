// Package gitleaks holds the rules of gitleaks as data: gitleaks.toml is the file
// that its release ships, unchanged and under its own licence (MIT, see LICENSE).
// The package reads that file and decides how the file's allowlists are applied.
// It contains none of the program's code, which depends on some fifty modules for
// reading repositories and archives.
//
// A newer release is adopted in four steps:
//
//	go get github.com/zricethezav/gitleaks/v8@VERSION
//	cp "$(go list -m -f '{{.Dir}}' github.com/zricethezav/gitleaks/v8)"/config/gitleaks.toml .
//	sha256sum gitleaks.toml                 # the new [Version] and [SHA256] go into file.go
//	go test ./services/internal/guard/redact/... && make docs
//
// The tests compare the file with the hash, and every rule that is read here with
// what the program itself, a dependency of tests alone, reads from its release.
package gitleaks
