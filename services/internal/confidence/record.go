package confidence

import (
	"strconv"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

const (
	// PerDay is how many signals of one type about one memory are stored of one
	// principal in 24 hours. More would only use space: what they count together is
	// bounded by [Config.Most].
	PerDay = 5
	// ImpliedShare is the share of an outcome that nobody reported for the memory: the
	// session that it was served in ended so (D21).
	ImpliedShare = 0.5
)

// Observation is a signal before it is decided whether it is stored.
type Observation struct {
	Type     memory.SignalType
	Positive bool
	Share    float64
	Session  string
	Who      memory.Principal
	Note     string
	At       time.Time
}

// Ledger is a memory with everything that signals about it change. It is for one
// goroutine.
type Ledger struct {
	Memory memory.Memory
	State
	Weights memory.ProjectWeights
	// Given are the stored signals of the window about this memory, of the principals
	// whose observations are to be recorded.
	Given []memory.Signal
}

// Recorder collects the effects of observations on memories.
type Recorder struct {
	Config Config
	NewID  func(prefix string) string
	Set    change.Set
}

// Repeated reports whether an observation says nothing new: its session said the same
// before, or its principal has used up the day. A session without a name never repeats.
func (l *Ledger) Repeated(o Observation) bool {
	today := 0
	for i := range l.Given {
		s := &l.Given[i]
		if s.Principal != o.Who.ID || s.Type != o.Type {
			continue
		}
		if o.Session != "" && s.SessionID == o.Session && (s.Positive == o.Positive || o.Type == memory.SignalUsage) {
			return true
		}
		if o.At.Sub(s.At) < 24*time.Hour {
			today++
		}
	}
	return today >= PerDay
}

// Reported reports whether the principal itself told the outcome of a session for the
// memory. What is implied then adds nothing.
func (l *Ledger) Reported(o Observation) bool {
	for i := range l.Given {
		s := &l.Given[i]
		if s.Type == memory.SignalOutcome && s.Principal == o.Who.ID && s.SessionID == o.Session && o.Session != "" {
			return true
		}
	}
	return false
}

// Record adds the effect of an observation to the recorder's set and to the ledger: the
// signal, what feedback teaches about the weights (S4.6), and the new confidence
// (S4.28). A repeated observation has no effect.
func (r *Recorder) Record(l *Ledger, o Observation) (recorded bool) {
	if l.Repeated(o) {
		return false
	}
	m := &l.Memory
	s := memory.Signal{
		ID: r.NewID(memory.PrefixSignal), Tenant: m.Tenant, MemoryID: m.ID, Scope: m.Scope, Type: o.Type, Positive: o.Positive,
		Share: o.Share, SessionID: o.Session, Principal: o.Who.ID, Highest: o.Who.Highest, Note: o.Note, At: o.At,
	}
	if o.Type == memory.SignalExplicit && r.Config.Most(o.Who.Highest) > 0 {
		gain := LearnFromFeedback(r.Config.Learning, o.Positive, l.Recent)
		gain.Scope = m.Scope
		if gain != (memory.ProjectWeights{Scope: m.Scope}) {
			r.Set.WeightGains = append(r.Set.WeightGains, gain)
			l.Weights = Plus(l.Weights, gain)
		}
	}
	l.State = l.State.Add(m, s)
	l.Given = append(l.Given, s)
	before := m.Confidence
	m.Confidence = r.Config.Confidence(l.State, ComputeWeights(l.Weights))
	r.Set.Signals = append(r.Set.Signals, s)
	r.keep(l)
	id := r.NewID(memory.PrefixEvent)
	r.Set.Events = append(r.Set.Events, change.Event{
		ID: id, Subject: event.SubjectSignalRecorded, Type: event.TypeFor(event.SubjectSignalRecorded),
		Message: &winnowv1.SignalRecorded{
			Id: id, SignalId: s.ID, MemoryId: m.ID, Scope: string(m.Scope), Kind: string(s.Type), Positive: s.Positive,
			SessionId: s.SessionID, Principal: s.Principal, RecordedAt: timestamppb.New(s.At),
		},
	})
	if o.Type != memory.SignalUsage { // a search is no act that somebody answers for
		r.Set.Audit = append(r.Set.Audit, change.Audit{
			Actor: memory.ActorSystem, Principal: o.Who.ID, Action: "signal.recorded", Subject: m.ID,
			Body: map[string]any{
				"signal": s.ID, "type": string(s.Type), "positive": s.Positive, "share": s.Share,
				"before": rounded(before), "after": rounded(m.Confidence),
			},
		})
	}
	return true
}

// keep adds the rows of a changed ledger. The update expects the memory as it was
// read, so of two recorders of one memory the second fails and decides again.
func (r *Recorder) keep(l *Ledger) {
	r.Set.Learned = append(r.Set.Learned, l.Learned)
	m := &l.Memory
	r.Set.MemoryUpdates = append(r.Set.MemoryUpdates, change.MemoryUpdate{
		ID: m.ID, State: m.State, Confidence: m.Confidence, SeenCount: m.SeenCount, LastConfirmed: m.LastConfirmed,
		ArchivedAt: m.ArchivedAt, ArchiveReason: m.ArchiveReason, SuccessorID: m.SuccessorID, Expect: m.Version,
	})
}

func rounded(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }
