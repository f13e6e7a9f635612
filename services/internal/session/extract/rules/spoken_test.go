package rules_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract/extracttest"
	"github.com/winnowhq/winnow/services/internal/session/extract/rules"
)

// SPEC §8: what a person lays down or sets right while working is drawn, as a rule
// or as a fact, which triage asks the person about. What is about the present
// moment, or names nothing, is not.
func TestSpokenRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]memory.Kind{
		"From now on never use latest tags.":                        memory.KindConvention,
		"Going forward, pin every image by its digest.":             memory.KindConvention,
		"In future one class per commit, please.":                   memory.KindConvention,
		"Ab jetzt nur noch signierte Commits auf main.":             memory.KindConvention,
		"Künftig bitte jede Migration mit einem Rückweg schreiben.": memory.KindConvention,
		"And from now on one class per commit, please.":             memory.KindConvention,
		"No, the version is set in gradle.properties.":              memory.KindFact,
		"Nein, die Version steht in pom.xml.":                       memory.KindFact,
		"Stop, the staging database listens on port 5433.":          memory.KindFact,
		"From now on leave it.":                                     "",
		"No, the version is wrong.":                                 "",
		"No, the tests fail in pool.go.":                            "",
		"In future?":                                                "",
	} {
		list := rules.Extract(extracttest.Talk("success", "user: Please update the image.", "assistant: Done, the chart is updated.", "user: "+text), 3)
		switch {
		case want == "" && len(list) > 0:
			t.Errorf("%q became %q", text, list[0].Text)
		case want != "" && (len(list) != 1 || list[0].Kind != want):
			t.Errorf("%q became %+v", text, list)
		}
	}
}
