package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// learned finds what an agent's work teaches, in a session without words from
// outside between its error and its fix.
func learned(s extract.Session) []candidate {
	w := work{s: s, runs: runs(s), de: language(spoken(s)) == "de"}
	found := append(w.fixes(), w.refused()...)
	if len(found) == 0 {
		found = w.confirmed()
	}
	return append(found, w.persistent()...)
}

// work is a session seen as runs of tools.
type work struct {
	s    extract.Session
	runs []run
	de   bool
}

// spoken returns what people and agents say at the beginning of a session:
// enough to detect the language.
func spoken(s extract.Session) string {
	var b strings.Builder
	for _, l := range s.Lines {
		if (l.Role == trace.RoleUser || l.Role == trace.RoleAssistant) && !l.Calls() && b.Len() < maxSpoken {
			b.WriteString(extract.Middle(l.Text, maxSpoken/2) + "\n")
		}
	}
	return b.String()
}

// glue returns the rule's own words around the quotations, in the language of
// the session.
func (w *work) glue(en, de string, args ...any) string {
	if w.de {
		return fmt.Sprintf(de, args...)
	}
	return fmt.Sprintf(en, args...)
}

// later is how many runs after a failure its success may come. A longer
// distance spans half of the session.
const later = 100

// fixes finds commands that failed and later passed, with the changes between.
func (w *work) fixes() []candidate {
	var found []candidate
	for i, bad := range w.runs {
		if bad.end == endFailed && !bad.thrown && bad.works() && quotable(bad.command) {
			found = append(found, w.remedies(i)...)
		}
	}
	return found
}

// remedies returns what put a failed run right: the first later run that tells. The same command
// ends the search, for when it failed again the later pair says more.
func (w *work) remedies(i int) []candidate {
	for k := i + 1; k < min(len(w.runs), i+later); k++ {
		again := w.runs[k].command == w.runs[i].command
		tells := w.instead
		if again {
			tells = w.otherwise
		}
		if c, ok := tells(i, k); ok {
			return []candidate{c}
		}
		if c, ok := w.there(i, k); ok {
			return []candidate{c}
		}
		switch {
		case again && w.runs[k].end == endPassed:
			return w.between(i, k)
		case again:
			return nil
		}
	}
	return nil
}

// between returns the lesson of a command that failed at run i and passed at
// run k. There is one where the session explains why, or where the error has
// words and one change or one command stands between.
func (w *work) between(i, k int) []candidate {
	bad, good := w.runs[i], w.runs[k]
	wrong := wentWrong(w.s.Lines[bad.answer].Text)
	if w.other(i, k, wrong) {
		return nil
	}
	e := extract.Extraction{Kind: memory.KindStrategy, Outcome: extract.OutcomeSuccess}
	e.Evidence = []extract.Quote{w.command(bad)}
	failure := w.glue("`%s` failed", "`%s` schlug fehl", bad.command)
	if wrong != "" {
		failure += w.glue(" with “%s”", " mit „%s“", wrong)
		e.Evidence = append(e.Evidence, extract.Quote{Turn: w.s.Lines[bad.answer].N, Text: wrong})
	}
	changes, last := w.changes(i+1, k)
	why, quote := cause(w.s, bad.answer+1, max(last, bad.answer+1))
	if len(changes) == 0 {
		return w.after(i, k, wrong, why, quote)
	}
	if slips.MatchString(wrong) || why == "" && (unnamed.MatchString(wrong) || w.slipped(bad.answer+1, last)) {
		return nil
	}
	if wrong == "" && quote.Turn > w.s.Lines[bad.answer].N+near {
		return nil // too late to explain an error without words
	}
	if why == "" && (wrong == "" || len(changes) != 1 || changes[0].edit.line == "") {
		return nil
	}
	e.Text = failure + "."
	if why != "" {
		e.Text += " " + sentence(why)
		e.Evidence = append(e.Evidence, quote)
	}
	text, quotes := w.changed(changes)
	e.Text += text + w.glue(" Then `%s` passed.", " Danach lief `%s` durch.", good.command)
	e.Evidence = append(e.Evidence, quotes...)
	w.name(&e, bad.command, wrong)
	return []candidate{{Extraction: e, rank: rankFix, turn: w.s.Lines[bad.call].N}}
}

// slipped reports whether the agent's words between two lines name a slip of its own.
func (w *work) slipped(from, to int) bool {
	return slices.ContainsFunc(w.s.Lines[from:max(from, to)], func(l transcript.Line) bool {
		return l.Role == trace.RoleAssistant && !l.Calls() && slips.MatchString(l.Text)
	})
}

// other reports whether another failure of the same program lies between two
// runs: what was said and done there was about that failure.
func (w *work) other(i, k int, wrong string) bool {
	for _, r := range w.runs[i+1 : k] {
		if r.end == endFailed && r.works() && program(r.command) == program(w.runs[i].command) && wentWrong(w.s.Lines[r.answer].Text) != wrong {
			return true
		}
	}
	return false
}

var (
	// alters matches commands that change files unseen: the fix may have been
	// such a change.
	alters = regexp.MustCompile(`\bpatch\b|\bgit\s+(?:-\S+\s+)*(?:apply|am|checkout|restore|stash|reset|merge|pull|rebase|revert|cherry-pick)\b|<<|>\s*[\w./-]+\.\w+|\btee\b|\b(?:sed|perl)\s+-\S*i`)
	// script matches a run of an ad-hoc program, which tries something out and
	// fixes nothing.
	script = regexp.MustCompile(`^(?:python[\d.]*|node|deno|ruby|perl|php|go run)\s+(?:-\S+\s+)*\S+\.\w+\b`)
)

// produces matches checks that leave behind what others need: "npm run build:schema".
var produces = regexp.MustCompile(`^(?:npm|yarn|pnpm|bun|make|mvnw?|\./mvnw|gradle|\./gradlew)\s(?:\S+\s)*\S*(?:build|package)\b`)

// helps is how many commands may stand between a failure and its success. Of more, nothing
// tells which helped.
const helps = 2

// after returns the lesson of a command that failed until one other command was
// run, or two.
func (w *work) after(i, k int, wrong, why string, quote extract.Quote) []candidate {
	bad := w.runs[i]
	var helped []run
	for _, r := range w.runs[i+1 : k] {
		if alters.MatchString(w.s.Lines[r.call].Tool.Command) {
			return nil
		}
		if r.works() && r.end != endFailed && quotable(r.command) {
			helped = append(helped, r)
		}
	}
	if len(helped) == 0 || len(helped) > helps || wrong == "" {
		return nil
	}
	e := extract.Extraction{Kind: memory.KindStrategy, Outcome: extract.OutcomeSuccess, Evidence: []extract.Quote{
		w.command(bad), {Turn: w.s.Lines[bad.answer].N, Text: wrong},
	}}
	names := make([]string, 0, len(helped))
	for _, r := range helped {
		if w.s.Lines[r.call].Tool.Kind == trace.KindTest && !produces.MatchString(r.command) || script.MatchString(r.command) {
			return nil
		}
		names = append(names, "`"+r.command+"`")
		e.Evidence = append(e.Evidence, w.command(r))
	}
	e.Text = w.glue("`%s` failed with “%s”.", "`%s` schlug mit „%s“ fehl.", bad.command, wrong)
	if why != "" {
		e.Text += " " + sentence(why)
		e.Evidence = append(e.Evidence, quote)
	}
	e.Text += w.glue(" After %s it passed.", " Nach %s lief es durch.", strings.Join(names, w.glue(" and ", " und ")))
	w.name(&e, bad.command, wrong)
	return []candidate{{Extraction: e, rank: rankFix, turn: w.s.Lines[bad.call].N}}
}

// changes returns the edits among runs that were not refused, and the line of
// the last one's call.
func (w *work) changes(from, to int) (list []run, last int) {
	for _, r := range w.runs[from:to] {
		if r.edit.file != "" && r.end != endFailed {
			list = append(list, r)
			last = r.call
		}
	}
	return list, last
}

// changed returns text that names the edited files, and quotes the change where
// it is one line.
func (w *work) changed(changes []run) (text string, quotes []extract.Quote) {
	if one := changes[0]; len(changes) == 1 && one.edit.line != "" {
		return w.glue(" Changed in `%s`: `%s`.", " Geändert in `%s`: `%s`.", one.edit.file, one.edit.line),
			[]extract.Quote{w.file(one), {Turn: w.s.Lines[one.call].N, Text: one.edit.line}}
	}
	var files []string
	seen := make(map[string]bool)
	for _, r := range changes {
		if !seen[r.edit.file] && len(files) < 3 {
			seen[r.edit.file] = true
			files = append(files, "`"+r.edit.file+"`")
			quotes = append(quotes, w.file(r))
		}
	}
	return w.glue(" Changed: %s.", " Geändert: %s.", strings.Join(files, ", ")), quotes
}

// command quotes the call of a run.
func (w *work) command(r run) extract.Quote {
	return extract.Quote{Turn: w.s.Lines[r.call].N, Text: r.command}
}

// file quotes the name of an edited file: from the call, otherwise from the
// answer.
func (w *work) file(r run) extract.Quote {
	for _, i := range []int{r.call, r.answer} {
		if start, end, ok := extract.Within(w.s.Lines[i].Text, r.edit.file); ok {
			return extract.Quote{Turn: w.s.Lines[i].N, Text: extract.Passage(w.s.Lines[i].Text, start, end)}
		}
	}
	return extract.Quote{Turn: w.s.Lines[r.call].N, Text: r.edit.file}
}

// name sets the title, description and tags of a lesson about a command.
func (w *work) name(e *extract.Extraction, command, wrong string) {
	e.Title = w.title(position.ReplaceAllString(wrong, ""), w.glue("When `%s` fails", "Wenn `%s` fehlschlägt", command), w.glue("When %s fails", "Wenn %s fehlschlägt", program(command)))
	e.Description = w.glue("When `%s` fails.", "Wenn `%s` fehlschlägt.", command)
	if wrong != "" {
		if long := w.glue("When `%s` fails with “%s”.", "Wenn `%s` mit „%s“ fehlschlägt.", command, wrong); len([]rune(long)) <= extract.MaxDescription {
			e.Description = long
		}
	}
	e.Tags = []string{program(command)}
}

// title returns the first option that is short enough. No option is cut,
// because half a command is another command.
func (w *work) title(options ...string) string {
	for _, t := range options {
		if t != "" && len([]rune(t)) <= extract.MaxTitle {
			return t
		}
	}
	return w.glue("A command that fails", "Ein Befehl, der fehlschlägt")
}
