package ops

import (
	"errors"
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

var (
	// ErrAuditBroken says that the audit chain does not verify.
	ErrAuditBroken = errors.New("the audit log does not verify")
	// ErrPartial says that only a part of the request was done.
	ErrPartial = errors.New("done in part")
	// ErrState says that the state of a row does not allow the operation.
	ErrState = review.ErrState
)

// Store is the part of the canonical store that operations need.
type Store interface {
	store.Committer
	store.Reader
	store.Directory
	store.AuditLog
	store.HeadKeeper
	store.Outbox
	store.Sessions
	store.ServedLog
	store.Runs
}

// Ops carries out operations of one tenant in the name of a person. Package run
// fills the fields. An Ops is safe for concurrent use.
type Ops struct {
	Store       Store
	DeadLetters bus.DeadLetters
	Redactor    *redact.Redactor
	Tenant      memory.Tenant
	Person      string // principal that decisions name
	Digest      page.Config
	// Consolidation says when a run is needed, as the worker reads it.
	Consolidation trigger.Config
	Recall        *recall.Recall
	Index         vector.Backend
	Truth         *indexing.Truth
	Meaning       embed.Embedder // the static table, for replays; nil compares words only
	Now           func() time.Time
	NewID         func(prefix string) string
	// RetractPage is how many texts one transaction of a retraction takes out of
	// service; 0 means review.RetractPage.
	RetractPage int
}

// redacted returns a person's text in the form that may be stored.
func (o *Ops) redacted(text string) string {
	clean, _ := o.Redactor.Text(string(o.Tenant), text)
	return clean
}

// stamp returns the actor and the time of the person's decisions.
func (o *Ops) stamp() review.Stamp {
	return review.Stamp{Tenant: o.Tenant, Person: o.Person, Now: o.Now().UTC().Truncate(time.Microsecond), NewID: o.NewID}
}

func (o *Ops) effect() *review.Effect { return &review.Effect{Stamp: o.stamp()} }

func (o *Ops) decider() *review.Decider {
	return &review.Decider{Stamp: o.stamp(), Store: o.Store, Redact: o.redacted}
}
