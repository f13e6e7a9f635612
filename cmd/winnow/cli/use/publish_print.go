package use

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/ops"
)

func (r published) print(w io.Writer) {
	for _, s := range r.Sessions {
		fmt.Fprintln(w, sessionLine(s))
		for _, p := range s.Proposals {
			fmt.Fprintf(w, "  %-12s %-10s %s\n", strings.ReplaceAll(p.State, "_", " "), p.Kind, command.Short(proposalText(p), 100))
		}
	}
	for _, u := range r.Unread {
		fmt.Fprintf(w, "%s: %s\n", u.File, u.Problem)
	}
	if !r.waited || len(r.Sessions) == 0 {
		return
	}
	verdicts, notes, waiting := map[string]int{}, map[string]int{}, 0
	for _, s := range r.Sessions {
		if s.Note != "" {
			notes[s.Note]++
		}
		if s.State == ops.SessionPublished || s.State == ops.SessionIngested {
			waiting++
		}
		for _, p := range s.Proposals {
			verdicts[p.State]++
		}
	}
	fmt.Fprintf(w, "\n%s taught: %s\n", command.Plural(len(r.Sessions), "session"), command.Counts(verdicts))
	for _, note := range slices.Sorted(maps.Keys(notes)) {
		fmt.Fprintf(w, "%s: %s\n", command.Plural(notes[note], "session"), note)
	}
	if waiting > 0 {
		fmt.Fprintf(w, "%d not finished yet; see: winnow status\n", waiting)
	}
	if verdicts["needs_review"] > 0 {
		fmt.Fprintln(w, "decide what is left: winnow review")
	}
}

// sessionLine returns the state of a session in one line.
func sessionLine(s ops.SessionResult) string {
	parts := []string{s.Format, s.Scope}
	if s.Turns > 0 {
		parts = append(parts, fmt.Sprintf("%d turns", s.Turns))
	}
	if s.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d unreadable", s.Skipped))
	}
	if said := subagentsSaid(s.Subagents); said != "" {
		parts = append(parts, said)
	}
	if s.Redactions > 0 {
		parts = append(parts, fmt.Sprintf("%d secrets taken out", s.Redactions))
	}
	if s.Outcome != "" {
		outcome := s.Outcome
		if s.OutcomeInferred {
			outcome += " (inferred)"
		}
		parts = append(parts, outcome)
	}
	switch {
	case s.Before:
		parts = append(parts, "known already")
	case s.State == ops.SessionRefused:
		parts = append(parts, "refused: "+s.Problem)
	case s.State != ops.SessionDistilled:
		parts = append(parts, s.State)
	case len(s.Proposals) == 0:
		parts = append(parts, "nothing to learn")
	}
	return s.File + "  " + strings.Join(parts, ", ")
}

// subagentsSaid returns the number of a session's subagents in words; empty for
// none.
func subagentsSaid(s local.Subagents) string {
	var parts []string
	if s.Woven > 0 {
		parts = append(parts, command.Plural(s.Woven, "subagent"))
	}
	if s.Missing > 0 {
		parts = append(parts, fmt.Sprintf("%s missing", command.Plural(s.Missing, "subagent")))
	}
	if s.Unused > 0 {
		parts = append(parts, fmt.Sprintf("%s left out", command.Plural(s.Unused, "subagent")))
	}
	return strings.Join(parts, ", ")
}

func proposalText(p ops.SessionProposal) string {
	if p.Title == "" {
		return p.Text
	}
	return p.Title + ": " + p.Text
}
