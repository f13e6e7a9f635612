package ingest_test

import (
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// What is no session becomes a dead letter that says what is wrong and what to
// do: nothing is lost and nothing is kept.
func TestWhatIsNoSession(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, ingest.Definition)
	digest := sha256.Sum256([]byte("another"))
	refers := func(uri string) func(*winnowv1.SessionCompleted) {
		return func(m *winnowv1.SessionCompleted) {
			scoped(m)
			m.Trace = &winnowv1.SessionCompleted_Reference{Reference: &winnowv1.TraceReference{Uri: uri, Size: 7, Sha256: digest[:]}}
		}
	}
	for name, c := range map[string]struct {
		event       bus.Outgoing
		class, says string
	}{
		"no event":           {bus.Outgoing{Subject: event.SubjectSessionCompleted, Data: []byte("{")}, "malformed", ""},
		"empty trace":        {finished("", "", "", scoped), "empty_trace", "no turn"},
		"blank trace":        {finished("", "", " \n", scoped), "empty_trace", "no turn"},
		"no trace":           {finished("", "", "", func(m *winnowv1.SessionCompleted) { scoped(m); m.Trace = nil }), "empty_trace", "send what was said"},
		"not text":           {finished("", "", "\x1f\x8b\x08\x00\x00", scoped), "not_text", "uncompressed"},
		"unknown adapter":    {finished("", "", work, func(m *winnowv1.SessionCompleted) { scoped(m); m.Format = "cursor" }), "unknown_format", "claude-code"},
		"unknown JSON":       {finished("", "", `{"a":1}`, scoped), "unknown_format", "leave it empty"},
		"no line readable":   {finished("", "", "{}\n{}\n", func(m *winnowv1.SessionCompleted) { scoped(m); m.Format = "claude-code" }), "unreadable_trace", "line 1"},
		"unknown outcome":    {finished("", "", work, func(m *winnowv1.SessionCompleted) { scoped(m); m.Outcome = "great" }), "unreadable_trace", "success, failure"},
		"no scope":           {finished("", "", "User: hi", nil), "scope", "project:billing"},
		"bad scope":          {finished("", "", work, func(m *winnowv1.SessionCompleted) { m.Scope = "galaxy:far" }), "scope", "user, project, team, org"},
		"nobody":             {finished("", "nobody", work, scoped), "principal", "winnow principal add"},
		"no such trace":      {finished("", "agent", "", refers("trace://agent/gone")), "reference", "no such trace"},
		"somebody's trace":   {finished("", "agent", "", refers("trace://human/run-1")), "reference", "another principal"},
		"trace without name": {finished("", "agent", "", refers("file:///etc/passwd")), "reference", "trace://"},
	} {
		c.event.ID = "evt_" + strings.ReplaceAll(name, " ", "_")
		before := len(b.DeadLetters())
		f := b.DeliverOnce(c.event)[0]
		letters := b.DeadLetters()
		if f.Acked || len(letters) != before+1 {
			t.Errorf("%s: fate %+v, %d letters more", name, f, len(letters)-before)
			continue
		}
		last := letters[len(letters)-1]
		if last.Reason.Class != c.class || !strings.Contains(last.Reason.Text, c.says) {
			t.Errorf("%s: %s: %s; want %s with %q", name, last.Reason.Class, last.Reason.Text, c.class, c.says)
		}
		if f.Deliveries != 1 {
			t.Errorf("%s: tried %d times", name, f.Deliveries)
		}
	}
	if n := len(stored(t, b.Store())); n != 0 {
		t.Errorf("%d sessions kept", n)
	}
}

// A letter that was right all along is ingested when what it lacked is there.
func TestDeadLetterIsReplayed(t *testing.T) {
	t.Parallel()
	strict := true
	b := workertest.New(t, ingest.Definition, func(d *worker.Deps) { d.RefuseUnknownScopes = strict })
	b.DeliverOnce(finished("evt_1", "", work, scoped))
	letters := b.DeadLetters()
	if len(letters) != 1 || letters[0].Reason.Class != "scope" || !strings.Contains(letters[0].Reason.Text, "project:shop does not exist") {
		t.Fatalf("letters %+v", letters)
	}
	// Another process may create scopes.
	other := workertest.New(t, ingest.Definition, func(d *worker.Deps) { d.Store = b.Store() })
	other.DeliverOnce(finished("evt_0", "", "User: hi", scoped))
	if f := b.Replay(letters[0]); !f.Acked {
		t.Fatalf("replayed: %+v", f)
	}
	if list := stored(t, b.Store()); len(list) != 2 || list[0].EventID != "evt_1" {
		t.Errorf("sessions %+v", list)
	}
}

// One bad turn does not lose the session: what can be read is kept, and the row
// says what is not there.
func TestWhatIsHalfASession(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, ingest.Definition)
	for name, c := range map[string]struct {
		trace          string
		turns, skipped int
		note, has      string
	}{
		"truncated JSONL":  {work + `{"role":"user","text":"than`, 6, 1, "middle of a record", ""},
		"a broken line":    {work + "{not JSON}\n" + `{"role":"user","text":"thanks, works"}`, 7, 1, "line 8", "thanks"},
		"a turn without":   {work + `{"text":"who?"}` + "\n" + `{"role":"user","text":"me"}`, 7, 1, "role", "me"},
		"mixed encodings":  {"User: das l\xe4uft nicht\nAssistant: Größe geändert", 2, 0, "", "läuft"},
		"UTF-16":           {"\xff\xfeU\x00s\x00e\x00r\x00:\x00 \x00h\x00i\x00", 1, 0, "", "hi"},
		"control chars":    {`{"role":"user","text":"run"}` + "\n" + `{"role":"tool","text":"\u001b[31mred\u001b[0m\u0000\u0007 end"}`, 2, 0, "", "red end"},
		"raw control char": {"{\"role\":\"tool\",\"text\":\"a\x01b\"}\n{\"role\":\"user\",\"text\":\"c\"}", 2, 0, "", "ab"},
		"lone surrogate":   {`{"role":"user","text":"x \ud800 y"}` + "\n" + `{"role":"user","text":"z"}`, 2, 0, "", "x"},
		"year 10000":       {`{"role":"user","text":"late","at":"9999-12-31T23:59:59-12:00"}` + "\n" + `{"role":"user","text":"z"}`, 2, 0, "", "late"},
	} {
		id := "evt_" + strings.ReplaceAll(name, " ", "_")
		if f := b.DeliverOnce(finished(id, "", c.trace, scoped))[0]; !f.Acked {
			t.Errorf("%s: %+v, %+v", name, f, b.DeadLetters())
			continue
		}
		s := stored(t, b.Store())[0]
		if s.EventID != id || s.Turns != c.turns || s.Skipped != c.skipped || !strings.Contains(s.Note, c.note) {
			t.Errorf("%s: %s, %d turns, %d skipped, %q", name, s.EventID, s.Turns, s.Skipped, s.Note)
		}
		if s.Outcome == "" || name == "UTF-16" && (s.Outcome != "unknown" || s.OutcomeInferred) {
			t.Errorf("%s: outcome %q, inferred %v", name, s.Outcome, s.OutcomeInferred)
		}
		texts := ""
		for _, l := range lines(t, b.Store(), s.ID) {
			texts += l.Text + "\n"
		}
		if !strings.Contains(texts, c.has) || strings.ContainsAny(texts, "\x00\x07\x1b") {
			t.Errorf("%s: kept %q", name, texts)
		}
	}
}
