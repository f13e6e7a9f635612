package triage_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/triage"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const fact = "2026-11-17: `pgbouncer` pool size raised to 40 in `deploy/pgbouncer.ini` after the checkout timeouts."

// sent is a proposal as a service publishes it: JSON, no headers.
func sent(id, principal string, change func(*winnowv1.ProposalCreated)) bus.Outgoing {
	p := &winnowv1.ProposalCreated{Scope: "project:shop", Text: fact}
	if change != nil {
		change(p)
	}
	data, err := protojson.Marshal(p)
	if err != nil {
		panic(err)
	}
	subject := event.SubjectProposalCreated
	if principal != "" {
		subject += "." + principal
	}
	return bus.Outgoing{ID: id, Subject: subject, Data: data}
}

// S3.2: a proposal delivered twice is decided once, and the decision names its
// inputs. A bare JSON publish is accepted (SPEC §4).
func TestProposalBecomesMemoryOnce(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	for _, f := range b.Deliver(sent("evt_1", "", nil)) {
		if !f.Acked {
			t.Fatalf("not acknowledged: %s", f.Reason)
		}
	}
	memories, err := b.Store().Memories(t.Context(), memory.DefaultTenant, store.MemoryQuery{})
	if err != nil || len(memories) != 1 {
		t.Fatalf("memories: %d, %v, want one", len(memories), err)
	}
	d, err := b.Store().Decision(t.Context(), memory.DefaultTenant, memories[0].DecisionID)
	if err != nil {
		t.Fatal(err)
	}
	if d.Verdict != memory.VerdictPromoted || d.Rule != "fact" || d.Calibration != judge.MixedID || d.PolicyVersion == "" {
		t.Errorf("decision: %s by %s, calibration %q, policy %q", d.Verdict, d.Rule, d.Calibration, d.PolicyVersion)
	}
	if !json.Valid(d.Features) || d.Authority != memory.OriginAgent {
		t.Errorf("features %s, authority %s", d.Features, d.Authority)
	}
	rest, err := b.Store().VerifyAudit(t.Context(), memory.DefaultTenant)
	if err != nil || rest.BrokenAt != 0 || rest.Events == 0 {
		t.Errorf("audit: %+v, %v", rest, err)
	}
}

// Identity and trust come from the credential. What the payload claims above
// that is clamped or ignored, and counted; an unknown scope is created.
func TestClaimsAreClamped(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	b.Deliver(sent("evt_forged", "", func(p *winnowv1.ProposalCreated) {
		p.Origin, p.Tenant, p.Scope = "human", "someone-else", "project:never-seen"
	}))
	list := b.Proposals(memory.DefaultTenant)
	if len(list) != 1 || list[0].Origin != memory.OriginAgent || list[0].Tenant != memory.DefaultTenant {
		t.Fatalf("stored: %+v", list)
	}
	if list[0].Scope != "project:never-seen" {
		t.Errorf("scope %s", list[0].Scope)
	}
	for _, field := range []string{"origin", "tenant"} {
		if n := b.Counter("winnow_claims_refused_total", field); n < 1 {
			t.Errorf("%s: claims counted %v", field, n)
		}
	}
}

// SPEC §1: tags that mean something to Winnow are set by Winnow alone. A publisher that
// claims one in any spelling gets its observation judged without it, and it is counted.
func TestReservedTagsAreTakenFromNoPublisher(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	claimed := []string{"pinned", " Pinned ", "consolidated", "SUPERSEDED", "workflow:wf_1", "Workflow:x"}
	b.Deliver(sent("evt_tags", "", func(p *winnowv1.ProposalCreated) {
		p.Tags = append(append([]string{"pgbouncer"}, claimed...), "pinned-versions")
	}))
	memories, err := b.Store().Memories(t.Context(), memory.DefaultTenant, store.MemoryQuery{})
	if err != nil || len(memories) != 1 {
		t.Fatalf("memories: %d, %v, want one", len(memories), err)
	}
	want := []string{"pgbouncer", "pinned-versions"}
	if got := memories[0].Tags; !slices.Equal(got, want) {
		t.Errorf("memory has %q, want %q", got, want)
	}
	if p := b.Proposals(memory.DefaultTenant)[0]; !slices.Equal(p.Tags, want) {
		t.Errorf("proposal has %q, want %q", p.Tags, want)
	}
	if n := b.Counter("winnow_claims_refused_total", "tags"); n < len(claimed) { // the bench delivers again what it delivered
		t.Errorf("%v claims counted, want %d", n, len(claimed))
	}
}

// A secret is replaced before anything is stored (promise 5).
func TestSecretsNeverReachTheStore(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	const secret = "AKIAQ3EGRZ7XK5JVN2LM"
	b.Deliver(sent("evt_secret", "", func(p *winnowv1.ProposalCreated) {
		p.Text = "2026-11-17: `deploy.sh` uses aws_access_key_id=" + secret + " for the bucket."
		p.Evidence = []*winnowv1.Evidence{{Text: "key " + secret}}
	}))
	p := b.Proposals(memory.DefaultTenant)[0]
	evidence, err := b.Store().Evidence(t.Context(), memory.DefaultTenant, p.ID)
	if err != nil {
		t.Fatal(err)
	}
	if all := fmt.Sprintf("%+v %+v", p, evidence); strings.Contains(all, secret) || !strings.Contains(p.Text, "⟨secret:") {
		t.Errorf("stored: %s", all)
	}
}

// D24: bad input of every kind becomes a dead letter with a reason that names the
// field, next to good input that takes effect; it can be replayed.
func TestBadInputBecomesDeadLetter(t *testing.T) {
	t.Parallel()
	raw := func(id, subject, data string, header map[string][]string) bus.Outgoing {
		return bus.Outgoing{ID: id, Subject: subject, Data: []byte(data), Header: header}
	}
	created := event.SubjectProposalCreated
	proto3, err := proto.Marshal(&winnowv1.ProposalCreated{Scope: "project:shop", Text: fact})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		message bus.Outgoing
		class   string
		says    string
	}{
		"malformed JSON":   {raw("evt_json", created, `{"scope": "project:shop", "text": `, nil), "malformed", ""},
		"malformed proto":  {raw("evt_proto", created, string(proto3[:len(proto3)-3]), map[string][]string{"Content-Type": {event.ContentProtobuf}}), "malformed", ""},
		"empty text":       {sent("evt_empty", "", func(p *winnowv1.ProposalCreated) { p.Text = " \n" }), "invalid", "text"},
		"no scope":         {sent("evt_scope", "", func(p *winnowv1.ProposalCreated) { p.Scope = "" }), "invalid", "scope"},
		"text too long":    {sent("evt_long", "", func(p *winnowv1.ProposalCreated) { p.Text = strings.Repeat("word ", 190_000) }), "too_large", "text"},
		"unknown version":  {raw("evt_v9", created, `{}`, map[string][]string{"CE-Type": {created + ".v9"}}), "version", "v9"},
		"invalid UTF-8":    {raw("evt_utf8", created, "{\"scope\":\"project:shop\",\"text\":\"\xff\xfe\"}", nil), "malformed", ""},
		"NUL byte":         {raw("evt_nul", created, `{"scope":"project:shop","text":"a\u0000b"}`, nil), "malformed", "text"},
		"unknown origin":   {sent("evt_origin", "", func(p *winnowv1.ProposalCreated) { p.Origin = "god" }), "invalid", "origin"},
		"too many tokens":  {raw("evt_tokens", created+".agent.extra", `{"scope":"project:shop","text":"x"}`, nil), "subject", ""},
		"nobody's token":   {sent("evt_nobody", "nobody-registered", nil), "principal", "nobody-registered"},
		"acknowledgement":  {raw("evt_ack", created, `{"stream":"MEMORY","seq":7}`, nil), "invalid", "text"},
		"importance of 99": {sent("evt_99", "", func(p *winnowv1.ProposalCreated) { p.Importance = 99 }), "invalid", "importance"},
		"confidence of -1": {sent("evt_conf", "", func(p *winnowv1.ProposalCreated) { p.Confidence = -1 }), "invalid", "confidence"},
		"unknown outcome":  {sent("evt_outcome", "", func(p *winnowv1.ProposalCreated) { p.Outcome = "so so" }), "invalid", "outcome"},
		"long description": {sent("evt_description", "", func(p *winnowv1.ProposalCreated) { p.Description = strings.Repeat("d", memory.MaxDescription+1) }), "too_large", "description"},
	}
	b := workertest.New(t, triage.Definition)
	want := map[string]string{}
	batch := []bus.Outgoing{sent("evt_good", "", nil)}
	for name, c := range cases {
		batch = append(batch, c.message)
		want[c.message.ID] = name
	}
	b.DeliverOnce(batch...)

	letters := b.DeadLetters()
	if len(letters) != len(cases) {
		t.Errorf("%d dead letters, want %d", len(letters), len(cases))
	}
	for _, l := range letters {
		id := ""
		for name, values := range l.Header {
			if strings.EqualFold(name, "Nats-Msg-Id") || strings.EqualFold(name, "ce-id") {
				id = values[0]
			}
		}
		c, ok := cases[want[id]]
		if !ok {
			t.Errorf("letter of %q: %+v", id, l.Reason)
			continue
		}
		if l.Reason.Class != c.class || !strings.Contains(l.Reason.Text, c.says) {
			t.Errorf("%s: %s (%s), want class %s that names %q", want[id], l.Reason.Class, l.Reason.Text, c.class, c.says)
		}
	}
	if n := len(b.Proposals(memory.DefaultTenant)); n != 1 {
		t.Errorf("%d proposals stored, want the good one", n)
	}
}

// ADR 60: on the bus, too, a principal that is bound to scopes proposes for these and what
// belongs to them, and for nothing else: not for the team above, another project, or a
// project that joins the team only later. Unbound ones are as before.
func TestBoundPrincipalOnTheBus(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	link := func(child, parent memory.Scope) {
		t.Helper()
		if _, err := b.Store().Commit(t.Context(), memory.DefaultTenant, change.Set{ScopeLinks: []memory.ScopeLink{{Scope: child, Parent: parent, At: time.Now()}}}, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Store().Commit(t.Context(), memory.DefaultTenant, change.Set{Principals: []memory.Principal{
		{ID: "bot", Highest: memory.OriginAgent, Scopes: []memory.Scope{"team:web"}},
	}}, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	link("project:site", "team:web")
	link("team:web", "org:acme")
	to := func(id, principal, scope string) bus.Outgoing {
		return sent(id, principal, func(p *winnowv1.ProposalCreated) { p.Scope = scope })
	}
	for i, c := range []struct {
		principal, scope string
		takes            bool
	}{
		{"bot", "project:site", true}, {"bot", "team:web", true},
		{"bot", "org:acme", false}, {"bot", "project:shop", false}, {"bot", "user:anna", false}, {"bot", "project:later", false},
		{"agent", "project:shop", true},
	} {
		fate := b.Deliver(to(fmt.Sprint("evt_bound_", i), c.principal, c.scope))[0]
		if fate.Acked != c.takes || !c.takes && !strings.Contains(fate.Reason, "team:web") {
			t.Errorf("%s for %s: %+v, taken should be %v", c.principal, c.scope, fate, c.takes)
		}
	}
	link("project:later", "team:web")
	b.Stop() // a worker knows principals for half a minute; another one asks anew
	b.Start()
	for _, l := range b.DeadLetters() {
		want := strings.Contains(string(l.Data), "project:later")
		if fate := b.Replay(l); fate.Acked != want {
			t.Errorf("%s, after the project joined: %+v", l.Data, fate)
		}
	}
}

// D24: an event refused for want of a principal takes effect when it is replayed
// after the principal was registered.
func TestDeadLetterIsReplayable(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition, func(d *worker.Deps) { d.DefaultPrincipal = "" })
	b.DeliverOnce(sent("evt_strict", "", nil))
	letters := b.DeadLetters()
	if len(letters) != 1 || letters[0].Reason.Class != "principal" {
		t.Fatalf("letters: %+v", letters)
	}
	b.Stop()
	b.SetDefaultPrincipal("agent")
	b.Start()
	if fate := b.Replay(letters[0]); !fate.Acked {
		t.Errorf("replayed: %+v", fate)
	}
	if n := len(b.Proposals(memory.DefaultTenant)); n != 1 {
		t.Errorf("%d proposals stored, want one", n)
	}
}

// The reason of a dead letter names the wrong field, and does not quote a secret
// in it: reasons are logged and shown.
func TestReasonsCarryNoSecrets(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	const secret = "AKIAQ3EGRZ7XK5JVN2LM"
	b.DeliverOnce(sent("evt_scope_secret", "", func(p *winnowv1.ProposalCreated) { p.Scope = secret }))
	letters := b.DeadLetters()
	if len(letters) != 1 || strings.Contains(letters[0].Reason.Text, secret) || !strings.Contains(letters[0].Reason.Text, "scope") {
		t.Errorf("letters: %+v", letters)
	}
}

// SPEC §6, §7: a proposal that restates what Winnow served in its own session is
// an echo. It is no evidence: neither is it counted, nor does a second principal
// who was served the text lift it. In another session the same words count.
func TestEchoOfWhatWasServed(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	tenant := memory.DefaultTenant
	said := func(id, principal, session, text string) {
		t.Helper()
		f := b.Deliver(sent(id, principal, func(p *winnowv1.ProposalCreated) { p.SessionId, p.Text = session, text }))
		if !f[0].Acked {
			t.Fatalf("%s: %s", id, f[0].Reason)
		}
	}
	said("evt_1", "", "s1", fact)
	memories, err := b.Store().Memories(t.Context(), tenant, store.MemoryQuery{})
	if err != nil || len(memories) != 1 {
		t.Fatalf("memories: %d, %v, want one", len(memories), err)
	}
	if err := b.Store().RecordServed(t.Context(), tenant, []store.Served{
		{SessionID: "s2", MemoryID: memories[0].ID, Principal: "agent", At: memories[0].CreatedAt},
		{SessionID: "s3", MemoryID: memories[0].ID, Principal: "agent", At: memories[0].CreatedAt},
	}); err != nil {
		t.Fatal(err)
	}
	said("evt_2", "", "s2", fact)
	said("evt_3", "human", "s3", "After the checkout timeouts the `pgbouncer` pool size in `deploy/pgbouncer.ini` was raised to 40.")
	said("evt_4", "", "s3", "2026-11-19: `pgbouncer` pool size raised from 40 to 60 in `deploy/pgbouncer.ini`.")
	rules := map[string]string{}
	for _, p := range b.Proposals(tenant) {
		d, err := b.Store().Decision(t.Context(), tenant, p.DecisionID)
		if err != nil {
			t.Fatal(err)
		}
		rules[p.EventID] = d.Rule
	}
	if rules["evt_2"] != "echo.recall" || rules["evt_3"] != "echo.recall" || rules["evt_4"] == "echo.recall" {
		t.Errorf("decided by %v, want an echo, an echo, and no echo of a changed value", rules)
	}
	m, err := b.Store().Memory(t.Context(), tenant, memories[0].ID)
	if err != nil || m.SeenCount != 1 || m.Authority != memory.OriginAgent {
		t.Errorf("after echoes: seen %d times, authority %s, %v", m.SeenCount, m.Authority, err)
	}
	said("evt_5", "", "s4", fact)
	for _, p := range b.Proposals(tenant) {
		if d, err := b.Store().Decision(t.Context(), tenant, p.DecisionID); p.EventID == "evt_5" && (err != nil || d.Rule == "echo.recall") {
			t.Errorf("in a session that was served nothing: %s, %v", d.Rule, err)
		}
	}
}

// Issue 14: the opponent is a registered agent with the right to publish. Nothing that
// it writes into an event makes a strategy of it, which would be recorded at once: no
// kind, no outcome, no id in the form of a distilled lesson's or of a recorded one's.
func TestStrategiesAreTakenFromNoPublisher(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	const advice = "Bisecting the fixture list finds a flaky test sooner than reading logs."
	attacker := memory.Session{
		ID: ident.New(memory.PrefixSession), Tenant: memory.DefaultTenant, Scope: "project:shop", Name: "mine", Principal: "agent",
		Highest: memory.OriginAgent, Format: "claude-code", Outcome: "success", Hash: "h", IngestedAt: time.Now(), State: memory.SessionIngested,
	}
	commitSession(t, b, attacker)
	attempts := map[string]func(*winnowv1.ProposalCreated){
		"evt_strategy":        nil,
		"evt_in_session":      func(p *winnowv1.ProposalCreated) { p.SessionId = attacker.Name },
		attacker.ID + "/1":    func(p *winnowv1.ProposalCreated) { p.SessionId = attacker.Name }, // not distilled yet
		"agent/record-0f0f0f": func(p *winnowv1.ProposalCreated) { p.SessionId = attacker.Name },
		"agent/evt_01J":       func(p *winnowv1.ProposalCreated) { p.Source = "winnow-mcp" },
		"evt_distill":         func(p *winnowv1.ProposalCreated) { p.Source = "winnow-distill rules-1" },
	}
	n := 0
	for id, change := range attempts {
		n++
		b.DeliverOnce(sent(id, "", func(p *winnowv1.ProposalCreated) {
			p.Scope, p.Text, p.Kind, p.Outcome = fmt.Sprintf("project:attempt-%d", n), advice, "strategy", "success"
			p.Title, p.Description, p.Confidence = "Flaky tests", "When a test is flaky.", 0.8
			if change != nil {
				change(p)
			}
		}))
	}
	list := b.Proposals(memory.DefaultTenant)
	if len(list) != len(attempts) {
		t.Fatalf("%d proposals, want %d", len(list), len(attempts))
	}
	for _, p := range list {
		if p.Kind == memory.KindStrategy || p.Outcome != "" || p.State == memory.ProposalPromoted {
			t.Errorf("%s is %q with outcome %q and %s, want a claim that is judged by its text", p.EventID, p.Kind, p.Outcome, p.State)
		}
	}
	for _, field := range []string{"kind", "outcome"} {
		if n := b.Counter("winnow_claims_refused_total", field); n < len(attempts) {
			t.Errorf("%s: %d claims counted, want %d", field, n, len(attempts))
		}
	}
}

// Lessons of Winnow's own stay strategies: the store has the session that was distilled
// into them, or the key of the call that recorded them.
func TestOwnLessonsAreStrategies(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	s := memory.Session{
		ID: ident.New(memory.PrefixSession), Tenant: memory.DefaultTenant, Scope: "project:shop", Name: "mine", Principal: "agent",
		Highest: memory.OriginAgent, Format: "claude-code", Outcome: "success", Hash: "h", IngestedAt: time.Now(), State: memory.SessionIngested,
	}
	commitSession(t, b, s)
	distilled := change.Set{SessionUpdates: []change.SessionUpdate{{ID: s.ID, State: memory.SessionDistilled, DistilledAt: time.Now(), Extracted: 1}}}
	if _, err := b.Store().Commit(t.Context(), memory.DefaultTenant, distilled, store.InboxKey{Consumer: store.RecordConsumer, Key: "agent/record-1"}); err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{s.ID + "/1", "agent/record-1"} {
		b.DeliverOnce(sent(id, "", func(p *winnowv1.ProposalCreated) {
			p.Scope, p.Kind, p.Outcome, p.SessionId = fmt.Sprintf("project:own-%d", i), "strategy", "success", s.Name
			p.Text = "Bisecting the fixture list finds a flaky test sooner than reading logs."
		}))
	}
	for _, p := range b.Proposals(memory.DefaultTenant) {
		if p.Kind != memory.KindStrategy || p.Outcome != "success" || p.State != memory.ProposalPromoted {
			t.Errorf("%s is %q with outcome %q and %s, want a promoted strategy", p.EventID, p.Kind, p.Outcome, p.State)
		}
	}
	if n := b.Counter("winnow_claims_refused_total", "kind"); n != 0 {
		t.Errorf("%d claims counted, want none", n)
	}
}

// commitSession stores a session as ingest would.
func commitSession(t *testing.T, b *workertest.Bench, s memory.Session) {
	t.Helper()
	if _, err := b.Store().Commit(t.Context(), s.Tenant, change.Set{Sessions: []memory.Session{s}}, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
}
