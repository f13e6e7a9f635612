package rules

import "github.com/winnowhq/winnow/services/internal/session/extract"

// Failure is a command of a session that failed with words of its own.
type Failure struct {
	Turn    int    // of the answer, its N
	Command string // the core of the call, on one line
	Wrong   string // the line that says what went wrong
	// Solved is the turn in which the same command, or the next one of its program, passed;
	// 0 where none did.
	Solved int
}

// settled returns how a run ended, by its output where the trace does not say.
func (r run) settled(s extract.Session) end {
	if r.end == endUnknown {
		return verdict(s.Lines[r.answer].Text)
	}
	return r.end
}

// Failures returns the commands that failed, each error once, in the order of the session.
// Commands that look around, code written for one run, and what came from outside are left
// out, as in [Extract].
func Failures(s extract.Session) []Failure {
	list := runs(s)
	var out []Failure
	seen := map[string]int{}
	for i, bad := range list {
		if bad.settled(s) != endFailed || bad.thrown || !bad.works() || !quotable(bad.command) {
			continue
		}
		wrong := wentWrong(s.Lines[bad.answer].Text)
		if wrong == "" {
			continue
		}
		f := Failure{Turn: s.Lines[bad.answer].N, Command: bad.command, Wrong: wrong, Solved: solvedAt(s, list, i, wrong)}
		if at, ok := seen[wrong]; ok {
			out[at].Solved = f.Solved // what came of it in the end
			continue
		}
		seen[wrong] = len(out)
		out = append(out, f)
	}
	return out
}

// solvedAt returns the turn in which the program of run i passed, or said something else
// than this error, at the latest [later] runs after; 0 for none.
func solvedAt(s extract.Session, list []run, i int, wrong string) int {
	for _, r := range list[i+1 : min(len(list), i+later)] {
		if program(r.command) != program(list[i].command) {
			continue
		}
		how := r.settled(s)
		if how == endPassed && (r.command == list[i].command || !looks.MatchString(r.command)) {
			return s.Lines[r.answer].N
		}
		if how == endFailed && wentWrong(s.Lines[r.answer].Text) == wrong {
			return 0 // it is counted again from there
		}
	}
	return 0
}
