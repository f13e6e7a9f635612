package transcript_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// write is a session as it is kept.
func write(t interface{ Fatal(...any) }, lines []transcript.Line) (chunks [][]byte, hash string, size int64) {
	w := transcript.NewWriter()
	for _, l := range lines {
		if err := w.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	chunks, hash, size, err := w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return chunks, hash, size
}

// anyLine draws a line as ingest makes them: UTF-8, times in UTC.
func anyLine(t *rapid.T, n int) transcript.Line {
	l := transcript.Line{Turn: trace.Turn{
		N:    n,
		Role: rapid.SampledFrom([]trace.Role{trace.RoleUser, trace.RoleAssistant, trace.RoleTool, trace.RoleSystem}).Draw(t, "role"),
		Text: rapid.String().Draw(t, "text"),
		Line: rapid.IntRange(0, 1000).Draw(t, "line"),
		Cut:  rapid.IntRange(0, 1000).Draw(t, "cut"),
	}}
	if rapid.Bool().Draw(t, "tool") {
		l.Tool = trace.Tool{Name: rapid.String().Draw(t, "name"), Kind: trace.KindShell, Call: rapid.String().Draw(t, "call"), Command: rapid.String().Draw(t, "command")}
	}
	l.Settled = rapid.Bool().Draw(t, "settled")
	l.Error = l.Settled && rapid.Bool().Draw(t, "error")
	if rapid.Bool().Draw(t, "timed") {
		l.At = time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "second"), rapid.Int64Range(0, 999_999_999).Draw(t, "nano")).UTC()
	}
	l.Span = trust.Span{Turn: n, Role: l.Role, Origin: rapid.SampledFrom(memory.Origins()).Draw(t, "origin")}
	if l.Span.Origin == memory.OriginExternal {
		l.Span.Cause, l.Span.From = trust.CauseNetwork, n
	}
	return l
}

// What is written is read.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var lines []transcript.Line
		size := int64(0)
		for n := range rapid.IntRange(0, 20).Draw(t, "turns") {
			l := anyLine(t, n+1)
			lines = append(lines, l)
			size += int64(len(l.Text))
		}
		chunks, hash, got := write(t, lines)
		back, err := transcript.Read(chunks)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(back, lines) {
			t.Fatalf("wrote %+v\nread  %+v", lines, back)
		}
		if got != size || len(hash) != 64 {
			t.Fatalf("%d bytes, want %d; hash %q", got, size, hash)
		}
	})
}

// A session longer than a chunk is cut, and none of it is lost.
func TestChunks(t *testing.T) {
	t.Parallel()
	var lines []transcript.Line
	noise := noise()
	for n := range 40 {
		lines = append(lines, transcript.Line{Turn: trace.Turn{N: n + 1, Role: trace.RoleTool, Text: noise(128 << 10)}})
	}
	chunks, _, _ := write(t, lines)
	if len(chunks) < 3 {
		t.Fatalf("%d chunks", len(chunks))
	}
	for i, c := range chunks {
		if len(c) > transcript.MaxChunk || i < len(chunks)-1 && len(c) != transcript.MaxChunk {
			t.Errorf("chunk %d has %d bytes", i, len(c))
		}
	}
	if back, err := transcript.Read(chunks); err != nil || !slices.Equal(back, lines) {
		t.Errorf("%d lines, %v", len(back), err)
	}
}

// noise makes text that does not compress away, the same each time.
func noise() func(n int) string {
	state := uint64(1)
	return func(n int) string {
		b := make([]byte, n)
		for i := range b {
			state = state*6364136223846793005 + 1442695040888963407
			b[i] = 'a' + byte(state>>59)%26
		}
		return string(b)
	}
}

// The hash is of what was said: not of when, by which ids, and not of which
// secret stood there.
func TestHash(t *testing.T) {
	t.Parallel()
	said := func(text string) transcript.Line {
		return transcript.Line{Turn: trace.Turn{N: 1, Role: trace.RoleUser, Text: text}}
	}
	base := said("the key is ⟨secret:generic-api-key:0a1b2c3d⟩")
	hash := func(lines ...transcript.Line) string {
		_, h, _ := write(t, lines)
		return h
	}
	same := map[string]func(*transcript.Line){
		"time":   func(l *transcript.Line) { l.At = time.Unix(1, 0) },
		"place":  func(l *transcript.Line) { l.Line = 7 },
		"call":   func(l *transcript.Line) { l.Tool.Call = "c" },
		"origin": func(l *transcript.Line) { l.Span.Origin = memory.OriginExternal },
		"secret": func(l *transcript.Line) {
			l.Text = strings.Replace(l.Text, "generic-api-key:0a1b2c3d", "jwt:ffffffff", 1)
		},
	}
	for name, change := range same {
		l := base
		if change(&l); hash(l) != hash(base) {
			t.Errorf("%s changes the hash", name)
		}
	}
	other := map[string]func(*transcript.Line){
		"text":  func(l *transcript.Line) { l.Text += "." },
		"role":  func(l *transcript.Line) { l.Role = trace.RoleTool },
		"tool":  func(l *transcript.Line) { l.Tool.Name = "Bash" },
		"error": func(l *transcript.Line) { l.Error = true },
	}
	for name, change := range other {
		l := base
		if change(&l); hash(l) == hash(base) {
			t.Errorf("%s does not change the hash", name)
		}
	}
	if hash(said("a"), said("b")) == hash(said("ab")) {
		t.Error("a turn's end does not change the hash")
	}
}

// Half a transcript is an error, whatever half, and never a shorter session.
func TestBreaksOff(t *testing.T) {
	t.Parallel()
	chunks, _, _ := write(t, []transcript.Line{{Turn: trace.Turn{N: 1, Role: trace.RoleUser, Text: "one"}}, {Turn: trace.Turn{N: 2, Role: trace.RoleUser, Text: "two"}}})
	whole := chunks[0]
	for n := range whole {
		if _, err := transcript.Read([][]byte{whole[:n]}); !errors.Is(err, transcript.ErrCorrupt) || errors.Is(err, io.EOF) {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	if _, err := transcript.Read(nil); !errors.Is(err, transcript.ErrCorrupt) {
		t.Errorf("nothing: %v", err)
	}
}

// A line that is too long is refused and the others stay.
func TestLongLine(t *testing.T) {
	t.Parallel()
	w := transcript.NewWriter()
	short := transcript.Line{Turn: trace.Turn{N: 1, Role: trace.RoleUser, Text: "short"}}
	if err := w.Add(short); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(transcript.Line{Turn: trace.Turn{N: 2, Text: strings.Repeat("a", transcript.MaxLine)}}); !errors.Is(err, transcript.ErrLine) {
		t.Errorf("%v", err)
	}
	chunks, _, size, err := w.Close()
	if err != nil || size != 5 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	if back, err := transcript.Read(chunks); err != nil || !slices.Equal(back, []transcript.Line{short}) {
		t.Errorf("%v, %v", back, err)
	}
	if err := w.Add(short); !errors.Is(err, transcript.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// Rows can be damaged: reading them ends.
func FuzzRead(f *testing.F) {
	chunks, _, _ := write(f, []transcript.Line{{Turn: trace.Turn{N: 1, Role: trace.RoleUser, Text: "one"}}})
	f.Add(chunks[0])
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := transcript.Read([][]byte{raw}); err != nil && !errors.Is(err, transcript.ErrCorrupt) {
			t.Fatal(err)
		}
	})
}
