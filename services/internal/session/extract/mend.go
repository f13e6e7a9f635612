package extract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// mendVersion is the part of a question's version that names this wording.
const mendVersion = "+mend-1"

// Mending returns the question that gives a model the chance to cite or to leave
// out what its first answer did not bear out, and false where there is nothing to
// ask. It is asked once. q is the first question; its trace is shown again, and
// the memories stand in a fence of their own, because they may repeat an
// instruction of the trace.
func Mending(q Question, nonce string, verdicts []Verdict) (Question, bool) {
	var faults strings.Builder
	var drafts []draft
	for _, v := range verdicts {
		if len(v.Dropped) == 0 {
			continue
		}
		e := v.Given
		drafts = append(drafts, draft{
			Kind: string(e.Kind), Title: e.Title, Description: e.Description, Content: e.Text, Tags: e.Tags, Outcome: e.Outcome, Evidence: e.Evidence,
		})
		var what []string
		for _, d := range v.Dropped {
			// A claim holds no line end: it cannot pretend to be another line.
			if c := d.Claim; c != "" && !slices.Contains(what, fmt.Sprintf("%q", c)) {
				what = append(what, fmt.Sprintf("%q", c))
			}
		}
		if len(what) == 0 {
			what = append(what, "none of its quotations stands in the record")
		}
		fmt.Fprintf(&faults, "Memory %d: %s\n", len(drafts), strings.Join(what, ", "))
	}
	if len(drafts) == 0 {
		return Question{}, false
	}
	list, err := json.Marshal(map[string]any{"memories": drafts})
	if err != nil {
		return Question{}, false // strings and numbers always encode
	}
	q.User += fmt.Sprintf("\n\n"+template("mend.txt"), nonce, escaped(string(list)), nonce, faults.String())
	q.Version += mendVersion
	return q, true
}

// escaped returns JSON in which no fence can be closed.
func escaped(list string) string {
	return strings.NewReplacer("<<<", `\u003c\u003c\u003c`, ">>>", `\u003e\u003e\u003e`).Replace(list)
}

// Mend replaces verdicts by those of the second answer where the session bears out
// more of it. A memory is found again by its title, else by its place. second must
// come from the question of [Mending].
func Mend(s Session, verdicts []Verdict, second []Extraction) []Verdict {
	again := Judge(s, second)
	out := slices.Clone(verdicts)
	place := 0
	for i, v := range out {
		if len(v.Dropped) == 0 {
			continue
		}
		at := slices.IndexFunc(again, func(a Verdict) bool { return v.Given.Title != "" && strings.EqualFold(a.Given.Title, v.Given.Title) })
		if at < 0 && place < len(again) {
			at = place
		}
		place++
		if at < 0 || again[at].Kept == nil || v.Kept != nil && len(again[at].Dropped) >= len(v.Dropped) {
			continue
		}
		out[i] = Verdict{Given: v.Given, Kept: again[at].Kept, Dropped: again[at].Dropped, Mended: true}
	}
	return out
}
