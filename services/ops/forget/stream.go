package forget

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// matcher decides which messages of the streams go: those by which a row came in, and
// those that say the words. Messages of another tenant stay, whatever they say.
type matcher struct {
	ops    *Ops
	ctx    context.Context //nolint:containedctx // a matcher lives within the call that made it
	events map[string]bool // "principal\x00event id", as they are stored
	forms  [][]byte        // lower case
	ids    [][]byte        // of the rows, which messages of Winnow name beside quotations
	erased bool            // the rows are
	traces map[string]bool // references of sessions that match
	owners map[string]memory.Tenant
	err    error // of the store, which ends the search
}

// streams erases the messages of a plan and adds their number to count.
//
// Before the rows are erased, every message of Winnow that names one goes, because verdicts
// and digests quote. After it, told are the index and the vault by new ones, which stay.
func (o *Ops) streams(ctx context.Context, plan store.Forgotten, erased, apply bool, count map[string]int) error {
	m := &matcher{ops: o, ctx: ctx, erased: erased, events: map[string]bool{}, traces: map[string]bool{}, owners: map[string]memory.Tenant{}}
	for _, rows := range [][]store.ForgottenRow{plan.Proposals, plan.Sessions, plan.Transcripts} {
		for _, r := range rows {
			m.events[r.Principal+"\x00"+r.Event] = true
		}
	}
	for _, rows := range [][]store.ForgottenRow{plan.Memories, plan.Proposals, plan.Sessions} {
		for _, r := range rows {
			m.ids = append(m.ids, []byte(r.ID))
		}
	}
	for _, f := range plan.Forms {
		m.forms = append(m.forms, []byte(strings.ToLower(f)))
	}
	n, err := o.Streams.Erase(ctx, m.matches, apply)
	for stream, found := range n {
		count[stream] += found
	}
	if err = errors.Join(err, m.err); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	for _, uri := range slices.Sorted(maps.Keys(m.traces)) {
		n, err := o.Streams.EraseTrace(ctx, uri, apply)
		count[bus.StreamTraces] += n
		if err != nil {
			return fmt.Errorf("forget: %w", err)
		}
	}
	return nil
}

func (m *matcher) matches(msg bus.StoredMessage) bool {
	if m.err != nil {
		return false
	}
	// What cannot be read has the subject's principal all the same.
	env, _ := event.Parse(msg.Subject, msg.Header, msg.Data, "")
	if !m.ours(env) {
		return false
	}
	var s winnowv1.SessionCompleted
	isSession := env.Subject == event.SubjectSessionCompleted && event.Unmarshal(env, &s) == nil
	said := m.events[env.Principal+"\x00"+m.ops.Redactor.ID(env.ID)] ||
		m.says(msg.Data) || m.says([]byte(msg.Reason)) || m.says(s.GetInline()) ||
		event.Internal(env.Subject) && !(m.erased && tells(env.Subject)) && names(m.ids, msg.Data)
	for _, values := range msg.Header {
		said = said || m.says([]byte(strings.Join(values, " ")))
	}
	if said && isSession && s.GetReference() != nil {
		m.traces[s.GetReference().GetUri()] = true
	}
	return said
}

// tells reports whether a subject is of events by which projections learn of a change. They
// have ids, and as a reason that it was forgotten.
func tells(subject string) bool {
	return subject == event.SubjectMemoryArchived || subject == event.SubjectMemoryRecorded
}

func (m *matcher) says(data []byte) bool { return names(m.forms, bytes.ToLower(data)) }

func names(wanted [][]byte, data []byte) bool {
	return slices.ContainsFunc(wanted, func(w []byte) bool { return bytes.Contains(data, w) })
}

// ours reports whether a message is of this tenant or of none: an event whose publisher
// nobody knows belongs to no one else.
func (m *matcher) ours(env event.Envelope) bool {
	if env.Tenant != "" {
		return memory.Tenant(env.Tenant) == m.ops.Tenant
	}
	if env.Principal == "" {
		return true
	}
	owner, known := m.owners[env.Principal]
	if !known {
		p, err := m.ops.Store.Principal(m.ctx, env.Principal)
		switch {
		case errors.Is(err, store.ErrNotFound):
			owner = m.ops.Tenant
		case err != nil:
			m.err = err
			return false
		default:
			owner = p.Tenant
		}
		m.owners[env.Principal] = owner
	}
	return owner == m.ops.Tenant
}
