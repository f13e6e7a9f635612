package rules

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// confirmed finds a fix in a session that succeeded without stating how its
// commands ended: an explanation, a change, a command, and the agent's
// statement that the change worked. It returns at most one: the last.
func (w *work) confirmed() []candidate {
	if w.s.Outcome != extract.OutcomeSuccess {
		return nil
	}
	for k := len(w.runs) - 1; k > 0; k-- {
		check := w.runs[k]
		if check.end == endFailed || !check.works() || !quotable(check.command) {
			continue
		}
		said, ok := confirmed(w.s, check.answer)
		if !ok {
			continue
		}
		changes, last := w.changes(0, k)
		if len(changes) == 0 {
			return nil
		}
		change := changes[len(changes)-1]
		why, quote := cause(w.s, 0, last)
		if why == "" || quote.Turn < w.before(change) {
			return nil
		}
		return []candidate{w.fix(change, check, sentence(why), quote, said)}
	}
	return nil
}

// near is how many turns before a change its explanation may stand: a refused
// attempt and its answer may lie between.
const near = 6

// before returns the turn from which an explanation of a change counts. Attempts at the same
// file that were refused belong to the change: the explanation came before the first of them.
func (w *work) before(change run) int {
	first := change.call
	for i := len(w.runs) - 1; i >= 0; i-- {
		switch r := w.runs[i]; {
		case r.call >= first || r.edit.file == "" || r.edit.file != change.edit.file:
		case r.end == endFailed:
			first = r.call
		default:
			return w.s.Lines[first].N - near
		}
	}
	return w.s.Lines[first].N - near
}

// fix composes the lesson of one change.
func (w *work) fix(change, check run, why string, quote, said extract.Quote) candidate {
	e := extract.Extraction{Kind: memory.KindStrategy, Outcome: extract.OutcomeSuccess, Evidence: []extract.Quote{quote}}
	text, quotes := w.changed([]run{change})
	e.Text = why + text
	e.Evidence = append(e.Evidence, quotes...)
	before, after := w.printed(check)
	if before.Text != "" {
		e.Text += w.glue(" `%s` printed `%s` before and `%s` after.", " `%s` gab vorher `%s` aus und danach `%s`.", check.command, before.Text, after.Text)
		e.Evidence = append(e.Evidence, before, after)
	} else {
		e.Text += w.glue(" Checked with `%s`.", " Geprüft mit `%s`.", check.command)
	}
	e.Evidence = append(e.Evidence, w.command(check), said)
	symptom := w.symptom()
	if symptom.Text != "" {
		e.Evidence = append(e.Evidence, symptom)
	}
	base := change.edit.file[strings.LastIndexByte(change.edit.file, '/')+1:]
	e.Title = w.title(symptom.Text, w.glue("Fix in %s", "Korrektur in %s", base), w.glue("A fix that was checked", "Eine geprüfte Korrektur"))
	e.Description = w.glue("Applies to `%s`.", "Betrifft `%s`.", change.edit.file)
	if long := w.glue("Applies to `%s`: %s.", "Betrifft `%s`: %s.", change.edit.file, strings.TrimRight(symptom.Text, ".")); symptom.Text != "" && len([]rune(long)) <= extract.MaxDescription {
		e.Description = long
	}
	e.Tags = []string{program(check.command)}
	return candidate{Extraction: e, rank: rankConfirmed, turn: quote.Turn}
}

// maxPrinted is the length of an output that is worth quoting whole.
const maxPrinted = 40

// printed returns what the command that checks a change printed before and
// after the change, where both outputs are short and differ.
func (w *work) printed(check run) (before, after extract.Quote) {
	for _, r := range w.runs {
		if r.answer >= check.answer || r.command != check.command {
			continue
		}
		a, b := w.s.Lines[r.answer], w.s.Lines[check.answer]
		was, is := strings.TrimSpace(a.Text), strings.TrimSpace(b.Text)
		if was != is && quotable(was) && quotable(is) && len(was) <= maxPrinted && len(is) <= maxPrinted && !strings.Contains(was+is, "\n") {
			return extract.Quote{Turn: a.N, Text: was}, extract.Quote{Turn: b.N, Text: is}
		}
	}
	return extract.Quote{}, extract.Quote{}
}

// wish matches the beginning of a task that says what is wanted and not what is
// wrong.
var wish = regexp.MustCompile(`(?i)^(?:i|we|can|could|please|help|let's|hello|hi|hey|add|make|write|create|implement|build|update|fix|ich|wir|kannst|bitte|hallo)\b|\?$`)

// symptom returns the session's task, where its first words name a problem and
// not a wish.
func (w *work) symptom() extract.Quote {
	task := strings.TrimSpace(w.s.Task)
	if len([]rune(task)) < minSentence || len([]rune(task)) > maxErrorLine || wish.MatchString(task) || strings.HasSuffix(task, ":") || orders.MatchString(task) || steers(task) {
		return extract.Quote{}
	}
	for _, l := range w.s.Lines {
		if l.Role == trace.RoleUser && !outside(l) && strings.Contains(extract.Squeeze(l.Text), extract.Squeeze(task)) {
			return extract.Quote{Turn: l.N, Text: task}
		}
	}
	return extract.Quote{}
}

// persistent finds, in a session that failed, the command that failed in the
// same words after every change: what not to try again.
func (w *work) persistent() []candidate {
	if w.s.Outcome != extract.OutcomeFailure {
		return nil
	}
	for k := len(w.runs) - 1; k >= 0; k-- {
		last := w.runs[k]
		if last.end != endFailed || last.thrown || !last.works() || !quotable(last.command) {
			continue
		}
		wrong := wentWrong(w.s.Lines[last.answer].Text)
		if wrong == "" {
			return nil
		}
		for i := range k {
			first := w.runs[i]
			if first.command != last.command || first.end != endFailed || wentWrong(w.s.Lines[first.answer].Text) != wrong {
				continue
			}
			changes, _ := w.changes(i+1, k)
			if len(changes) == 0 {
				return nil
			}
			return []candidate{w.failure(first, last, wrong, changes)}
		}
		return nil
	}
	return nil
}

func (w *work) failure(first, last run, wrong string, changes []run) candidate {
	text, quotes := w.changed(changes)
	e := extract.Extraction{Kind: memory.KindStrategy, Outcome: extract.OutcomeFailure, Evidence: []extract.Quote{
		w.command(first), {Turn: w.s.Lines[first.answer].N, Text: wrong}, w.command(last), {Turn: w.s.Lines[last.answer].N, Text: wrong},
	}}
	e.Text = w.glue("`%s` failed with “%s”.", "`%s` schlug mit „%s“ fehl.", first.command, wrong) + text + w.glue(" That did not help: it failed in the same words.", " Das half nicht: Es schlug mit denselben Worten fehl.")
	e.Evidence = append(e.Evidence, quotes...)
	w.name(&e, first.command, wrong)
	return candidate{Extraction: e, rank: rankFailure, turn: w.s.Lines[first.call].N}
}
