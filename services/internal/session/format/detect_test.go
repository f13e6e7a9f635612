package format_test

import (
	"os"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// The format is in the bytes, not in a file's name (SPEC §5).
func TestDetect(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100<<10)
	for name, c := range map[string]struct {
		text string
		want trace.Format
	}{
		"claude":                 {userLine, trace.FormatClaude},
		"claude, books first":    {`{"type":"file-history-snapshot","messageId":"m","snapshot":{}}` + "\n" + userLine, trace.FormatClaude},
		"claude, damaged first":  {`"massive error"` + "\n42\n" + userLine, trace.FormatClaude},
		"claude, long first":     {`{"parentUuid":null,"type":"user","message":{"role":"user","content":"` + long + `"}}`, trace.FormatClaude},
		"codex":                  {`{"timestamp":"2026-11-02T09:00:00Z","type":"session_meta","payload":{"id":"s"}}`, trace.FormatCodex},
		"codex, damaged first":   {`"massive error"` + "\n" + `{"timestamp":"2026-11-02T09:00:00Z","type":"event_msg","payload":{}}`, trace.FormatCodex},
		"codex, long first":      {`{"timestamp":"t","type":"session_meta","payload":{"id":"s","base_instructions":"` + long + `"}}`, trace.FormatCodex},
		"codex, bare":            {`{"id":"s","timestamp":"t","instructions":null}` + "\n" + `{"type":"message","role":"user","content":[]}`, trace.FormatCodex},
		"chat list":              {`[{"role":"user","content":"a"}]`, trace.FormatChat},
		"chat object":            {`{"model":"m","messages":[{"role":"user","content":"a"}]}`, trace.FormatChat},
		"chat, long system":      {`{"model":"m","messages":[{"role":"system","content":"` + long + `"}]}`, trace.FormatChat},
		"chat lines":             {`{"role":"user","content":"a"}` + "\n" + `{"role":"assistant","content":"b"}`, trace.FormatChat},
		"items":                  {`[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]`, trace.FormatChat},
		"trajectory":             {`{"environment":"e","trajectory":[`, trace.FormatSWEAgent},
		"history":                {"{\n \"history\": [{\"role\": \"system\"", trace.FormatSWEAgent},
		"ours":                   {`{"id":"s","turns":[{"role":"user","text":"a"}]}`, trace.FormatWinnow},
		"our lines":              {`{"role":"user","text":"a"}`, trace.FormatWinnow},
		"our lines, header":      {`{"id":"s"}` + "\n" + `{"role":"user","text":"a"}`, trace.FormatWinnow},
		"prose":                  {"User: hello", trace.FormatText},
		"prose with a time":      {"[2026-11-02] User: hello", trace.FormatText},
		"prose with braces":      {"{{template}} is broken", trace.FormatText},
		"prose with a tick list": {"[ ] write tests\n[x] ship", trace.FormatText},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := format.Detect([]byte(c.text)); got != c.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// What is stated is believed as far as the bytes allow.
func TestStatedFormat(t *testing.T) {
	t.Parallel()
	if s := read(t, userLine, trace.Options{Format: trace.FormatText}); s.Format != trace.FormatText || s.Turns[0].Text != userLine {
		t.Errorf("read as %+v", s)
	}
	s := read(t, "not JSON\n"+`{"role":"user","text":"a"}`, trace.Options{Format: trace.FormatWinnow})
	if len(s.Turns) != 1 || s.Report.Skipped != 1 {
		t.Errorf("read as %+v", s)
	}
}

// The same session has the same hash however it is laid out, and another when a
// word, a speaker or an order differs.
func TestHash(t *testing.T) {
	t.Parallel()
	hash := func(text string) string { return read(t, text, trace.Options{}).Hash }
	same := []string{
		`[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`,
		"{ \"id\": \"7\",\n \"messages\": [ {\"content\": [{\"type\":\"text\",\"text\":\"a\\r\\n\"}], \"role\":\"user\"},\n {\"role\":\"assistant\",\"content\":\"b\"} ] }",
		`{"role":"user","content":"a"}` + "\r\n" + `{"role":"assistant","content":"b"}`,
		`{"turns":[{"role":"user","text":"a","at":"2026-11-02T09:00:00Z"},{"role":"assistant","text":"b"}]}`,
		"User: a\nAssistant: b",
	}
	for _, text := range same {
		if hash(text) != hash(same[0]) {
			t.Errorf("%s: another hash", text)
		}
	}
	for _, text := range []string{
		`[{"role":"user","content":"ab"},{"role":"assistant","content":""}]`,
		`[{"role":"assistant","content":"a"},{"role":"user","content":"b"}]`,
		`[{"role":"user","content":"a"},{"role":"assistant","content":"c"}]`,
		`[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"a"}]`,
	} {
		if hash(text) == hash(same[0]) {
			t.Errorf("%s: the same hash", text)
		}
	}
}

// The samples are what their names say.
func TestDetectSamples(t *testing.T) {
	t.Parallel()
	for _, file := range samples(t) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := format.Detect(raw)
		name := strings.TrimPrefix(file, "testdata/")
		if err != nil || !strings.HasPrefix(name, string(got)) && got != trace.FormatText {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
