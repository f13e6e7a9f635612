package memoryfile_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// team returns a small scope: memories of every kind in sections of every sort.
func team() []memoryfile.Item {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 9, 0, 0, 0, time.UTC) }
	item := func(n int, kind memory.Kind, section, text string) memoryfile.Item {
		return memoryfile.Item{
			ID: fmt.Sprintf("mem_%02d", n), Kind: kind, Section: section, Text: text, Importance: 5, Confidence: 0.8, Seen: 1,
			CreatedAt: day(n), LastConfirmed: day(n),
		}
	}
	list := []memoryfile.Item{
		item(1, memory.KindFact, "Notes", "Staging is rebuilt every night."),
		item(2, memory.KindRule, "Hard Rules", "Never push to `main` directly."),
		item(3, memory.KindConvention, "Conventions", "Wrap errors with the operation:\n\n```go\nfmt.Errorf(\"commit: %w\", err)\n```"),
		item(4, memory.KindPreference, "Joel", "Prefers `pnpm` over `npm`."),
		item(5, memory.KindDecision, "System Architecture", "2026-11-05: `redis-sessions` moved to 7.4."),
		item(6, memory.KindFact, "Notes", "Mara owns the billing service."),
		item(7, memory.KindStrategy, "Patterns", "Bisect with the seed of the failing run."),
		item(8, memory.KindStrategy, "Patterns", "Read the migration before the query plan."),
		item(9, memory.KindTask, "Notes", "Renew the certificate."),
		item(10, memory.KindFact, "Billing / Tax", "Invoices are numbered per country."),
	}
	list[6].Pinned = true
	return list
}

// SPEC §1 and §13, S3.35: the sections in their order, then those of others by
// name; rules, facts, decisions, conventions and preferences, and of the
// strategies the pinned one alone. An export has them all.
func TestRenderGolden(t *testing.T) {
	t.Parallel()
	d := memoryfile.Document{Scope: "project:shop", Items: team()}
	out := memoryfile.Render(d)
	if out.Shown != 8 || len(out.Topics) != 0 {
		t.Errorf("%d shown, %d topics", out.Shown, len(out.Topics))
	}
	golden(t, "rendered.golden.md", out.Memory)
	golden(t, "exported.golden.md", memoryfile.Export(d))
}

// Over the budget the most valuable items stay, in their order of reading, and every
// section names the file of the others.
func TestRenderOverBudget(t *testing.T) {
	t.Parallel()
	d := memoryfile.Document{Scope: "project:shop", Items: team(), Budget: 24}
	for i := range 30 {
		d.Items = append(d.Items, memoryfile.Item{
			ID: fmt.Sprintf("mem_n%02d", i), Section: "Notes", Kind: memory.KindFact, Importance: 1 + i%4, Confidence: 0.6,
			Text: fmt.Sprintf("Note number %d.", i), CreatedAt: time.Date(2026, 10, 1+i, 0, 0, 0, 0, time.UTC),
		})
	}
	out := memoryfile.Render(d)
	golden(t, "budget.golden.md", out.Memory)
	for _, topic := range out.Topics {
		if topic.Path == "topics/notes.md" {
			golden(t, "budget_notes.golden.md", topic.Data)
			return
		}
	}
	t.Error("no topic file for the notes")
}

// What a line of the budget is spent on: pinned first, then importance weighted
// by confidence, then what obliges, how often it was seen, how lately confirmed, and the id.
func TestRenderKeepsTheMostValuable(t *testing.T) {
	t.Parallel()
	base := memoryfile.Item{Section: "Notes", Kind: memory.KindFact, Importance: 5, Confidence: 0.5, Seen: 1}
	with := func(text string, change func(*memoryfile.Item)) memoryfile.Item {
		i := base
		i.ID, i.Text = "mem_"+text, text
		change(&i)
		return i
	}
	ladder := []memoryfile.Item{
		with("pinned", func(i *memoryfile.Item) { i.Pinned, i.Importance = true, 1 }),
		with("important", func(i *memoryfile.Item) { i.Importance = 9 }),
		with("sure", func(i *memoryfile.Item) { i.Confidence = 0.9 }),
		with("rule", func(i *memoryfile.Item) { i.Kind = memory.KindRule }),
		with("seen", func(i *memoryfile.Item) { i.Seen = 3 }),
		with("recent", func(i *memoryfile.Item) { i.LastConfirmed = time.Unix(9, 0) }),
		with("a", func(*memoryfile.Item) {}),
		with("b", func(*memoryfile.Item) {}),
	}
	// One long entry leaves space for one short one.
	for i := range ladder[:len(ladder)-1] {
		heavy, light := ladder[i+1], ladder[i]
		heavy.Text += strings.Repeat("\nline", 10)
		light.Text += strings.Repeat("\nline", 10)
		out := memoryfile.Render(memoryfile.Document{Scope: "project:shop", Items: []memoryfile.Item{heavy, light}, Budget: memoryfile.MinBudget})
		f := parse(t, string(out.Memory))
		if len(f.Entries) != 1 || f.Entries[0].Text != light.Text {
			t.Errorf("%q did not win over %q:\n%s", ladder[i].Text, ladder[i+1].Text, out.Memory)
		}
	}
}
