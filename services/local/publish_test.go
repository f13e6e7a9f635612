package local_test

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/pkg/publish/publishtest"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/local"
)

// written puts a file into a folder of the test's own.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const chatTrace = `[{"role":"user","content":"Why is it slow?"},{"role":"assistant","content":"The index was missing."}]`

func recorded(t *testing.T) (*publishtest.Recorder, *publish.Client) {
	t.Helper()
	var bus publishtest.Recorder
	c, err := publish.NewOn(&bus, publish.WithPrincipal("local"))
	if err != nil {
		t.Fatal(err)
	}
	return &bus, c
}

// The same bytes in the same scope are the same event, wherever they lie; in
// another scope they are another.
func TestTheEventFollowsFromTheContent(t *testing.T) {
	t.Parallel()
	read := func(o local.SessionOptions, name, text string) local.SessionFile {
		s, err := local.ReadSession(written(t, name, text), o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	shop := local.SessionOptions{Scope: "project:shop"}
	first := read(shop, "a.json", chatTrace)
	if again := read(shop, "b/c.json", chatTrace); again.EventID != first.EventID {
		t.Errorf("%s and %s", first.EventID, again.EventID)
	}
	glance := shop
	glance.Glance = true
	if hook := read(glance, "a.json", chatTrace); hook.EventID != first.EventID {
		t.Errorf("a hook gives %s, a person %s", hook.EventID, first.EventID)
	}
	if other := read(local.SessionOptions{Scope: "project:bank"}, "a.json", chatTrace); other.EventID == first.EventID {
		t.Error("two scopes share an event")
	}
	if other := read(shop, "a.json", chatTrace+"\n"); other.EventID == first.EventID {
		t.Error("two files share an event")
	}
}

// A file without times was last written when its session ended, and what a
// person states goes along.
func TestWhatAnEventSaysOfItsSession(t *testing.T) {
	t.Parallel()
	path := written(t, "run.json", chatTrace)
	ended := time.Date(2026, 2, 5, 9, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, ended, ended); err != nil {
		t.Fatal(err)
	}
	s, err := local.ReadSession(path, local.SessionOptions{Project: "acme/shop", Outcome: "failure", SessionID: "run-7"})
	if err != nil {
		t.Fatal(err)
	}
	bus, c := recorded(t)
	for _, duplicate := range []bool{false, true} {
		r, err := local.PublishSession(t.Context(), c, s)
		if err != nil || r.Duplicate != duplicate || r.EventID != s.EventID {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	got := bus.Events()[0].Message.(*winnowv1.SessionCompleted)
	if string(got.GetInline()) != chatTrace || !got.GetEndedAt().AsTime().Equal(ended) || got.GetOutcome() != "failure" ||
		got.GetScope() != "project:acme/shop" || got.GetProject() != "acme/shop" || got.GetSessionId() != "run-7" || got.GetFormat() != "openai-chat" {
		t.Errorf("%v", got)
	}
}

// A large trace is not held; one that grows meanwhile is another session.
func TestLargeAndChangingFiles(t *testing.T) {
	t.Parallel()
	line := `{"role":"tool","tool":"read","text":"` + strings.Repeat("a", 1000) + `"}` + "\n"
	path := written(t, "long.jsonl", `{"role":"user","text":"read it"}`+"\n"+strings.Repeat(line, 2000))
	s, err := local.ReadSession(path, local.SessionOptions{})
	if err != nil || s.Turns != 2001 {
		t.Fatalf("%+v, %v", s, err)
	}
	bus, c := recorded(t)
	if _, err := local.PublishSession(t.Context(), c, s); err != nil {
		t.Fatal(err)
	}
	ref := bus.Events()[0].Message.(*winnowv1.SessionCompleted).GetReference()
	if trace := bus.Trace(ref.GetUri()); int64(len(trace)) != s.Bytes || sha256.Sum256(trace) != [32]byte(ref.GetSha256()) {
		t.Errorf("%d bytes laid down of %d", len(trace), s.Bytes)
	}
	for _, path := range []string{path, written(t, "short.json", chatTrace)} {
		s, err := local.ReadSession(path, local.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := local.PublishSession(t.Context(), c, s); !errors.Is(err, local.ErrChanged) {
			t.Errorf("%s: %v, want ErrChanged", path, err)
		}
	}
	if n := len(bus.Events()); n != 1 {
		t.Errorf("%d events", n)
	}
}

// Every refusal is one line that says what to do.
func TestFilesThatAreNoSessions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, says string }{
		"empty.jsonl":  {"", "send what was said"},
		"binary.log":   {strings.Repeat("\x00\x01\x02", 100), "send text"},
		"zip.jsonl":    {"\x1f\x8b\x08\x00", "send it uncompressed"},
		"unknown.json": {`{"a": 1}`, "send one of winnow"},
		"broken.json":  {`[{"role":`, "complete"},
	} {
		_, err := local.ReadSession(written(t, name, c.text), local.SessionOptions{})
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q in one line", name, err, c.says)
		}
	}
}
