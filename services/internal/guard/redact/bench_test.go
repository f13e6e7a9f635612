package redact_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
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

// BenchmarkBySize shows the cost per byte by the length of the text. It is
// nearly flat: compare the MB/s of one kind from 0.1 to 8 MB.
func BenchmarkBySize(b *testing.B) {
	for _, kind := range []struct {
		name string
		make func(n int) string
	}{
		{"random", randomText},
		{"lines", func(n int) string { return strings.Repeat(note+"\n", n/len(note)) }},
		{"one-line", func(n int) string { return strings.Repeat(note+" ", n/len(note)) }},
		{"secrets", func(n int) string {
			var out strings.Builder
			for i := 0; out.Len() < n; i++ {
				fmt.Fprintf(&out, "SERVICE_%d_TOKEN=q%dw8E9r0T1y%d\n", i, i*7919, i*104729)
			}
			return out.String()
		}},
	} {
		for _, kB := range testenv.Amounts(100, 1_000, 4_000, 8_000) {
			text := kind.make(kB * 1000)
			b.Run(fmt.Sprintf("%s/%dkB", kind.name, kB), func(b *testing.B) { benchmarkText(b, text) })
		}
	}
}

// randomText returns base64 of noise in lines, as a dump or a binary file looks.
func randomText(n int) string {
	raw := make([]byte, n*3/4)
	source := rand.New(rand.NewPCG(1, 2))
	for i := range raw {
		raw[i] = byte(source.UintN(256))
	}
	var out strings.Builder
	text := base64.StdEncoding.EncodeToString(raw)
	for at := 0; at < len(text); at += 76 {
		out.WriteString(text[at:min(len(text), at+76)])
		out.WriteByte('\n')
	}
	return out.String()
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		redactor(b, true)
	}
}
