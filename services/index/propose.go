package index

import (
	"crypto/sha256"
	"encoding/hex"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
)

// proposed returns the event that proposes a hand-written entry to triage, as the vault's
// principal. The event is stored in the outbox, so its texts are redacted first.
func (s *scoped) proposed(e edit, entry memoryfile.Entry) change.Event {
	seen := e.At
	if !entry.ObservedAt.IsZero() {
		seen = entry.ObservedAt
	}
	id := entryID(e.key(s.scope), entry)
	return change.Event{
		ID: id, Subject: event.SubjectProposalCreated + "." + memory.VaultPrincipal(s.tenant), Type: event.TypeFor(event.SubjectProposalCreated),
		Message: &winnowv1.ProposalCreated{
			Id: id, Scope: string(s.scope), Text: s.redact(entry.Text), Section: s.redact(entry.Section), Origin: memory.OriginHuman.String(),
			ObservedAt: timestamppb.New(seen), Source: "vault",
		},
	}
}

// entryIDs returns the event ids of entries that an edit proposes.
func (s *scoped) entryIDs(e edit, entries []memoryfile.Entry) []string {
	var ids []string
	for _, entry := range entries {
		ids = append(ids, entryID(e.key(s.scope), entry))
	}
	return ids
}

// entryID returns the event id of an entry that an edit proposes. It is the same at every
// reading of the edit.
func entryID(edit string, entry memoryfile.Entry) string {
	sum := sha256.Sum256([]byte(edit + "\x00" + entry.Section + "\x00" + entry.Text))
	return "hand-" + hex.EncodeToString(sum[:10])
}
