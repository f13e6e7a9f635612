package message

import (
	"fmt"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Proposal makes a proposal ready to be stored, in place, for every way of
// arrival. It applies [memory.CheckProposal], replaces the secrets, and applies
// the same limits again, because the tag that replaces a secret may be longer
// than the secret. It returns the number of replacements. The error is a joined
// [memory.Fault]; p must then be discarded.
func Proposal(s *redact.Stream, p *winnowv1.ProposalCreated) (replaced int, err error) {
	if err := memory.CheckProposal(p); err != nil {
		return 0, err
	}
	replaced = Redact(s, p)
	if replaced == 0 {
		return 0, nil
	}
	if err := memory.CheckProposal(p); err != nil {
		return replaced, fmt.Errorf("with its secrets replaced, which are best left out: %w", err)
	}
	return replaced, nil
}
