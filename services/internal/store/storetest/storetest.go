package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// The tenants of every provisioned store.
const (
	tenant = memory.DefaultTenant
	other  = memory.SystemTenant
)

// Run runs the suite. open returns an empty store of its own for each test,
// with the tenants default and _system and the principals agent and human of
// default; it closes the store when the test ends.
func Run(t *testing.T, open func(testing.TB) store.Store) {
	tests := []struct {
		name string
		run  func(*testing.T, store.Store)
	}{
		{"ready", testReady},
		{"batch/claims once", testClaimsOnce},
		{"batch/claims are per consumer", testClaimsPerConsumer},
		{"batch/one event twice in a batch", testClaimTwiceInBatch},
		{"batch/not decided when nothing is fresh", testNothingFresh},
		{"batch/claim waits for an open claim", testClaimWaits},
		{"batch/failure leaves nothing", testFailureLeavesNothing},
		{"batch/unknown scope is refused", testUnknownScope},
		{"batch/rows carry the new version", testRowsCarryVersion},
		{"batch/only its own lanes", testForeignLane},
		{"batch/committers of a lane see each other", testLaneSerialises},
		{"batch/opposite order never deadlocks", testOppositeOrder},
		{"lanes/delta has what left", testLaneDelta},
		{"lanes/full load is what is in force", testLaneFull},
		{"lanes/settled by a person", testLaneSettled},
		{"lanes/outline without a lock", testLaneOutline},
		{"lanes/rows under the lock", testRowsUnderLock},
		{"lanes/corroboration lifts", testLift},
		{"lanes/words from outside stay external", testOutside},
		{"commit/takes effect once", testCommitOnce},
		{"commit/expectations", testExpectations},
		{"commit/missing row", testMissingRow},
		{"commit/undo-like updates", testUndoUpdates},
		{"commit/links", testLinks},
		{"commit/refuses bad values", testRefusesBadValues},
		{"commit/slot takes effect once", testSlotOnce},
		{"commit/one replica runs a slot", testSlotReplicas},
		{"commit/failure leaves the slot", testSlotFailure},
		{"digests/as they were sent", testDigests},
		{"digests/one for each slot", testDigestOncePerSlot},
		{"digests/replies", testDigestReplies},
		{"digests/reviewers", testReviewers},
		{"digests/tenants", testDigestTenants},
		{"registry/versions", testRegistry},
		{"registry/rules that people override", testRulesOff},
		{"directory", testDirectory},
		{"reader/round trip", testRoundTrip},
		{"reader/queries", testQueries},
		{"reader/memories by id", testMemoriesByID},
		{"reader/counts", testCounts},
		{"reader/tally", testTally},
		{"reader/decisions by version", testDecisionSpan},
		{"tenants/never see each other", testTenants},
		{"audit/chain", testAudit},
		{"audit/concurrent", testAuditConcurrent},
		{"outbox/order and marks", testOutbox},
		{"outbox/copies in JSON", testCopies},
		{"outbox/republish", testRepublish},
		{"outbox/refused", testRefused},
		{"outbox/lease hands over", testLease},
		{"lease/by name", testLeaseByName},
		{"vectors/round trip", testVectors},
		{"vectors/changed", testChangedRows},
		{"vectors/calibrations", testCalibrations},
		{"served log", testServed},
		{"served at once", testServedAtOnce},
		{"topics/counts and members", testTopics},
		{"topics/one summary in force", testSummaries},
		{"topics/summaries at once", testSummariesAtOnce},
		{"topics/research of a caller", testResearch},
		{"reader/neighbours", testNeighbours},
		{"reader/newest and left", testBriefing},
		{"reader/promotions", testPromotions},
		{"sessions/as they came in", testSessions},
		{"sessions/queries", testSessionQueries},
		{"sessions/one of a content", testSessionOnce},
		{"sessions/twice at once", testSessionTwiceAtOnce},
		{"sessions/what was made of them", testSessionUpdates},
		{"sessions/tenants", testSessionTenants},
		{"sessions/leave lanes alone", testSessionLanes},
		{"sessions/external by name", testExternalSessions},
		{"sessions/texts recorded meanwhile", testJudged},
		{"sessions/wait for batches that name them", testExternalSessionsAtOnce},
		{"sessions/lessons that are Winnow's own", testOwnLessons},
		{"calls/answered once", testCallOnce},
		{"calls/what a day may cost", testCallBudget},
		{"calls/budget under concurrency", testCallBudgetConcurrent},
		{"calls/one key begun at once", testCallBegunAtOnce},
		{"calls/begun while they are finished", testCallCrossing},
		{"calls/tenants", testCallTenants},
		{"runs/as they were planned", testRuns},
		{"runs/queries", testRunQueries},
		{"runs/one of a scope", testOneRun},
		{"runs/a step takes effect once", testRunItemStates},
		{"runs/expectations", testRunExpectations},
		{"runs/leave lanes alone", testRunLanes},
		{"runs/steps of a memory", testRunMembers},
		{"runs/what is due", testRunDue},
		{"runs/erosion", testEroded},
		{"runs/usage", testUsage},
		{"runs/tenants", testRunTenants},
		{"scopes/what belongs to what", testScopeLinks},
		{"workflows/as they were started", testWorkflows},
		{"workflows/one active of a project", testOneWorkflow},
		{"workflows/memories join in their transaction", testJoining},
		{"workflows/tenants", testWorkflowTenants},
		{"signals/as they were given", testSignals},
		{"signals/weights", testWeights},
		{"signals/what was served", testUncounted},
		{"signals/tenants", testSignalTenants},
		{"retention", testSweep},
		{"retention/traces and answers", testTraceRetention},
		{"retention/slots", testSlotRetention},
		{"closed", testClosed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run(t, open(t))
		})
	}
}

// now returns the time with a precision that every database stores.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

func proposal(scope memory.Scope, state memory.ProposalState, text string) memory.Proposal {
	return memory.Proposal{
		ID: ident.New(memory.PrefixProposal), Tenant: tenant, Scope: scope, State: state, Kind: memory.KindFact,
		Section: "Notes", Text: text, Principal: "agent", Origin: memory.OriginAgent, Authority: memory.OriginAgent,
		EventID: ident.New(memory.PrefixEvent), CreatedAt: now(), SeenCount: 1,
		DecisionID: ident.New(memory.PrefixDecision),
	}
}

func remembered(scope memory.Scope, text string) memory.Memory {
	return memory.Memory{
		ID: ident.New(memory.PrefixMemory), Tenant: tenant, Scope: scope, State: memory.StateActive,
		Kind: memory.KindFact, Section: "Notes", Text: text, Importance: 5, Confidence: 0.5, Principal: "agent",
		Origin: memory.OriginAgent, Authority: memory.OriginAgent, CreatedAt: now(), SeenCount: 1,
	}
}

func decision(p memory.Proposal, verdict memory.Verdict, actor memory.Actor) memory.Decision {
	return memory.Decision{
		ID: p.DecisionID, Tenant: p.Tenant, Scope: p.Scope, ProposalID: p.ID, Verdict: verdict, Rule: "fact",
		Fired: []string{"fact"}, Reason: "because", Policy: "standard", PolicyVersion: "v1", Calibration: "lex-1",
		Features: []byte(`{"a":1}`), Candidates: []memory.Candidate{}, Principal: "agent", Actor: actor, At: now(),
	}
}

func audited(subject string) change.Audit {
	return change.Audit{
		Actor: memory.ActorTriage, Principal: "agent", Action: "proposal.decided", Subject: subject,
		Body: map[string]any{"verdict": "promoted", "subject": subject},
	}
}

func recorded(id string) change.Event {
	return change.Event{
		ID: ident.New(memory.PrefixEvent), Subject: "memory.recorded",
		Message: &winnowv1.MemoryRecorded{Id: id, MemoryId: id},
	}
}

// batchOf returns a batch of one item per scope, with fresh keys.
func batchOf(scopes ...memory.Scope) store.Batch {
	b := store.Batch{Consumer: "triage"}
	for _, scope := range scopes {
		b.Items = append(b.Items, store.Item{Key: ident.New(memory.PrefixEvent) + "/agent", Scope: scope})
	}
	return b
}

// always returns a DecideFunc that returns the same set.
func always(set change.Set) store.DecideFunc {
	return func(context.Context, []int, store.LaneView) (change.Set, error) { return set, nil }
}

// commitBatch writes the set in fresh items of its scopes.
func commitBatch(t *testing.T, s store.Store, set change.Set, scopes ...memory.Scope) store.Committed {
	t.Helper()
	c, err := s.CommitBatch(t.Context(), tenant, batchOf(scopes...), always(set))
	if err != nil {
		t.Fatalf("commit batch: %v", err)
	}
	return c
}

// mustCommit writes the set without an inbox key.
func mustCommit(t *testing.T, s store.Store, set change.Set) {
	t.Helper()
	done, err := s.Commit(t.Context(), tenant, set, store.InboxKey{})
	if err != nil || done {
		t.Fatalf("commit: done %v, %v", done, err)
	}
}

// lanes reads the changed rows of scopes through a batch that writes nothing.
func lanes(t *testing.T, s store.Store, since map[memory.Scope]int64) []store.LaneRows {
	t.Helper()
	var scopes []memory.Scope
	for scope := range since {
		scopes = append(scopes, scope)
	}
	var rows []store.LaneRows
	stop := errors.New("only looking")
	_, err := s.CommitBatch(t.Context(), tenant, batchOf(scopes...),
		func(ctx context.Context, _ []int, view store.LaneView) (change.Set, error) {
			var err error
			if rows, err = view.Lanes(ctx, since); err != nil {
				return change.Set{}, err
			}
			return change.Set{}, stop
		})
	if !errors.Is(err, stop) {
		t.Fatalf("read lanes: %v", err)
	}
	return rows
}

func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}
