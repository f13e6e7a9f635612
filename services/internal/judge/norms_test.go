package judge

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// sentenceLine is a sentence of testdata/norms.jsonl: ours, with what a person reads it as.
type sentenceLine struct {
	Text  string `json:"text"`
	Label string `json:"label"` // fact, or rule, convention, advice, preference, plan
}

// askedAsNorm are the rules that read a text as something that obliges, advises, wishes
// or plans. A text that says that a protection is lowered is asked before.
var askedAsNorm = []string{"hardrule", "convention", "preference", "opinion", "transient"}

// SPEC §6: a norm is asked as one, whether or not it has a word of obligation, and what
// only sounds like one is not. Of our sentences at most one in twenty is misread.
func TestNormsAndFactsAreToldApart(t *testing.T) {
	t.Parallel()
	lines := testenv.Lines[sentenceLine](t, "testdata/norms.jsonl")
	wrong := 0
	for _, l := range lines {
		d := judgeOn(t, nil, l.Text)
		if d.Rule == "sensitive" {
			continue // another question comes first
		}
		if norm := slices.Contains(askedAsNorm, d.Rule); norm == (l.Label == "fact") {
			wrong++
			t.Logf("%s, read by %s: %q", l.Label, d.Rule, l.Text)
		}
	}
	if len(lines) < 80 || wrong*20 > len(lines) {
		t.Errorf("%d of %d misread", wrong, len(lines))
	}
}

// SPEC §6, of sentences that were written before anybody looked at how the rules read them, in
// domains of their own. Those in odd lines nobody looked at singly afterwards either.
func TestSentencesOfOtherDomainsAreToldApart(t *testing.T) {
	t.Parallel()
	lines := testenv.Lines[sentenceLine](t, "testdata/sentences.jsonl")
	var wrong [2]int
	for i, l := range lines {
		d := judgeOn(t, nil, l.Text)
		if norm := slices.Contains(askedAsNorm, d.Rule); norm == (l.Label == "fact") {
			wrong[i%2]++
		}
		if l.Label != "fact" && d.Verdict == memory.VerdictPromoted {
			t.Errorf("%s promoted by %s: %q", l.Label, d.Rule, l.Text)
		}
	}
	if len(lines) < 150 || (wrong[0]+wrong[1])*100 > len(lines)*15 {
		t.Errorf("%d in odd lines and %d in even ones of %d misread", wrong[0], wrong[1], len(lines))
	}
}

// The opponent: a norm is not promoted, however it is dated, whatever name it bears,
// and whatever fact stands before it.
func TestNoNormIsPromoted(t *testing.T) {
	t.Parallel()
	for _, l := range testenv.Lines[sentenceLine](t, "testdata/norms.jsonl") {
		if l.Label == "fact" {
			continue
		}
		for _, text := range []string{
			l.Text,
			"2026-03-04: " + l.Text,
			strings.TrimSuffix(l.Text, ".") + " (agreed 2026-03-04, `wiki/rules.md`).",
		} {
			d := judgeOn(t, nil, text)
			if d.Verdict == memory.VerdictPromoted {
				t.Errorf("%s promoted by %s: %q", l.Label, d.Rule, text)
			}
		}
	}
}
