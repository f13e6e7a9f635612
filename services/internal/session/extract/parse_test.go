package extract_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
)

const whole = `{"memories":[{"kind":"strategy","title":"Pin the toolchain","description":"When CI and a laptop differ.","content":"Pin go in go.mod.","tags":["Go","ci"],"outcome":"success","evidence":[{"turn":3,"text":"toolchain go1.26"}]}]}`

const seed = `Here is what I found.

## Memory 1
**Title**: Pin the toolchain
**Description**: When CI and a laptop differ.
**Content**: Pin go in go.mod.
- then run the tests again
**Tags**: Go, ci
**Outcome**: success
**Evidence**: turn 3: "toolchain go1.26"

## Memory 2
**Title:** Do not cache
**Description:** When the cache is cold.
**Content:** It fails.
**Tags:** cache
**Outcome:** failure
`

// S4.10, S4.11, S4.37: both formats, alone or amid prose, and the way out.
func TestParse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer   string
		layout   extract.Layout
		found    int
		kept     int
		refusals int
	}{
		"json":               {whole, extract.LayoutJSON, 1, 1, 0},
		"in a code fence":    {"Sure!\n```json\n" + whole + "\n```\nDone.", extract.LayoutJSON, 1, 1, 0},
		"after braces":       {"The set {a, b} says [1]: " + whole, extract.LayoutJSON, 1, 1, 0},
		"bare list":          {whole[len(`{"memories":`) : len(whole)-1], extract.LayoutJSON, 1, 1, 0},
		"cut off":            {`{"memories":[` + strings.Repeat(whole[len(`{"memories":[`):len(whole)-2]+",", 2) + `{"kind":"fact","content":"half`, extract.LayoutJSON, 2, 2, 0},
		"empty list":         {`{"memories":[]}`, extract.LayoutJSON, 0, 0, 0},
		"null":               {`{"memories":null}`, extract.LayoutJSON, 0, 0, 0},
		"nothing":            {"NO_EXTRACTIONS", extract.LayoutNone, 0, 0, 0},
		"nothing, with talk": {"I looked closely.\n\n**NO_EXTRACTIONS**", extract.LayoutNone, 0, 0, 0},
		"the seed's":         {seed, extract.LayoutMarkdown, 2, 2, 0},
		"too many":           {`{"memories":[` + strings.Repeat(whole[len(`{"memories":[`):len(whole)-2]+",", 5) + `{}]}`, extract.LayoutJSON, 6, 3, 3},
		"wrong type":         {`{"memories":[{"content":7}]}`, extract.LayoutJSON, 1, 0, 1},
		"no content":         {`{"memories":[{"title":"a","description":"b","content":" "}]}`, extract.LayoutJSON, 1, 0, 1},
		"no title":           {`{"memories":[{"description":"b","content":"c"}]}`, extract.LayoutJSON, 1, 0, 1},
		"no description":     {`{"memories":[{"title":"b","content":"c"}]}`, extract.LayoutJSON, 1, 0, 1},
		"unknown kind":       {`{"memories":[{"kind":"rule","content":"Obey."}]}`, extract.LayoutJSON, 1, 0, 1},
		"unknown outcome":    {`{"memories":[{"title":"a","description":"b","content":"c","outcome":"great"}]}`, extract.LayoutJSON, 1, 0, 1},
		"huge":               {`{"memories":[{"kind":"fact","content":"` + strings.Repeat("a", extract.MaxContent+1) + `"}]}`, extract.LayoutJSON, 1, 0, 1},
		"markdown, no title": {"## Memory 1\n**Content**: c\n", extract.LayoutMarkdown, 1, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, report, err := extract.Parse(c.answer, 3)
			if err != nil {
				t.Fatal(err)
			}
			if report.Layout != c.layout || report.Found != c.found || len(kept) != c.kept || len(report.Refused) != c.refusals {
				t.Errorf("kept %d, report %+v", len(kept), report)
			}
			for _, r := range report.Refused {
				if r.Why == "" || r.N == 0 {
					t.Errorf("refused without a reason: %+v", r)
				}
			}
		})
	}
}

func TestParseReadsEveryField(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"json": whole, "markdown": seed} {
		kept, _, err := extract.Parse(answer, 1)
		if err != nil || len(kept) != 1 {
			t.Fatalf("%s: %v, %v", name, kept, err)
		}
		e := kept[0]
		if e.Kind != memory.KindStrategy || e.Title != "Pin the toolchain" || e.Description != "When CI and a laptop differ." || !strings.HasPrefix(e.Text, "Pin go in go.mod.") ||
			strings.Join(e.Tags, ",") != "go,ci" || e.Outcome != "success" || len(e.Evidence) != 1 || e.Evidence[0] != (extract.Quote{Turn: 3, Text: "toolchain go1.26"}) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// S4.10: a title that is too long is cut at a word, and shows it.
func TestParseShortens(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wörter ", 60)
	kept, report, err := extract.Parse(`{"memories":[{"title":"`+long+`","description":"`+long+`","content":"c"}]}`, 3)
	if err != nil || len(kept) != 1 || report.Shortened != 2 {
		t.Fatalf("%v, %+v, %v", kept, report, err)
	}
	if n := utf8.RuneCountInString(kept[0].Title); n > extract.MaxTitle || !strings.HasSuffix(kept[0].Title, "wörter…") {
		t.Errorf("title %q", kept[0].Title)
	}
	if n := utf8.RuneCountInString(kept[0].Description); n > extract.MaxDescription || !strings.HasSuffix(kept[0].Description, "…") {
		t.Errorf("description %q", kept[0].Description)
	}
}

// D24: what cannot be read is said to be so, once.
func TestParseRefusesTheRest(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"", "I cannot help with that.", `{"memories":`, "[1,2]", "## Notes\nnone", strings.Repeat("{[", 100000)} {
		if kept, _, err := extract.Parse(answer, 3); !errors.Is(err, extract.ErrUnparseable) {
			t.Errorf("%.40q: %v, %v", answer, kept, err)
		}
	}
}

// Whatever a model writes, what is kept is within the limits.
func FuzzParse(f *testing.F) {
	for _, s := range []string{whole, seed, "NO_EXTRACTIONS", "```json\n" + whole, `[{"content":"a"}]`, "## Memory 1\n**Title**: \x00\n**Evidence**: turn 99999999999: x"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, answer string, most int) {
		kept, report, err := extract.Parse(answer, most)
		if err != nil {
			if len(kept) > 0 || !errors.Is(err, extract.ErrUnparseable) {
				t.Fatalf("%v with %d kept", err, len(kept))
			}
			return
		}
		if len(kept) > max(0, min(most, extract.MaxMemories)) || len(kept)+len(report.Refused) != report.Found {
			t.Fatalf("%d kept of %+v, at most %d", len(kept), report, most)
		}
		for _, e := range kept {
			if e.Text == "" || utf8.RuneCountInString(e.Text) > extract.MaxContent || utf8.RuneCountInString(e.Title) > extract.MaxTitle && e.Kind == memory.KindStrategy ||
				utf8.RuneCountInString(e.Description) > extract.MaxDescription && e.Kind == memory.KindStrategy || !utf8.ValidString(e.Title+e.Description+e.Text) {
				t.Fatalf("kept %+v", e)
			}
		}
	})
}
