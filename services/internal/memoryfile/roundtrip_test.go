package memoryfile_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

const scope = memory.Scope("project:billing")

// document returns a file as memories, accepted in their order in the file.
func document(f memoryfile.File) memoryfile.Document {
	d := memoryfile.Document{Scope: scope}
	for i, e := range f.Entries {
		d.Items = append(d.Items, memoryfile.Item{
			ID: fmt.Sprintf("mem_%06d", i), Section: e.Section, Text: e.Text, Kind: memory.KindFact, Importance: 5, Confidence: 0.8,
			ObservedAt: e.ObservedAt,
		})
	}
	return d
}

// pairs returns the entries of a file by section and text, sorted: an export groups by
// section.
func pairs(f memoryfile.File) []string {
	var out []string
	for _, e := range f.Entries {
		out = append(out, e.Section+"\x00"+e.Text)
	}
	slices.Sort(out)
	return out
}

func same(t interface{ Fatalf(string, ...any) }, want, got memoryfile.File) {
	if w, g := pairs(want), pairs(got); !slices.Equal(w, g) {
		t.Fatalf("read back as\n%q\nwant\n%q", g, w)
	}
}

// Words and marks with a meaning in Markdown, so that random texts hit every rule of
// the parser.
var atoms = []string{
	"a", "pgx", "Ümläut", " ", "  ", "    ", "\t", "\n", "\n\n", "\n\n\n", "\n  ", "\n- ", "\n  - ", "- ", "* ", "+ ", "1. ", "12) ", "# ", "## ", "#",
	"```", "\n```\n", "~~~", "|", "\n|a|b|\n", "---", "\n---\n", "===", "\n===\n", "***", "* * *", "<!--", "-->", "<!-- x -->", "> ", "[x](topics/x.md)",
	"**b**", "**b**:", ":", ":\n", "@a.md", "(2026-01-31) ", "… and 3 more: [a](topics/a.md)", "\n… and 3 more: [a](topics/a.md)\n", "<<<<<<< HEAD\n", "\n=======\n",
	"\n>>>>>>> x\n", "\r\n", "\r", "\u00a0", "\u2028", "\x00", "\xff", "•",
}

func text() *rapid.Generator[string] {
	return rapid.Custom(func(r *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(atoms), 0, 12).Draw(r, "atoms"), "")
	})
}

func items() *rapid.Generator[[]memoryfile.Item] {
	return rapid.Custom(func(r *rapid.T) []memoryfile.Item {
		n := rapid.IntRange(0, 30).Draw(r, "n")
		sections := append([]string{"", "Notes", "Conventions", "Go / Errors", "C++", "Memory"}, rapid.SliceOfN(text(), 1, 20).Draw(r, "sections")...)
		var out []memoryfile.Item
		for i := range n {
			out = append(out, memoryfile.Item{
				ID: fmt.Sprintf("mem_%02d", i), Section: rapid.SampledFrom(sections).Draw(r, "section"), Text: text().Draw(r, "text"),
				Kind:       rapid.SampledFrom(append(memory.Kinds(), "")).Draw(r, "kind"),
				Importance: rapid.IntRange(1, 10).Draw(r, "importance"), Confidence: float64(rapid.IntRange(0, 10).Draw(r, "confidence")) / 10,
				Seen: rapid.IntRange(1, 3).Draw(r, "seen"), Pinned: rapid.Bool().Draw(r, "pinned"),
				CreatedAt: time.Unix(int64(rapid.IntRange(0, 5).Draw(r, "created")), 0),
			})
		}
		return out
	})
}

// asRead returns what a reader should find of items.
func asRead(items []memoryfile.Item, keep func(memoryfile.Item) bool) []string {
	var out []string
	for _, i := range items {
		if t := memoryfile.Canonical(i.Text); t != "" && keep(i) {
			out = append(out, memoryfile.CanonicalSection(i.Section)+"\x00"+t)
		}
	}
	slices.Sort(out)
	return out
}

// For every text and section, reading what was written returns them, in an export and
// in MEMORY.md with its topic files, for any budget.
func TestWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		d := memoryfile.Document{Scope: scope, Items: items().Draw(r, "items"), Budget: rapid.IntRange(1, 80).Draw(r, "budget")}
		read := func(data []byte) []string {
			f, err := memoryfile.Parse(data)
			if err != nil {
				r.Fatalf("%v in\n%s", err, data)
			}
			if len(f.Comments) != 1 || !strings.HasPrefix(f.Title, "Memory: project:billing") {
				r.Fatalf("title %q, %d comments in\n%s", f.Title, len(f.Comments), data)
			}
			return pairs(f)
		}
		exported := memoryfile.Export(d)
		if got, want := read(exported), asRead(d.Items, func(memoryfile.Item) bool { return true }); !slices.Equal(got, want) {
			r.Fatalf("the export reads as\n%q\nwant\n%q\n%s", got, want, exported)
		}
		out := memoryfile.Render(d)
		if n := strings.Count(string(out.Memory), "\n"); n > max(d.Budget, memoryfile.MinBudget) {
			r.Fatalf("%d lines for a budget of %d:\n%s", n, d.Budget, out.Memory)
		}
		all := read(out.Memory)
		if len(all) != out.Shown {
			r.Fatalf("%d entries, %d shown", len(all), out.Shown)
		}
		linked := map[string]bool{}
		f, _ := memoryfile.Parse(out.Memory)
		for _, l := range f.Links {
			linked[l.Target] = linked[l.Target] || l.Alone
		}
		for _, topic := range out.Topics {
			if !linked[topic.Path] {
				r.Fatalf("%s is not linked in\n%s", topic.Path, out.Memory)
			}
			all = append(all, read(topic.Data)...)
		}
		slices.Sort(all)
		if want := asRead(d.Items, inMemoryFile); !slices.Equal(all, want) || len(all) != out.Shown+out.Rest {
			r.Fatalf("the files read as\n%q\nwant\n%q", all, want)
		}
	})
}

func inMemoryFile(i memoryfile.Item) bool {
	switch i.Kind {
	case memory.KindStrategy:
		return i.Pinned
	case memory.KindTask, memory.KindSummary:
		return false
	}
	return true
}

// The order in which memories come changes no byte.
func TestBytesDependOnTheSetAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		d := memoryfile.Document{Scope: scope, Items: items().Draw(r, "items"), Budget: rapid.IntRange(1, 80).Draw(r, "budget")}
		one := memoryfile.Render(d)
		d.Items = rapid.Permutation(d.Items).Draw(r, "order")
		two := memoryfile.Render(d)
		if string(one.Memory) != string(two.Memory) || !slices.EqualFunc(one.Topics, two.Topics, func(a, b memoryfile.Topic) bool {
			return a.Path == b.Path && string(a.Data) == string(b.Data)
		}) {
			r.Fatalf("\n%s\nand in another order\n%s", one.Memory, two.Memory)
		}
	})
}

// Canonical forms are reached in one step.
func TestCanonicalIsIdempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := text().Draw(r, "text")
		if once := memoryfile.Canonical(s); memoryfile.Canonical(once) != once {
			r.Fatalf("%q, then %q", once, memoryfile.Canonical(once))
		}
		if once := memoryfile.CanonicalSection(s); memoryfile.CanonicalSection(once) != once {
			r.Fatalf("section %q, then %q", once, memoryfile.CanonicalSection(once))
		}
	})
}

// Files as people write them: what an export says is what the file said, and
// exporting that again changes no byte.
func TestExportIsAFixedPoint(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"MEMORY.md", "CLAUDE.md", "AGENTS.md"} {
		first := parse(t, sample(t, name))
		exported := memoryfile.Export(document(first))
		second := parse(t, string(exported))
		same(t, first, second)
		if again := memoryfile.Export(document(second)); string(again) != string(exported) {
			t.Errorf("%s: exported again as\n%s\nbefore\n%s", name, again, exported)
		}
	}
}

// shared returns the texts of a shared data set, or skips the test.
func shared(t *testing.T, name string) []memoryfile.Item {
	t.Helper()
	f, err := os.Open(testenv.Shared(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []memoryfile.Item
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row struct{ ID, Section, Title, Text string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Section == "" {
			row.Section = row.Title
		}
		out = append(out, memoryfile.Item{ID: row.ID, Section: row.Section, Text: row.Text, Kind: memory.KindFact, Importance: 5, Confidence: 0.8})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// difference returns the elements of a that b lacks.
func difference(a, b []string) string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, strconv.Quote(s))
		}
	}
	return strings.Join(out, "\n")
}

// Real lines of real projects survive export and import byte for byte, and they
// are canonical as they are.
func TestRealLinesSurvive(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"triage/triage_memories.jsonl", "consolidation/entries.jsonl"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			d := memoryfile.Document{Scope: scope, Items: shared(t, name)}
			rand.Shuffle(len(d.Items), func(i, j int) { d.Items[i], d.Items[j] = d.Items[j], d.Items[i] })
			var want []string
			for _, i := range d.Items {
				if memoryfile.Canonical(i.Text) != strings.TrimSpace(i.Text) {
					t.Errorf("%s is not canonical", i.ID)
				}
				want = append(want, memoryfile.CanonicalSection(i.Section)+"\x00"+strings.TrimSpace(i.Text))
			}
			slices.Sort(want)
			if got := pairs(parse(t, string(memoryfile.Export(d)))); !slices.Equal(got, want) {
				t.Errorf("the export reads as\n%s\nwant\n%s", difference(got, want), difference(want, got))
			}
			out := memoryfile.Render(d)
			got := pairs(parse(t, string(out.Memory)))
			for _, topic := range out.Topics {
				got = append(got, pairs(parse(t, string(topic.Data)))...)
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("the files read as\n%s\nwant\n%s", difference(got, want), difference(want, got))
			}
		})
	}
}
