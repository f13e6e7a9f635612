package memory_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// A proposal at every limit at once is taken; every fault is named, not only the
// first. What each door makes of a fault is tested at the doors, in cmd/winnow.
func TestCheckProposal(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("l", memory.MaxLabel)
	p := &winnowv1.ProposalCreated{
		Scope: "project:shop", Text: strings.Repeat("t", memory.MaxText), Kind: "fact", Origin: "agent",
		Section: label, Category: label, Title: label, SessionId: label, Description: strings.Repeat("d", memory.MaxDescription),
		Importance: memory.MaxImportance, Confidence: 1, Outcome: "success",
	}
	for range memory.MaxTags {
		p.Tags = append(p.Tags, label)
	}
	for range memory.MaxEvidence {
		p.Evidence = append(p.Evidence, &winnowv1.Evidence{Text: strings.Repeat("e", memory.MaxSpan), Origin: "external"})
	}
	if err := memory.CheckProposal(p); err != nil {
		t.Errorf("at the limits: %v", err)
	}
	p.Text += "t"
	p.Importance = 11
	p.Evidence[3].Origin = "god"
	err := memory.CheckProposal(p)
	faults := memory.Faults(fmt.Errorf("door: %w", err))
	var fields []string
	for _, f := range faults {
		fields = append(fields, f.Field)
	}
	if got := strings.Join(fields, " "); got != "text importance evidence[3].origin" || !faults[0].TooLarge || faults[1].TooLarge {
		t.Errorf("faults %q of %v", got, err)
	}
	if memory.Faults(nil) != nil || memory.Faults(errors.New("other")) != nil {
		t.Error("faults where there are none")
	}
}
