package rules

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
)

var (
	commits = regexp.MustCompile(`(?:^|&&\s*|;\s*)git\s+(?:-[cC]\s+\S+\s+)*commit\b`)
	// guards is how a hook says that it was the one who refused.
	guards = regexp.MustCompile(`(?i)\bpre-?commit\b|\b(?:hook|husky|lint-staged|lefthook)\b.{0,60}\b(?:fail\w*|declined|rejected|blocked|exited)\b`)
	// made is how git answers a commit.
	made = regexp.MustCompile(`(?m)^\[[\w./-]+ (?:\(root-commit\) )?[0-9a-f]{7,40}\] `)
	// objections are what hooks have against a change.
	objections = regexp.MustCompile(`(?i)\b(?:(?:is|are|was|were) not (?:formatted|sorted|up to date|generated)|would (?:be )?reformat\w*|needs? (?:formatting|to be formatted)|unformatted|out of date|out of sync|stale|nicht formatiert|veraltet)\b`)
)

// commit is how a refused commit is called, whatever its message was.
const commit = "git commit"

// refused finds commits that a hook refused until one command was run: what has
// to be run before a commit here. Changes of code between say that the hook found
// a fault in the work, which is no lesson.
func (w *work) refused() []candidate {
	var found []candidate
	for i, bad := range w.runs {
		output := extract.Middle(w.s.Lines[bad.answer].Text, maxVerdict)
		if !commits.MatchString(bad.command) || w.landed(bad) || !guards.MatchString(output) {
			continue
		}
		wrong := objection(output)
		k := w.committed(i)
		if wrong == "" || k < 0 || !w.landed(w.runs[k]) || bypasses.MatchString(w.runs[k].command) {
			continue
		}
		var helped []run
		for _, r := range w.runs[i+1 : k] {
			if r.works() && r.end != endFailed {
				helped = append(helped, r)
			}
		}
		if changes, _ := w.changes(i+1, k); len(changes) > 0 || len(helped) != 1 || !quotable(helped[0].command) || bypasses.MatchString(helped[0].command) {
			continue
		}
		e := extract.Extraction{Kind: memory.KindStrategy, Outcome: extract.OutcomeSuccess, Evidence: []extract.Quote{
			{Turn: w.s.Lines[bad.call].N, Text: commit}, {Turn: w.s.Lines[bad.answer].N, Text: wrong}, w.command(helped[0]),
		}}
		e.Text = w.glue("A hook refused `%s` with “%s”. After `%s` it passed.", "Ein Hook lehnte `%s` mit „%s“ ab. Nach `%s` lief es durch.", commit, wrong, helped[0].command)
		w.name(&e, commit, wrong)
		found = append(found, candidate{Extraction: e, rank: rankFix, turn: w.s.Lines[bad.call].N})
	}
	return found
}

// landed reports a commit that was made: git says so, or its end does.
func (w *work) landed(r run) bool {
	return made.MatchString(w.s.Lines[r.answer].Text) || r.end == endPassed && !r.called.masked
}

// again is how many runs after a refused commit the next one may come.
const again = 10

// committed is the next commit after a run, or -1.
func (w *work) committed(i int) int {
	for k := i + 1; k < min(len(w.runs), i+again); k++ {
		if commits.MatchString(w.runs[k].command) {
			return k
		}
	}
	return -1
}

// objection is the line of a hook's output that says what it objects to. Some
// hooks print \n where they mean a line's end.
func objection(output string) string {
	for line := range strings.SplitSeq(strings.ReplaceAll(output, `\n`, "\n"), "\n") {
		if line = strings.TrimRight(strings.TrimSpace(line), " .,:;"); objections.MatchString(line) && len(line) <= maxErrorLine &&
			!strings.ContainsAny(line, "`“”") && !orders.MatchString(line) && !steers(line) {
			return line
		}
	}
	return ""
}
