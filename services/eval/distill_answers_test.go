package eval

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// answered pairs a trace with the answer that a strong model gave to it.
type answered struct {
	name, trace, answer string
	memories            []map[string]any
}

// answers reads the traces under a folder that have an answer of the same name.
func answers(t *testing.T, traces, dir string) (list []answered) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no answers in %s: %v", dir, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := answered{name: strings.TrimSuffix(filepath.Base(file), ".json"), answer: string(raw)}
		for _, ending := range []string{".traj", ".jsonl"} {
			if _, err := os.Stat(filepath.Join(traces, a.name+ending)); err == nil {
				a.trace = filepath.Join(traces, a.name+ending)
			}
		}
		var in struct{ Memories []map[string]any }
		if err := json.Unmarshal(raw, &in); err != nil || a.trace == "" {
			t.Fatalf("%s: trace %q, %v", a.name, a.trace, err)
		}
		a.memories = in.Memories
		list = append(list, a)
	}
	return list
}

// served distils a trace with a model that gives this answer to every question.
func served(t *testing.T, trace, answer string) *DistillReport {
	t.Helper()
	r, err := Distill(t.Context(), trace, DistillOptions{Model: scriptedModel(t, llmtest.Say(answer))})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// SPEC §8: the true lessons of a strong model survive the gate, grounded, and a
// specific that is slipped into any of them is caught.
func TestStrongAnswersSurvive(t *testing.T) {
	t.Parallel()
	shared := filepath.Dir(testenv.Shared(t, "traces/sweagent_networking_1.traj"))
	survive(t, answers(t, shared, filepath.Join(shared, "..", "model_answers")), 0)
}

// The same on sessions of our own, of other kinds, with answers as a strong model
// writes them: generalised commands, facts of two turns joined, units converted.
func TestStrongAnswersOfOtherKinds(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "internal", "session", "extract", "testdata", "strong")
	survive(t, answers(t, dir, filepath.Join(dir, "answers")), 1)
}

// The same on the sessions of foresight. Two of the answers name what their session does
// not: a program of general knowledge, and a command that is warned against.
func TestStrongAnswersToForesight(t *testing.T) {
	t.Parallel()
	for _, project := range []string{"quay", "granary"} {
		t.Run(project, func(t *testing.T) {
			t.Parallel()
			given := filepath.Join("..", "internal", "session", "extract", "testdata", "strong", "foresight", project)
			survive(t, answers(t, filepath.Join("testdata", "foresight", project), given), 1)
		})
	}
}

// survive checks a set of answers; at most so many true lessons may be lost.
func survive(t *testing.T, list []answered, most int) {
	given, kept, cut := 0, 0, 0
	for _, a := range list {
		r := served(t, a.trace, a.answer)
		m := r.Metrics
		given, kept, cut = given+m.Given, kept+m.Memories, cut+m.Sentences
		for _, l := range r.Lost {
			t.Logf("%s: lost for %q (%s): %s", a.name, l.Claim, l.Reason, l.Text)
		}
		if m.Grounding != 1 || m.SchemaValidity != 1 || m.Given != len(a.memories) {
			t.Errorf("%s: %+v", a.name, m)
			for _, item := range r.Items {
				t.Logf("missing %q, faults %q", item.Missing, item.Faults)
			}
		}
		slip(t, a)
	}
	t.Logf("%d given, %d kept, %d sentences cut", given, kept, cut)
	if given-kept > most || cut > most {
		t.Errorf("%d of %d lessons kept, %d sentences cut", kept, given, cut)
	}
}

// slip puts one made-up specific after another into each memory, and expects that
// none is in what is kept.
func slip(t *testing.T, a answered) {
	t.Helper()
	const mark = "7391"
	for i := range a.memories {
		for name, invented := range map[string]string{
			"number": "It needs exactly " + mark + " of them.", "path": "Edit `src/zorb/up_" + mark + ".go` as well.", "address": "See https://zorb" + mark + ".example/x for more.",
			"command": "Then run `zorbctl --fast " + mark + " <file>`.", "version": "It holds since v" + mark + ".2.", "generalised": "Then run `zorb" + mark + " -q <file>`.",
			"home": "See `~/.zorb" + mark + "/conf` too.", "quantity": "It takes " + mark + "s.", "bracket": "It works (with zorb" + mark + ".yaml too).",
			"clause": "Do it twice; `zorb" + mark + " --x` is first.", "flag": "Then run `" + firstCommand(a.memories[i]) + " --fast-" + mark + "`.",
		} {
			for _, field := range []string{"content", "description", "title"} {
				var memories []map[string]any
				for k, m := range a.memories {
					c := map[string]any{}
					for key, v := range m {
						c[key] = v
					}
					if k == i {
						c[field] = fmt.Sprint(c[field]) + " " + invented
						if field == "title" {
							c[field] = "Zorb " + mark
						}
					}
					memories = append(memories, c)
				}
				raw, err := json.Marshal(map[string]any{"memories": memories})
				if err != nil {
					t.Fatal(err)
				}
				for _, item := range served(t, a.trace, string(raw)).Items {
					if strings.Contains(item.Title+item.Description+item.Text, mark) {
						t.Errorf("%s: a made-up %s in the %s passed: %+v", a.name, name, field, item.Extraction)
					}
				}
			}
		}
	}
}

// firstCommand returns the first text in backticks of a memory.
func firstCommand(memory map[string]any) string {
	if parts := strings.Split(fmt.Sprint(memory["content"]), "`"); len(parts) > 2 {
		return parts[1]
	}
	return "make"
}
