package memoryfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/memoryfile"
)

func parse(t *testing.T, text string) memoryfile.File {
	t.Helper()
	f, err := memoryfile.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func sample(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// at returns the entry that begins with prefix.
func at(t *testing.T, f memoryfile.File, prefix string) memoryfile.Entry {
	t.Helper()
	for _, e := range f.Entries {
		if strings.HasPrefix(e.Text, prefix) {
			return e
		}
	}
	t.Fatalf("no entry begins with %q", prefix)
	return memoryfile.Entry{}
}

// SPEC §13: bullets of every sort, nesting, continuation, code, tables, dates.
func TestParseMemoryFile(t *testing.T) {
	t.Parallel()
	f := parse(t, sample(t, "MEMORY.md"))
	if f.Title != "MEMORY.md" {
		t.Errorf("title %q", f.Title)
	}
	want := []string{"", "Joel", "Hard Rules", "System Architecture", "Patterns / Testing", "Patterns / Errors", "Notes"}
	if got := f.Sections(); !slices.Equal(got, want) {
		t.Errorf("sections %q, want %q", got, want)
	}
	for _, c := range []struct{ begins, section, text, observed string }{
		{"Index of", "", "Index of what this agent knows about the shop. Loaded at every start.", ""},
		{"(2026-01-31)", "Joel", "(2026-01-31) Wants commit messages that say **why**, not what.", "2026-01-31"},
		{"Timezone", "Joel", "Timezone: Europe/Berlin\n- core hours 10:00–16:00\n- no meetings on Fridays", ""},
		{"Never run", "Hard Rules", "Never run migrations by hand on `pg-main`:\nthe relay holds locks and the shop stands still.\n\nAsk in #ops first.", ""},
		{"2026-02-14", "System Architecture", "2026-02-14: `redis-sessions` moved from 7.2 to 7.4 in `deploy/cache.yaml`.", "2026-02-14"},
		{"Queue", "System Architecture", "Queue topology:\n\n```yaml\nstreams:\n  - name: orders   # three replicas\n    retention: limits\n```", ""},
		{"Ports", "System Architecture", "Ports:\n* gateway 8443\n* metrics 9090", ""},
		{"| service", "System Architecture", "| service | owner | pager |\n|---|---|---|\n| pay | Mara | yes |\n| search | Ana | no |", ""},
		{"Wrap", "Patterns / Errors", "Wrap with the operation: `fmt.Errorf(\"commit: %w\", err)`.", ""},
		{"Staging", "Notes", "Staging is rebuilt every night. Whatever was typed there by hand\nis gone in the morning.", ""},
		{"> **Note**", "Notes", "> **Note**: the VPN drops idle connections after ten minutes.", ""},
		{"[ ] renew", "Notes", "[ ] renew the certificate of `shop.example`", ""},
	} {
		e := at(t, f, c.begins)
		if e.Text != c.text || e.Section != c.section {
			t.Errorf("%q under %q, want %q under %q", e.Text, e.Section, c.text, c.section)
		}
		if got := e.ObservedAt.Format("2006-01-02"); c.observed != "" && got != c.observed || c.observed == "" && !e.ObservedAt.IsZero() {
			t.Errorf("%q was observed %s, want %q", e.Text, got, c.observed)
		}
	}
	if len(f.Comments) != 1 || !strings.Contains(f.Comments[0].Text, "CircleCI") {
		t.Errorf("comments %v", f.Comments)
	}
	if len(f.Links) != 2 || f.Links[0].Target != "topics/billing.md" || f.Links[0].Alone || !f.Links[1].Alone || f.Links[1].Line != 6 {
		t.Errorf("links %+v", f.Links)
	}
}

func TestParseClaudeFile(t *testing.T) {
	t.Parallel()
	f := parse(t, sample(t, "CLAUDE.md"))
	if !strings.Contains(f.FrontMatter, "alwaysApply: true") {
		t.Errorf("front matter %q", f.FrontMatter)
	}
	want := []string{"", "Commands", "Architecture", "Architecture / Data flow", "Code style", "Important notes"}
	if got := f.Sections(); !slices.Equal(got, want) {
		t.Errorf("sections %q, want %q", got, want)
	}
	// A block after a colon belongs to the entry.
	if e := at(t, f, "Run one test"); e.Text != "Run one test:\n```bash\ngo test ./internal/pay -run TestRefund\n```" {
		t.Errorf("%q", e.Text)
	}
	if e := at(t, f, "**pnpm**"); memoryfile.Label(e.Text) != "pnpm" {
		t.Errorf("label %q of %q", memoryfile.Label(e.Text), e.Text)
	}
	if got := memoryfile.Label("**Errors:** wrap"); got != "Errors" {
		t.Errorf("label %q", got)
	}
	var targets []string
	for _, l := range f.Links {
		targets = append(targets, l.Target)
	}
	slices.Sort(targets)
	if !slices.Equal(targets, []string{"docs/glossary.md", "docs/review.md"}) {
		t.Errorf("links %q", targets)
	}
}

func TestParseAgentsFile(t *testing.T) {
	t.Parallel()
	f := parse(t, sample(t, "AGENTS.md"))
	if f.Title != "Repository guidelines" {
		t.Errorf("title %q", f.Title)
	}
	if e := at(t, f, "`pnpm test`"); e.Text != "`pnpm test`: unit tests (vitest).\n\nAdd `--coverage` before a release." {
		t.Errorf("%q", e.Text)
	}
	if e := at(t, f, "and so"); e.Text != "and so\nis this one, over\ntwo lines" {
		t.Errorf("%q", e.Text)
	}
	e := at(t, f, "**Lesson**")
	if e.Section != "Learnings / [2026-02-20] details tag cannot wrap pre blocks" || e.ObservedAt.Format("2006-01-02") != "2026-02-20" {
		t.Errorf("under %q, observed %s", e.Section, e.ObservedAt)
	}
	if e := at(t, f, "indented"); e.Text != "indented := \"code\"\n\tkeeps := \"its own indentation\"" {
		t.Errorf("%q", e.Text)
	}
	if e := at(t, f, "Expires"); e.ObservedAt.Format("2006-01-02") != "2026-03-02" {
		t.Errorf("observed %s", e.ObservedAt)
	}
}

// Windows writes a byte order mark and two bytes for a line end; neither is part of the
// text.
func TestParseIsBlindToLineEnds(t *testing.T) {
	t.Parallel()
	text := sample(t, "CLAUDE.md")
	unix, windows := parse(t, text), parse(t, "\uFEFF"+strings.ReplaceAll(text, "\n", "\r\n"))
	if !slices.Equal(unix.Entries, windows.Entries) || unix.FrontMatter != windows.FrontMatter {
		t.Error("CRLF reads otherwise")
	}
}

// A file that is no memory file is refused with its line and a remedy.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data string
		is   error
		says string
	}{
		"5 MB":              {strings.Repeat("- five megabytes\n", 5<<20/17+1), memoryfile.ErrTooLarge, "more than 4 MiB; split it"},
		"not text":          {"a\nPNG\x00\x01", memoryfile.ErrNotText, "line 2: this is not UTF-8 text; name a Markdown file"},
		"latin-1":           {"Stra\xdfe", memoryfile.ErrNotText, "saved as UTF-8"},
		"conflict":          {"# A\n\n<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n", memoryfile.ErrConflict, "line 3: merge conflict marker; resolve"},
		"unclosed front":    {"---\ntitle: x\n\n- a\n", memoryfile.ErrFrontMatter, "line 1: front matter is opened and never closed; close it"},
		"no field in front": {"---\ntitle: x\nnonsense here\n---\n", memoryfile.ErrFrontMatter, `line 3: front matter: "nonsense here" is no field; write it as`},
		"tab in front":      {"---\ntitle: x\n\ty: z\n---\n", memoryfile.ErrFrontMatter, "line 3: front matter: a tab"},
		"open quote":        {"---\ntitle: \"x\n---\n", memoryfile.ErrFrontMatter, `line 2: front matter: " is opened`},
		"open list":         {"---\ntags: [a, b\n---\n", memoryfile.ErrFrontMatter, `line 2: front matter: [ is opened`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := memoryfile.Parse([]byte(c.data))
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %v that says %q in one line", err, c.is, c.says)
			}
		})
	}
}

// Lines that only look like front matter, comments or conflicts stay text.
func TestParseKeepsWhatOnlyLooksLikeSyntax(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"---\nOne line.\nTwo lines.\n---\n- a":    {"One line.\nTwo lines.", "a"},
		"---\n\n- a":                              {"a"},
		"---\ntags:\n- a\nlist: [x,\n y]\n---\nb": {"b"},
		"<!-- never closed\n- a":                  {"<!-- never closed", "a"},
		"<!-- note --> and text":                  {"and text"},
		"- a\n<<<<<<< is how a conflict begins":   {"a\n<<<<<<< is how a conflict begins"},
		"```\n# not a heading\n\n- not a bullet":  {"```\n# not a heading\n\n- not a bullet"},
		"- a\n\n\n  still a\n\nb":                 {"a\n\n\nstill a", "b"},
		"-no bullet\n#no heading":                 {"-no bullet\n#no heading"},
		"* * *\n- - -":                            {"- -"},
		"1) one\n   - nested\n2) two":             {"one\n- nested", "two"},
		"-\n  on the next line":                   {"on the next line"},
		"":                                        nil,
	} {
		var got []string
		for _, e := range parse(t, text).Entries {
			got = append(got, e.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q reads as %q, want %q", text, got, want)
		}
	}
}

// content returns all text of a file, without blanks.
func content(f memoryfile.File) string {
	var b strings.Builder
	b.WriteString(f.FrontMatter)
	for _, h := range f.Headings {
		b.WriteString("\n" + h.Text)
	}
	for _, e := range f.Entries {
		b.WriteString("\n" + e.Text)
	}
	for _, c := range f.Comments {
		b.WriteString("\n" + c.Text)
	}
	for _, l := range f.Links {
		b.WriteString("\n" + l.Target)
	}
	return b.String()
}

// lost returns the first word of the text, in letters and digits, that the file does
// not contain. Numbers of lists and the words of Winnow's own pointers do not count.
func lost(text string, f memoryfile.File) string {
	count := map[string]int{}
	words := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	}
	for _, w := range words(content(f)) {
		count[w]++
	}
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "\n")) {
		if strings.HasPrefix(line, "… and ") {
			continue
		}
		for _, w := range words(line) {
			if count[w]--; count[w] < 0 {
				return w
			}
		}
	}
	return ""
}

// A heading that is too long for a section is stored whole as an entry.
func TestParseKeepsLongHeadings(t *testing.T) {
	t.Parallel()
	long := strings.TrimSpace(strings.Repeat("what was learned is all in the heading ", 8))
	f := parse(t, "# Log\n\n## Before\n\n- a\n\n## "+long+"\n\nbody\n")
	if len(f.Entries) != 3 || f.Entries[1].Text != long || f.Entries[2].Section != memoryfile.CanonicalSection(long) {
		t.Errorf("%+v", f.Entries)
	}
	same(t, f, parse(t, string(memoryfile.Export(document(f)))))
}

func TestParseLosesNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"MEMORY.md", "CLAUDE.md", "AGENTS.md"} {
		text := sample(t, name)
		if w := lost(text, parse(t, text)); w != "" {
			t.Errorf("%s: %q is lost", name, w)
		}
	}
}

// Files made to be slow are parsed like any other. A quadratic parser would not end
// before the test times out.
func TestParseIsLinear(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"<!--\n", "**a**\n\n", "- a\n\n\n", "# a\n## b\n### c\n- x\n", "a:\n|:\n\n|:\n\n", "[x](a.md) ", "@a.md ", "[", "2026-01-01 ", "```\n", "<!-- a --> ",
	} {
		parse(t, strings.Repeat(s, 256<<10/len(s)))
	}
}

// Hostile input: no panic, nothing lost, and what was parsed is parsed again the same
// once it is written.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"MEMORY.md", "CLAUDE.md", "AGENTS.md"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, s := range []string{"<!-- a", "<!-- a --><!-- b", "- a\n\tb\n c", "# #\n## #a ##", "a\n===\nb\n---", "**a**\n\n- b", "```\n- a", "a:\n\n|b|", "---\na: b\n---", "… and 3 more: [a](topics/a.md)", "1.\n2. a"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := memoryfile.Parse(data)
		if err != nil {
			var p *memoryfile.Problem
			if !errors.As(err, &p) || p.Remedy == "" {
				t.Fatalf("%v is no problem with a remedy", err)
			}
			return
		}
		if w := lost(string(data), file); w != "" {
			t.Fatalf("%q is lost", w)
		}
		again, err := memoryfile.Parse(memoryfile.Export(document(file)))
		if err != nil {
			t.Fatalf("its export: %v", err)
		}
		same(t, file, again)
	})
}
