package use

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

// demoAnswer is the answer of the demo's person to the digest.
const demoAnswer = "ok"

// demoDigest sends the digest of Monday, answers it with one line, and previews
// the next digest. The demo never decides other questions: a digest with
// questions from outside the sample week is shown and not answered.
func demoDigest(ctx context.Context, a *command.App, s *command.Session, r *demoResult) error {
	page, made, err := s.Ops.OpenDigest(ctx, s.Person)
	if len(r.Triage.Decided) > 0 {
		page, made, err = s.Ops.SendDigest(ctx, s.Person)
	}
	if err != nil || !made {
		return err
	}
	r.Digest = &page
	if len(r.Triage.Decided) == 0 {
		return nil
	}
	if !r.asked(page) {
		a.Say("the digest has questions of yours, so the demo does not answer it: winnow review --reply \"ok\"")
		return nil
	}
	reply, err := s.Ops.Reply(ctx, demoAnswer)
	if err != nil {
		return err
	}
	r.Reply = &reply
	for _, id := range reply.Decisions {
		d, err := s.Store.Decision(ctx, s.Tenant, id)
		if err != nil {
			return err
		}
		if d.MemoryID == "" {
			continue
		}
		m, err := s.Store.Memory(ctx, s.Tenant, d.MemoryID)
		if err != nil {
			return err
		}
		r.Stored = append(r.Stored, promotedLine{d.Rule, m.ID, m.Text})
	}
	next, made, err := s.Ops.PreviewDigest(ctx, s.Person)
	if made {
		r.Next = &next
	}
	return err
}

// asked reports whether every question of a digest is from the sample week.
func (r *demoResult) asked(page ops.DigestPage) bool {
	mine := map[string]bool{}
	for _, d := range r.Triage.Decided {
		mine[d.GetProposalId()] = true
	}
	for _, s := range r.Sessions {
		for _, p := range s.Proposals {
			mine[p.ID] = true
		}
	}
	for _, item := range page.Items {
		if !mine[item.ProposalID] {
			return false
		}
	}
	return true
}

// demoLines bounds the lines of MEMORY.md in the output.
const demoLines = 15

func (r demoResult) print(w io.Writer) {
	r.Triage.PrintShort(w)
	heading(w, fmt.Sprintf("%d sessions of the week, and what they taught", len(r.Sessions)))
	printDemoSessions(w, r.Sessions)
	lines := strings.Split(strings.TrimRight(r.File.Text, "\n"), "\n")
	heading(w, fmt.Sprintf("MEMORY.md of %s, the first of its %d lines", r.File.Scope, len(lines)))
	for _, line := range lines[:min(demoLines, len(lines))] {
		fmt.Fprintln(w, command.Short(line, 150))
	}
	if r.Digest != nil {
		heading(w, "The digest, as a chat gateway gets it on Monday")
		fmt.Fprintln(w, strings.TrimRight(r.Digest.Text, "\n"))
	}
	if r.Reply != nil {
		heading(w, "Answered in one line")
		fmt.Fprintf(w, "> %s\n%s\n\nStored by it\n", demoAnswer, r.Reply.Answer)
		for _, p := range r.Stored {
			fmt.Fprintf(w, "  %s  %s\n", p.Memory, command.Short(p.Text, 110))
		}
	}
	fmt.Fprintf(w, "\nStill open: %d\n", len(r.Waiting)) // external items included, which the digest only counts
	if r.Next != nil {
		first, _, _ := strings.Cut(r.Next.Text, "\n")
		fmt.Fprintf(w, "The next digest begins: %s\n", first)
	}
	if r.temporary {
		fmt.Fprint(w, "\nThis was a temporary instance. To keep one and decide what is left:\n  winnow dev        in one shell\n  winnow demo       in another, then\n  winnow review\n")
		return
	}
	fmt.Fprint(w, "\nNext\n  winnow review              decide what is left\n  winnow why ID              read why\n  winnow undo ID             take anything back\n  winnow digest              what was sent, and its answers\n")
}

func heading(w io.Writer, text string) { fmt.Fprintf(w, "\n── %s\n\n", text) }
