package rules

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
)

var (
	commits = regexp.MustCompile(`(?:^|&&\s*|;\s*)git\s+(?:-[cC]\s+\S+\s+)*commit\b`)
	// guards matches a hook's statement that it refused the commit.
	guards = regexp.MustCompile(`(?i)\bpre-?commit\b|\b(?:hook|husky|lint-staged|lefthook)\b.{0,60}\b(?:fail\w*|declined|rejected|blocked|exited)\b`)
	// made matches git's answer to a successful commit.
	made = regexp.MustCompile(`(?m)^\[[\w./-]+ (?:\(root-commit\) )?[0-9a-f]{7,40}\] `)
	// objections matches what hooks object to in a change.
	objections = regexp.MustCompile(`(?i)\b(?:(?:is|are|was|were) not (?:formatted|sorted|up to date|generated)|would (?:be )?reformat\w*|needs? (?:formatting|to be formatted)|unformatted|out of date|out of sync|stale|nicht formatiert|veraltet)\b`)
)

// commit is the name of a refused commit's command, without its message.
const commit = "git commit"

// refused finds commits that a hook refused until one command was run: what
// must be run before a commit in this project. Changes of code in between mean
// that the hook found a fault in the work, which is no lesson.
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

// landed reports whether a commit was made, by git's answer or by how the run
// ended.
func (w *work) landed(r run) bool {
	return made.MatchString(w.s.Lines[r.answer].Text) || r.end == endPassed && !r.called.masked
}

// again is how many runs after a refused commit the next one may come.
const again = 10

// committed returns the next commit after a run, or -1.
func (w *work) committed(i int) int {
	for k := i + 1; k < min(len(w.runs), i+again); k++ {
		if commits.MatchString(w.runs[k].command) {
			return k
		}
	}
	return -1
}

// objection returns the line of a hook's output that says what is wrong. Some
// hooks print \n instead of a line end.
func objection(output string) string {
	for line := range strings.SplitSeq(strings.ReplaceAll(output, `\n`, "\n"), "\n") {
		if line = strings.TrimRight(strings.TrimSpace(line), " .,:;"); objections.MatchString(line) && len(line) <= maxErrorLine &&
			!strings.ContainsAny(line, "`“”") && !orders.MatchString(line) && !steers(line) {
			return line
		}
	}
	return ""
}
