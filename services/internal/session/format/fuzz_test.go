package format_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// Strangers send traces. Whatever they send, reading ends with turns that a
// database can hold or with a problem that names a remedy.

func FuzzDetect(f *testing.F)   { fuzz(f, "") }
func FuzzWinnow(f *testing.F)   { fuzz(f, trace.FormatWinnow) }
func FuzzClaude(f *testing.F)   { fuzz(f, trace.FormatClaude) }
func FuzzCodex(f *testing.F)    { fuzz(f, trace.FormatCodex) }
func FuzzChat(f *testing.F)     { fuzz(f, trace.FormatChat) }
func FuzzSWEAgent(f *testing.F) { fuzz(f, trace.FormatSWEAgent) }
func FuzzText(f *testing.F)     { fuzz(f, trace.FormatText) }

func fuzz(f *testing.F, as trace.Format) {
	for _, file := range samples(f) {
		raw, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
		f.Add(raw[:len(raw)*2/3])
	}
	f.Add([]byte("\xFF\xFEa\x00"))
	f.Add([]byte("**User:**\x00 \x1b[31"))
	f.Add([]byte(`{"history":[{"role":"tool","content":[{"type":"tool_result"}]}],"trajectory":[{"action":"open"}]}`))
	f.Add([]byte(`{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":["<image>",{"type":"input_text","text":"<result>"}]}}` + "\n" +
		`{"timestamp":1,"type":"event_msg","payload":{"type":"user_message","message":"## My request for Codex:"}}` + "\n" +
		`{"timestamp":"t","type":"response_item","payload":{"type":"x_call","name":"write_stdin","action":{"session_id":[]},"output":"{\"output\":null}"}}`))
	limits := trace.Limits{MaxBytes: 1 << 20, MaxTurns: 1000, MaxRecord: 4 << 10, MaxText: 1 << 10}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := format.Read(strings.NewReader(string(raw)), trace.Options{Format: as, Limits: limits})
		var p *trace.Problem
		if err != nil {
			if !errors.As(err, &p) || p.Remedy == "" || errors.Is(err, trace.ErrRecord) {
				t.Fatalf("%v", err)
			}
			return
		}
		if len(s.Turns) == 0 || len(s.Turns) > limits.MaxTurns || s.Format == "" || len(s.Hash) != 64 {
			t.Fatalf("%d turns of %q", len(s.Turns), s.Format)
		}
		for i, turn := range s.Turns {
			check(t, turn, i+1, limits)
		}
	})
}

func check(t *testing.T, turn trace.Turn, n int, limits trace.Limits) {
	t.Helper()
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	for _, text := range []string{turn.Text, turn.Tool.Command} {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, control) || len(text) > max(limits.MaxText, 4<<10)+16 {
			t.Fatalf("turn %d: text %.100q of %d bytes", n, text, len(text))
		}
	}
	if turn.N != n || turn.Role == "" || turn.Error && !turn.Settled {
		t.Fatalf("turn %d is %+v", n, turn)
	}
}
