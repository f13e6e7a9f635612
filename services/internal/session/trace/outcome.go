package trace

import "strings"

// Basis is what an inferred outcome rests on.
type Basis string

// The bases, the strongest first.
const (
	BasisClosing Basis = "closing turn" // the person said so at the end
	BasisTest    Basis = "last test"    // the last test, build or lint that said how it ended
	BasisCommand Basis = "last command" // the last command that was more than looking around
	BasisProgram Basis = "exit status"  // the agent's own program handed in its work, or gave up
)

// The beginnings of the records with which Claude Code and Codex say that the
// person interrupted the agent.
const (
	Interrupted = "[Request interrupted by user"
	Aborted     = "<turn_aborted>"
)

// Verdict collects, turn by turn, what tells how a session ended. The zero
// value is ready. Not safe for concurrent use.
type Verdict struct {
	test, command ending
	closing       string // the last turn of a person, if nothing was done after it
	stopped       bool   // the person interrupted the agent and said nothing more
	assisted      bool   // an assistant has spoken
	submitted     bool
	Program       string // exit status of a SWE-agent run
}

// ending is how a call ended; failed is valid only when known is true.
type ending struct{ known, failed bool }

// See adds the session's next turn.
func (v *Verdict) See(t Turn) {
	switch t.Role {
	case RoleAssistant:
		v.assisted = true
		v.submitted = v.submitted || t.Tool.Kind == KindSubmit
		if t.Tool.Name != "" {
			// The person's earlier words are not about the work that follows.
			v.closing, v.stopped = "", false
		}
	case RoleUser:
		v.closing, v.stopped = "", false
		if v.assisted && len(t.Text) <= maxClosing {
			v.closing = t.Text
		}
	case RoleSystem:
		v.stopped = v.stopped || len(t.Text) < 80 && strings.HasPrefix(t.Text, Interrupted) || strings.HasPrefix(t.Text, Aborted)
	case RoleTool:
		v.tool(t)
	}
}

func (v *Verdict) tool(t Turn) {
	now := ending{known: t.Settled, failed: t.Error}
	switch {
	case t.Tool.Kind == KindTest:
		if now.known {
			v.test = now
		}
		v.command = now
	case works(t.Tool):
		v.command = now
	}
}

// Outcome returns how the session ended and what the outcome rests on. Without
// any sign the outcome is unknown, not guessed.
func (v *Verdict) Outcome() (Outcome, Basis) {
	closing := judge(v.closing)
	switch {
	case v.stopped:
		return OutcomeUnknown, ""
	case closing == OutcomeSuccess || closing == OutcomeFailure:
		return closing, BasisClosing
	case v.test.known:
		return v.test.outcome(), BasisTest
	case v.command.known:
		return v.command.outcome(), BasisCommand
	case v.Program == "submitted", v.Program == "" && v.submitted:
		return OutcomeSuccess, BasisProgram
	case v.Program != "":
		return OutcomeFailure, BasisProgram
	}
	return OutcomeUnknown, ""
}

func (e ending) outcome() Outcome {
	if e.failed {
		return OutcomeFailure
	}
	return OutcomeSuccess
}
