package extract_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/extract/extracttest"
)

// SPEC §8: what strong models wrote about real sessions and the gate took for inventions
// stands, what only looks like it falls, and a cut leaves readable text.
func TestGroundOfWhatIsSaidOtherwise(t *testing.T) {
	t.Parallel()
	s := extracttest.Talk("success",
		"assistant: uv was installed to $HOME/.local/bin/uv, the settings are in /Users/ann/.tool/conf.toml.",
		"tool: installed bin/gen-go v1.36.1\nFAIL two_test.go (5.00s)",
		"assistant: git add store.go && git commit -m \"fix: the importer waits\n\nfor a connection\"",
		"assistant: The importer waits for the plugins, so make tools installs them into bin.",
	)
	for in, want := range map[string]string{
		// A home folder in another notation, as long as it names no user.
		"The importer needs `~/.local/bin/uv` for the plugins.":            "The importer needs `~/.local/bin/uv` for the plugins.",
		"The settings of the tool are in ~/.tool/conf.toml.":               "The settings of the tool are in ~/.tool/conf.toml.",
		"The settings of the tool are in /home/bob/.tool/conf.toml.":       "",
		"The importer needs `~/.local/bin/uvx` for the plugins.":           "",
		"The importer needs `~/bin/uv` for the plugins.":                   "",
		"The importer waits for plugin gen-go (v1.36.1) and more.":         "The importer waits for plugin gen-go (v1.36.1) and more.",
		"The importer waits for plugin gen-go (v1.36.2) and more.":         "The importer waits for plugin gen-go and more.",
		"The importer waits for at most 5s.":                               "The importer waits for at most 5s.",
		"The importer waits for at most 6s.":                               "",
		"The importer waits: `git add store.go && git commit -m \"<m>\"`.": "The importer waits: `git add store.go && git commit -m \"<m>\"`.",
		"The importer waits: `git add main.go && git commit -m \"<m>\"`.":  "",
		"The importer waits, as in \"waits for <name>::<test>\".":          "The importer waits, as in \"waits for <name>::<test>\".",
		// Cuts.
		"The importer waits for the plugins; `gen --all` hides that.":        "The importer waits for the plugins.",
		"The importer waits for the plugins (as in `gen --all`) of make.":    "The importer waits for the plugins of make.",
		"The importer waits for the plugins; unless `gen --all` was called.": "",
		"The importer waits for the plugins (only in x/y.go).":               "",
		"Waits (see x/y.go).": "",
	} {
		kept, _ := extract.Ground(s, []extract.Extraction{fact(in, extract.Quote{Turn: 4, Text: "The importer waits for the plugins, so make tools installs them into bin."}, extract.Quote{Turn: 2, Text: "FAIL two_test.go (5.00s)"})})
		got := ""
		if len(kept) == 1 {
			got = kept[0].Text
			extracttest.Grounded(t, s, kept[0])
		}
		if got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	kept, dropped := extract.Ground(s, []extract.Extraction{{
		Kind: memory.KindStrategy, Title: "Plugins first", Description: "When `gen --all` fails.", Text: "The importer waits for the plugins.",
		Evidence: []extract.Quote{{Turn: 4, Text: "The importer waits for the plugins"}},
	}})
	if len(kept) != 1 || kept[0].Description != "Plugins first" || len(dropped) != 1 {
		t.Errorf("a lesson without its description: %+v, %+v", kept, dropped)
	}
}
