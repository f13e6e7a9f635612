package digest_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/triage"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const (
	shop = memory.Scope("project:shop")
	blog = memory.Scope("project:blog")
	acme = memory.Tenant("acme")
	week = 7 * 24 * time.Hour
)

// monday is a slot of the default schedule.
var monday = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// watch is a clock set by the test.
type watch struct {
	mu sync.Mutex
	at time.Time
}

func (w *watch) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *watch) set(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = at
}

func (w *watch) pass(d time.Duration) { w.set(w.now().Add(d)) }

// bench is the digest worker with everything real around it, and a triage that
// judges into the same store.
type bench struct {
	*workertest.Bench
	*testing.T
	watch
	lanes map[memory.Scope]*judge.Lane
	n     int
	who   string        // proposes; empty is "agent"
	from  memory.Origin // of what is proposed; zero is an agent
}

func setup(t *testing.T, adjust ...func(*worker.Deps)) *bench {
	t.Helper()
	b := &bench{T: t, lanes: map[memory.Scope]*judge.Lane{}}
	b.set(monday.Add(-3 * 24 * time.Hour))
	db := pgtest.New(t)
	if err := postgres.Provision(t.Context(), db.URL, postgres.Options{Tenants: []memory.Tenant{acme}}); err != nil {
		t.Fatal(err)
	}
	b.Bench = workertest.New(t, digest.Definition, append([]func(*worker.Deps){func(d *worker.Deps) {
		d.Store, d.Now = db.Store, b.now
	}}, adjust...)...)
	for _, p := range []memory.Principal{
		{ID: "anna", Highest: memory.OriginHuman},
		{ID: "ben", Highest: memory.OriginHuman},
		{ID: "bot", Highest: memory.OriginAgent},
		{ID: "annas-phone", Highest: memory.OriginAgent, SpeaksFor: []string{"anna"}},
		{ID: "zoe", Tenant: acme, Highest: memory.OriginHuman},
		{ID: "acme-gateway", Tenant: acme, Highest: memory.OriginAgent, SpeaksFor: []string{"*"}},
	} {
		p.Tenant = cmp.Or(p.Tenant, memory.DefaultTenant)
		b.commit(p.Tenant, change.Set{Principals: []memory.Principal{p}})
	}
	return b
}

func (b *bench) commit(tenant memory.Tenant, set change.Set) {
	b.Helper()
	if _, err := b.Store().Commit(b.Context(), tenant, set, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
}

// propose lets triage judge a text and checks the verdict.
func (b *bench) propose(scope memory.Scope, text string, verdict memory.Verdict) memory.Decision {
	b.Helper()
	lane := b.lanes[scope]
	if lane == nil {
		policy, _, err := judge.ShippedPolicy("standard")
		if err != nil {
			b.Fatal(err)
		}
		lane = judge.NewLane(judge.LaneConfig{
			Tenant: memory.DefaultTenant, Scope: scope, Policy: policy, Similarity: judge.Lexical{},
			Analyzer: wording.NewAnalyzer(), NewID: ident.New,
		})
		b.lanes[scope] = lane
	}
	b.n++
	b.pass(time.Second)
	origin := cmp.Or(b.from, memory.OriginAgent)
	p := memory.Proposal{
		ID: ident.New(memory.PrefixProposal), Tenant: memory.DefaultTenant, Scope: scope, State: memory.ProposalPending, Text: text,
		Principal: cmp.Or(b.who, "agent"), Origin: origin, Authority: origin, EventID: fmt.Sprint("evt", b.n),
		SessionID: fmt.Sprint("session", b.n), ObservedAt: b.now(), CreatedAt: b.now(),
	}
	d, out := lane.Judge(judge.Item{Proposal: p}, b.now())
	if d.Verdict != verdict {
		b.Fatalf("%q was %s by %s, want %s", text, d.Verdict, d.Rule, verdict)
	}
	b.commit(memory.DefaultTenant, *triage.Effects(d, out, p.EventID, ident.New))
	return d
}

const preference = "Mara prefers `vitest` over `jest`."

// Texts as they come in a week: what waits for a person, and what triage
// promotes and rejects by itself.
var (
	rules = []string{
		"Never commit to `main` directly.", "Always run `make lint` before you push to `release`.",
		"Handlers should return early, see `http.go`.", "Never log the body of a `/checkout` request.",
		preference, "I think `kafka` would be the cleaner design.",
		"Error values should be wrapped, see `errors.go`.", "The invoices of the shop are numbered per country.",
	}
	facts = []string{
		"2026-11-20: `pgbouncer` pool size raised to 40 in `deploy/pgbouncer.ini` after the checkout timeouts.",
		"2026-11-19: The nightly backup job moved to `cron/backup.yaml` because two pods wrote the same key.",
		"2026-11-18: `terraform` state of the mailer lives in bucket `mailer-tf-7` since the migration.",
	}
)

// ask makes n questions wait in a scope and returns their proposals.
func (b *bench) ask(scope memory.Scope, n int) []string {
	b.Helper()
	var ids []string
	for _, text := range rules[:n] {
		ids = append(ids, b.propose(scope, text, memory.VerdictNeedsReview).ProposalID)
	}
	return ids
}

func (b *bench) dueEvent(id, reviewer, slot string, tenant memory.Tenant) bus.Outgoing {
	data, err := proto.Marshal(&winnowv1.DigestDue{Id: id, Reviewer: reviewer, Slot: slot})
	if err != nil {
		b.Fatal(err)
	}
	return bus.Outgoing{
		ID: id, Subject: event.SubjectDigestDue, Data: data,
		Header: map[string][]string{"winnow-tenant": {string(tenant)}, "ce-datacontenttype": {"application/protobuf"}},
	}
}

// due lets the worker make a reviewer's digest of a slot, with the event delivered
// twice. It returns the newest digest.
func (b *bench) due(reviewer, slot string) memory.Digest {
	b.Helper()
	b.n++
	for _, f := range b.Deliver(b.dueEvent(fmt.Sprint("due", b.n), reviewer, slot, memory.DefaultTenant)) {
		if !f.Acked {
			b.Fatalf("due event: %+v", f)
		}
	}
	list := b.digests(reviewer)
	if len(list) == 0 {
		b.Fatalf("no digest of %s for %s", slot, reviewer)
	}
	return list[0]
}

func (b *bench) digests(reviewer string) []memory.Digest {
	b.Helper()
	list, err := b.Store().Digests(b.Context(), memory.DefaultTenant, reviewer, 0)
	if err != nil {
		b.Fatal(err)
	}
	return list
}

// replyEvent is an answer as a gateway sends it: JSON, no headers.
func (b *bench) replyEvent(sender string, r *winnowv1.DigestReply) bus.Outgoing {
	b.n++
	r.Id = cmp.Or(r.Id, fmt.Sprint("reply", b.n))
	data, err := protojson.Marshal(r)
	if err != nil {
		b.Fatal(err)
	}
	return bus.Outgoing{ID: r.GetId(), Subject: event.SubjectDigestReply + "." + sender, Data: data}
}

// answer sends a reviewer's answer as a gateway, and returns the event that the gateway
// gets.
func (b *bench) answer(reviewer, code, text string) *winnowv1.DigestAnswered {
	b.Helper()
	r := &winnowv1.DigestReply{Reviewer: reviewer, Code: code, Text: text}
	if f := b.DeliverOnce(b.replyEvent("gateway", r))[0]; !f.Acked {
		b.Fatalf("reply %q: %+v; %s", text, f, f.Reason)
	}
	for _, told := range emitted[winnowv1.DigestAnswered](b, event.SubjectDigestAnswered) {
		if told.GetReplyId() == r.GetId() {
			return told
		}
	}
	b.Fatalf("nobody is told what became of %q", text)
	return nil
}

// emitted returns the events of a subject in the outbox, oldest first.
func emitted[M any, P interface {
	*M
	proto.Message
}](b *bench, subject string) []P {
	b.Helper()
	rows, err := b.Store().Unpublished(b.Context(), 10_000)
	if err != nil {
		b.Fatal(err)
	}
	var out []P
	for _, row := range rows {
		if bare, _, err := event.SplitSubject(row.Subject); err != nil || bare != subject {
			continue
		}
		env, err := event.Parse(row.Subject, row.Header, row.Data, "")
		msg := P(new(M))
		if err == nil {
			err = event.Unmarshal(env, msg)
		}
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, msg)
	}
	return out
}

// rows returns all rows that an answer could change.
func (b *bench) rows() string {
	b.Helper()
	ctx, s := b.Context(), b.Store()
	proposals, errP := s.Proposals(ctx, memory.DefaultTenant, store.ProposalQuery{Limit: 10_000})
	memories, errM := s.Memories(ctx, memory.DefaultTenant, store.MemoryQuery{Limit: 10_000})
	decisions, errD := s.Decisions(ctx, memory.DefaultTenant, store.DecisionQuery{Limit: 10_000})
	digests, errG := s.Digests(ctx, memory.DefaultTenant, "", 10_000)
	all := []any{proposals, memories, decisions, digests, errP, errM, errD, errG}
	for _, p := range proposals {
		evidence, errE := s.Evidence(ctx, memory.DefaultTenant, p.ID)
		reviews, errR := s.Reviews(ctx, memory.DefaultTenant, p.ID)
		all = append(all, evidence, reviews, errE, errR)
	}
	for _, m := range memories {
		evidence, errE := s.Evidence(ctx, memory.DefaultTenant, m.ID)
		links, errL := s.Links(ctx, memory.DefaultTenant, m.ID)
		all = append(all, evidence, links, errE, errL)
	}
	for _, a := range all {
		if err, is := a.(error); is && err != nil {
			b.Fatal(err)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

func (b *bench) proposal(id string) memory.Proposal {
	b.Helper()
	p, err := b.Store().Proposal(b.Context(), memory.DefaultTenant, id)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func (b *bench) decision(id string) memory.Decision {
	b.Helper()
	d, err := b.Store().Decision(b.Context(), memory.DefaultTenant, id)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

func (b *bench) memory(id string) memory.Memory {
	b.Helper()
	m, err := b.Store().Memory(b.Context(), memory.DefaultTenant, id)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// memoryOf returns the memory that a proposal became.
func (b *bench) memoryOf(proposal string) memory.Memory {
	b.Helper()
	return b.memory(b.decision(b.proposal(proposal).DecisionID).MemoryID)
}

// states returns the states of the digest's items by their numbers, such as "promoted
// rejected needs_review".
func (b *bench) states(d memory.Digest) string {
	b.Helper()
	var out []string
	for _, item := range d.Items {
		out = append(out, string(b.proposal(item.ProposalID).State))
	}
	return strings.Join(out, " ")
}

func (b *bench) replies(d memory.Digest) []memory.DigestReply {
	b.Helper()
	list, err := b.Store().DigestReplies(b.Context(), memory.DefaultTenant, d.ID)
	if err != nil {
		b.Fatal(err)
	}
	return list
}

// audited counts the audit entries of an action about a subject.
func (b *bench) audited(action, subject string) int {
	b.Helper()
	list, err := b.Store().AuditEvents(b.Context(), memory.DefaultTenant, subject, 0, 1000)
	if err != nil {
		b.Fatal(err)
	}
	return len(slices.DeleteFunc(list, func(e store.AuditEvent) bool { return e.Action != action }))
}

func (b *bench) id(prefix string) string { return ident.New(prefix) }

// rejected is a rejection by a person.
var rejected = review.Answer{Action: review.ActionReject}

// decider decides a person's actions outside of digests, as with winnow review.
func (b *bench) decider(person string) *review.Decider {
	return &review.Decider{
		Stamp: review.Stamp{Tenant: memory.DefaultTenant, Person: person, Now: b.now(), NewID: ident.New}, Store: b.Store(),
		Redact: func(text string) string { return text },
	}
}
