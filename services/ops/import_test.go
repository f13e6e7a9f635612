package ops_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/ops"
)

// source is a file of a folder, with links that lead into the folder.
func source(folder fstest.MapFS, name string) local.Source {
	return local.Source{Name: "repo/" + name, Data: folder[name].Data, Open: func(below string) ([]byte, error) { return fs.ReadFile(folder, below) }}
}

func files(pairs ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return m
}

func read(t *testing.T, follow string, sources ...local.Source) *local.Reading {
	t.Helper()
	r, err := local.ReadFiles(sources, follow)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// SPEC §13: a person's file becomes their memories: one decision per entry, no
// judgement, dates preserved, secrets redacted. A second import stores nothing.
func TestImportFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	folder := files("MEMORY.md", `# MEMORY.md

## Hard Rules

- Deploys happen from CI.

## Joel

- Prefers `+"`pnpm`"+` over npm.
- (2026-01-31) `+"`redis-sessions`"+` moved to 7.4.
- Currently migrating the certificate of shop.example, in progress.
- The password of staging is password=hunter2horse9battery
- Deploys happen from CI.
`)
	r := read(t, local.FollowTopics, source(folder, "MEMORY.md"))
	dry, err := b.ops.ImportFiles(t.Context(), r, ops.ImportOptions{Scope: string(scope), DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(b.export().Memories); n != 0 || dry.Stored != 5 || dry.Memories[0].ID != "" {
		t.Fatalf("a dry run stored %d, says %d", n, dry.Stored)
	}
	steps := 0
	done, err := b.ops.ImportFiles(t.Context(), r, ops.ImportOptions{Scope: string(scope), Progress: func(n int) { steps = n }})
	if err != nil {
		t.Fatal(err)
	}
	if done.Entries != 6 || done.Stored != 5 || done.Present != 1 || done.Redacted != 1 || steps != 5 {
		t.Errorf("%+v, progress %d", done, steps)
	}
	// The heading gives the kind of the first line. No line becomes a task,
	// which would remove the line from the loaded file.
	kinds := map[string]memory.Kind{
		"Deploys happen": memory.KindRule, "Prefers": memory.KindPreference, "(2026-01-31)": memory.KindFact, "Currently": memory.KindFact,
	}
	for _, m := range b.export().Memories {
		if m.Origin != memory.OriginHuman || m.Authority != memory.OriginHuman || m.Principal != "local" {
			t.Errorf("%q of %s, origin %s", m.Text, m.Principal, m.Origin)
		}
		if strings.Contains(m.Text, "hunter2") {
			t.Errorf("a secret was stored: %q", m.Text)
		}
		d := b.decision(m.DecisionID)
		if d.Rule != "import" || d.MemoryID != m.ID {
			t.Errorf("%q was decided by %s about %s", m.Text, d.Rule, d.MemoryID)
		}
		for begins, kind := range kinds {
			if strings.HasPrefix(m.Text, begins) && m.Kind != kind {
				t.Errorf("%q is a %s, want %s", m.Text, m.Kind, kind)
			}
		}
		if dated := strings.HasPrefix(m.Text, "(2026-01-31)"); dated != !m.ObservedAt.IsZero() {
			t.Errorf("%q observed %s", m.Text, m.ObservedAt)
		}
	}
	again, err := b.ops.ImportFiles(t.Context(), r, ops.ImportOptions{Scope: string(scope)})
	if err != nil || again.Stored != 0 || again.Present != 6 {
		t.Errorf("again: %d stored, %d present, %v", again.Stored, again.Present, err)
	}
	b.undo(done.Memories[0].ID, false)
	if n := len(b.export().Memories); n != 4 {
		t.Errorf("%d memories after one was taken back, want 4", n)
	}
	if _, err := b.ops.ImportFiles(t.Context(), r, ops.ImportOptions{Scope: "shop"}); err == nil || !strings.Contains(err.Error(), "want kind:id") {
		t.Errorf("a scope without a kind: %v", err)
	}
}

// export returns the memories of the bench's scope.
func (b *bench) export() ops.Exported {
	b.Helper()
	e, err := b.ops.Export(b.Context(), string(scope))
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func (b *bench) decision(id string) memory.Decision {
	b.Helper()
	d, err := b.ops.Store.Decision(b.Context(), memory.DefaultTenant, id)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// Thousands of entries are stored in several transactions, and an export
// contains the same texts. After an import elsewhere, the second export is equal
// byte for byte.
func TestImportThenExportLosesNoText(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("# MEMORY.md\n")
	for i := range 1200 {
		if i%100 == 0 {
			fmt.Fprintf(&text, "\n## Part %d\n\n", i/100)
		}
		fmt.Fprintf(&text, "- line %d\n  - with a detail\n\n      and code\n", i)
	}
	transfer := func(file string) string {
		b := setup(t)
		done, err := b.ops.ImportFiles(t.Context(), read(t, local.FollowNone, source(files("MEMORY.md", file), "MEMORY.md")), ops.ImportOptions{Scope: string(scope)})
		if err != nil || done.Stored != 1200 {
			t.Fatalf("%d stored, %v", done.Stored, err)
		}
		return string(b.export().Markdown())
	}
	once := transfer(text.String())
	if !strings.Contains(once, "- line 1199\n  - with a detail\n\n      and code\n") || !strings.Contains(once, "## Part 11\n") {
		t.Errorf("the end of the export is\n%s", once[len(once)-200:])
	}
	if twice := transfer(once); twice != once {
		t.Error("exported again it differs")
	}
}

// reasons are the links that were not followed, with why.
func reasons(r *local.Reading) []string {
	var out []string
	for _, l := range r.Links {
		if !l.Followed {
			out = append(out, fmt.Sprintf("%s:%d %s: %s", l.File, l.Line, l.Target, l.Reason))
		}
	}
	return out
}

// Topic files are read with the file that lists them: once each, although they
// link to one another in a circle, and never from outside its folder.
func TestImportFollowsTopicFiles(t *testing.T) {
	t.Parallel()
	folder := files(
		"MEMORY.md", "# MEMORY.md\n\n- [Billing](topics/billing.md)\n- [Deploys](topics/deploys.md) — how we ship\n- [Gone](topics/gone.md)\n- [Out](../secrets.md)\n- [Root](/etc/motd.md)\n",
		"topics/billing.md", "# Billing\n\n- Invoices are numbered per country. See [deploys](deploys.md).\n",
		"topics/deploys.md", "# Deploys\n\n- From CI, see [billing](billing.md) and [the index](../MEMORY.md).\n- [broken](broken.md)\n",
		"topics/broken.md", "<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> x\n",
	)
	r := read(t, local.FollowTopics, source(folder, "MEMORY.md"))
	var names []string
	for _, f := range r.Files {
		names = append(names, fmt.Sprintf("%s %d", f.Name, f.Entries))
	}
	// The line that is nothing but the link is not a memory; the one that says
	// something is.
	if want := []string{"repo/MEMORY.md 4", "repo/topics/billing.md 1", "repo/topics/deploys.md 2"}; !slices.Equal(names, want) {
		t.Errorf("read %q, want %q", names, want)
	}
	want := []string{
		"repo/MEMORY.md:5 topics/gone.md: cannot read it: file does not exist",
		"repo/MEMORY.md:6 ../secrets.md: it leads out of the folder of repo/MEMORY.md",
		"repo/MEMORY.md:7 /etc/motd.md: it leads out of the folder of repo/MEMORY.md",
		"repo/topics/billing.md:3 deploys.md: read already",
		"repo/topics/deploys.md:3 billing.md: read already",
		"repo/topics/deploys.md:3 ../MEMORY.md: read already",
		"repo/topics/deploys.md:4 broken.md: repo/topics/broken.md: line 1: merge conflict marker; resolve the conflict and read the file again",
	}
	if got := reasons(r); !slices.Equal(got, want) {
		t.Errorf("not followed:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Import skips the documents that a CLAUDE.md refers to, unless the file
// includes them or the options ask for them.
func TestImportLeavesDocumentsAlone(t *testing.T) {
	t.Parallel()
	folder := files(
		"CLAUDE.md", "# CLAUDE.md\n\n- See [the guide](docs/guide.md).\n- @docs/rules.md\n",
		"docs/guide.md", "- a guide\n", "docs/rules.md", "- a rule\n",
	)
	for follow, want := range map[string]int{local.FollowTopics: 2, local.FollowAll: 3, local.FollowNone: 1} {
		if n := len(read(t, follow, source(folder, "CLAUDE.md")).Files); n != want {
			t.Errorf("follow %s: %d files, want %d", follow, n, want)
		}
	}
	if _, err := local.ReadFiles(nil, "some"); err == nil {
		t.Error("an unknown word was taken")
	}
}

// A named file that cannot be read stops the import before anything is stored,
// in one line with the remedy.
func TestImportRefusesFiles(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		strings.Repeat("- five megabytes\n", 5<<20/17+1): "repo/MEMORY.md: a memory file of more than 4 MiB; split it",
		"---\ntitle: x\n- a\n":                           "front matter is opened and never closed; close it",
		"GIF89a\x00\x00":                                 "not UTF-8 text; name a Markdown file",
		"- fine\n- " + strings.Repeat("x", 17<<10):       "line 2: an entry of 17 KiB, at most 16; split it",
	} {
		_, err := local.ReadFiles([]local.Source{source(files("MEMORY.md", text), "MEMORY.md")}, local.FollowTopics)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}
