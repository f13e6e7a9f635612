package eval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/model/llm/openai"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// SPEC §18: the memories that rules draw from the shared traces are grounded and in
// form, and the report is the same every time.
func TestDistillByRules(t *testing.T) {
	t.Parallel()
	data := filepath.Dir(testenv.Shared(t, "traces/sweagent_networking_1.traj"))
	r, err := Distill(t.Context(), data, DistillOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := r.Metrics
	if m.Grounding != 1 || m.SchemaValidity != 1 || m.Sessions != 6 || m.Memories != 2 || m.Dropped != 0 || m.ByRules != 0 || len(r.Unreadable) != 0 {
		t.Errorf("metrics %+v, unreadable %v", m, r.Unreadable)
	}
	again, err := Distill(t.Context(), data, DistillOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal([]any{r, r.Items})
	b, _ := json.Marshal([]any{again, again.Items})
	if string(a) != string(b) {
		t.Errorf("two reports differ:\n%s\n%s", a, b)
	}
	if worse := (&DistillReport{}).Regressions(r, 0); len(worse) != 3 {
		t.Errorf("an empty report against this one: %v", worse)
	}
}

// scriptedModel returns a model on a scripted server.
func scriptedModel(t *testing.T, reply llmtest.Reply) llm.Model {
	t.Helper()
	server := llmtest.NewServer(t, llmtest.Always(reply))
	// One attempt: what is tried again within a question is the driver's own test.
	m, err := openai.New(openai.Config{URL: server.URL, Model: "scripted", Timeout: 500 * time.Millisecond, Attempts: 1})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// For any answer of a model, or none, no memory says what its session does not, none
// violates the form, and none has more authority than the words that it carries.
func TestDistillWithEveryBehaviour(t *testing.T) {
	t.Parallel()
	data := filepath.Dir(testenv.Shared(t, "traces/sweagent_networking_1.traj"))
	for _, name := range llmtest.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply, err := llmtest.Named(name, 0)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Distill(t.Context(), data, DistillOptions{Model: scriptedModel(t, reply)})
			if err != nil {
				t.Fatal(err)
			}
			if m := r.Metrics; m.Grounding != 1 || m.SchemaValidity != 1 || m.Sessions != 6 || m.Most > extract.MaxMemories {
				t.Errorf("metrics %+v", m)
				for _, item := range r.Items {
					if len(item.Missing)+len(item.Faults) > 0 {
						t.Errorf("%+v", item)
					}
				}
			}
			for _, item := range r.Items {
				if item.Authority > memory.OriginFirstParty {
					t.Errorf("%s is worth %v", item.ID, item.Authority)
				}
			}
			t.Logf("%d memories, %d dropped, %d sessions by rules", r.Metrics.Memories, r.Metrics.Dropped, r.Metrics.ByRules)
		})
	}
}

// A folder without traces is refused, a broken trace among others is listed.
func TestDistillReadsWhatItCan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Distill(t.Context(), dir, DistillOptions{}); err == nil {
		t.Error("an empty folder is no error")
	}
	for name, text := range map[string]string{
		"a.jsonl":       `{"role":"user","text":"Remember that the api runs on port 8443."}` + "\n" + `{"role":"assistant","text":"Noted."}`,
		"b.json":        "",
		"sub/c.txt":     "User: hello\n\nAssistant: hello\n",
		"sub/README.md": "no trace",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Distill(t.Context(), dir, DistillOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Metrics.Sessions != 2 || r.Metrics.Memories != 1 || len(r.Unreadable) != 1 || r.Unreadable[0].File != "b.json" || r.Items[0].ID != "a.jsonl#1" {
		t.Errorf("%+v", r)
	}
}

// The score detects what grounding would have passed.
func TestDistillScoreSeesInventions(t *testing.T) {
	t.Parallel()
	d, err := newDistilling(DistillOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(file, []byte(`{"role":"user","text":"The api runs on port 8443."}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, err := d.read(file, "a")
	if err != nil {
		t.Fatal(err)
	}
	said := []extract.Quote{{Turn: 1, Text: "The api runs on port 8443."}}
	for text, want := range map[string]int{
		"The api runs on port 8443.": 0, "The api runs on port 9443.": 1, "Edit cmd/api/main.go.": 1, "See https://x.dev/a and `rm -rf x`.": 2, "Set max_conn in poolSize.": 2,
	} {
		if got := missing(s, extract.Extraction{Text: text, Evidence: said}); len(got) != want {
			t.Errorf("%q lacks %q", text, got)
		}
	}
	if got := missing(s, extract.Extraction{Text: "x", Evidence: []extract.Quote{{Turn: 1, Text: "never said"}}}); len(got) != 1 {
		t.Errorf("a quotation that was never said: %q", got)
	}
	if got := faults(extract.Extraction{Kind: memory.KindStrategy, Text: "x"}); len(got) != 4 {
		t.Errorf("faults %q", got)
	}
}
