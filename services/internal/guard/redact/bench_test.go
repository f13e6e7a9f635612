package redact_test

import (
	"strings"
	"testing"
)

// note is a clean developer note of some 200 bytes that holds several of the
// library's keywords, as such notes do.
const note = "The API gateway reads its key mapping from config/routes.yaml since 2026-02-11; " +
	"token refresh moved into internal/auth/session.go, and the access log keeps 14 days (commit 3f2a91c) for every tenant."

func benchmarkText(b *testing.B, text string) {
	r := redactor(b, true)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r.Text("acme", text)
	}
}

func BenchmarkClean200B(b *testing.B) { benchmarkText(b, note) }
func BenchmarkClean10kB(b *testing.B) { benchmarkText(b, strings.Repeat(note+"\n", 50)) }
func BenchmarkClean68kB(b *testing.B) { benchmarkText(b, strings.Repeat(note+"\n", 340)) }

func BenchmarkSecret200B(b *testing.B) {
	benchmarkText(b, note[:140]+" DATABASE_URL=postgres://app:tr0ub4dor@db.internal:5432/app")
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		redactor(b, true)
	}
}
