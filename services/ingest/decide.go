package ingest

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// decide returns the effect of an accepted proposal: one event, under the
// identity of its publisher.
func decide(who memory.Principal, id string, msg *winnowv1.ProposalCreated) (change.Set, error) {
	subject, err := event.SubjectFor(event.SubjectProposalCreated, who.ID)
	if err != nil {
		return change.Set{}, err
	}
	msg.Id = id
	// Claims that only a credential can make are not passed on.
	msg.Tenant = ""
	return change.Set{Events: []change.Event{{
		ID:      id,
		Subject: subject,
		Type:    event.TypeFor(event.SubjectProposalCreated),
		Message: msg,
	}}}, nil
}

// eventID returns the id under which an event travels. Publishers choose ids
// independently and the stream has a single namespace, so the principal is part
// of the id. The same request always gives the same id.
func eventID(who memory.Principal, id string) string {
	own := who.ID + "/" + id
	if len(own) <= event.MaxID {
		return own
	}
	sum := sha256.Sum256([]byte(id))
	return who.ID + "/" + hex.EncodeToString(sum[:])
}
