package rules

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
)

// soon is how many runs after a failure another form of the command may come.
const soon = 3

// instead returns the lesson of a command that failed at run i and worked in
// another form at run k, with nothing changed between.
func (w *work) instead(i, k int) (candidate, bool) {
	bad, good := w.runs[i], w.runs[k]
	if !good.works() || !quotable(good.command) || !kin(bad.command, good.command) {
		return candidate{}, false
	}
	if dir := w.folder(good); dir != "" && dir != w.folder(bad) {
		return w.worked(i, k, w.glue("`%s` in `%s` works", "`%s` in `%s` funktioniert", good.command, dir), good.called.lead)
	}
	if by := good.called.prepared; w.prepares(i, k) && absent.MatchString(wentWrong(w.s.Lines[bad.answer].Text)) {
		return w.worked(i, k, w.glue("`%s` works", "`%s` funktioniert", by), by)
	}
	return w.worked(i, k, w.glue("`%s` works", "`%s` funktioniert", good.command), good.command)
}

// otherwise returns the lesson of a command that failed at run i and worked at
// run k in another folder or with other variables.
func (w *work) otherwise(i, k int) (candidate, bool) {
	bad, good := w.runs[i], w.runs[k]
	env := good.called.env
	switch dir := w.folder(good); {
	case dir != "" && dir != w.folder(bad):
		return w.worked(i, k, w.glue("`%s` in `%s` works", "`%s` in `%s` funktioniert", good.command, dir), good.called.lead)
	case env != "" && env != bad.called.env && quotable(env):
		return w.worked(i, k, w.glue("`%s` works", "`%s` funktioniert", env), env)
	case good.called.prepared != "" && good.called.prepared != bad.called.prepared && quotable(good.called.prepared):
		return w.worked(i, k, w.glue("`%s` works", "`%s` funktioniert", good.called.prepared), good.called.prepared)
	}
	return candidate{}, false
}

// absent matches errors about a program or module that is not where it is looked for.
var absent = regexp.MustCompile(`(?i)\bcommand not found\b|\bno module named\b|\bnot found$|\bis not recognized\b|\bbefehl nicht gefunden\b`)

// prepares reports whether run k sets something up that run i did not, in a form that can
// be quoted.
func (w *work) prepares(i, k int) bool {
	by := w.runs[k].called.prepared
	return by != "" && by != w.runs[i].called.prepared && quotable(by)
}

// there returns the lesson of a program that was not found at run i and was found at run k
// with a preparation, whatever it said then and with which arguments: a virtual environment
// that had to be activated.
func (w *work) there(i, k int) (candidate, bool) {
	bad, good := w.runs[i], w.runs[k]
	wrong := wentWrong(w.s.Lines[bad.answer].Text)
	if !absent.MatchString(wrong) || program(good.command) != program(bad.command) || good.end == endUnknown || !w.prepares(i, k) || absent.MatchString(wentWrong(w.s.Lines[good.answer].Text)) {
		return candidate{}, false
	}
	for _, r := range w.runs[i+1 : k] {
		if r.works() && r.end != endFailed {
			return candidate{}, false // it may have installed what was missing
		}
	}
	by := good.called.prepared
	return w.compose(i, k, w.glue("`%s` finds it", "`%s` findet es", by), by)
}

// worked composes what [work.instead] and [work.otherwise] found: quote is the
// passage of the good call that says how it was made.
func (w *work) worked(i, k int, works, quote string) (candidate, bool) {
	if w.runs[k].end != endPassed {
		return candidate{}, false
	}
	return w.compose(i, k, works, quote)
}

func (w *work) compose(i, k int, works, quote string) (candidate, bool) {
	bad, good := w.runs[i], w.runs[k]
	wrong := wentWrong(w.s.Lines[bad.answer].Text)
	if changes, _ := w.changes(i+1, k); k-i > soon || len(changes) > 0 || wrong == "" {
		return candidate{}, false
	}
	e := extract.Extraction{Kind: memory.KindStrategy, Outcome: extract.OutcomeSuccess, Evidence: []extract.Quote{
		w.command(bad), {Turn: w.s.Lines[bad.answer].N, Text: wrong}, {Turn: w.s.Lines[good.call].N, Text: quote},
	}}
	e.Text = w.glue("`%s` failed with “%s”.", "`%s` schlug mit „%s“ fehl.", bad.command, wrong)
	if why, said := cause(w.s, bad.answer+1, good.call); why != "" {
		e.Text += " " + sentence(why)
		e.Evidence = append(e.Evidence, said)
	}
	e.Text += " " + works + "."
	w.name(&e, bad.command, wrong)
	if good.command != bad.command && quote != good.called.prepared {
		e.Title = w.title(w.glue("Use `%s`", "`%s` nehmen", good.command), e.Title)
	}
	return candidate{Extraction: e, rank: rankWorked, turn: w.s.Lines[bad.call].N}, true
}

// folder returns where a command was run, relative to the project; empty where
// that is unknown. A folder that exists on one machine only says nothing.
func (w *work) folder(r run) string {
	dir := strings.TrimSuffix(relative(r.called.dir, w.s.Project), "/")
	if strings.ContainsAny(dir, "~$") || strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "..") || dir == "." || dir == "-" {
		return ""
	}
	return dir
}
