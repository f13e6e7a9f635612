package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/relay"
	"github.com/winnowhq/winnow/services/triage"
)

// party is a principal that may do everything, in a team of a tenant, with one thing of
// each kind that is its own. Parties of two tenants have scopes of the same names.
type party struct {
	tenant memory.Tenant
	team   string
	// mark stands in every text of this team of this tenant, private in those
	// of the principal's own scope, and in no other.
	mark, private string
	name, key     string
	ids           map[string]string // by kind: memory, private, proposal, …
	agent         *agent
}

func (p *party) project() string { return p.team + "-shop" }

// works runs every worker that an answer may wait for, until the test ends.
func (b *bench) works() {
	b.Helper()
	judges, err := worker.NewPipeline(triage.Definition, b.as(triage.Definition), time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	carrier, err := relay.Definition.Run(b.as(relay.Definition))
	if err != nil {
		b.Fatal(err)
	}
	merges, err := worker.Build(consolidate.Definition, b.as(consolidate.Definition), time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	all := []worker.Runner{judges, carrier, merges}
	ended := make(chan error, len(all))
	for _, r := range all {
		go func() { ended <- r.Run(ctx) }()
	}
	b.Cleanup(func() {
		cancel()
		for range all {
			if err := <-ended; err != nil {
				b.Errorf("run: %v", err)
			}
		}
	})
}

// desk returns the operations of a person of a tenant.
func (b *bench) desk(tenant memory.Tenant, person string) *ops.Ops {
	o := b.admin()
	o.Tenant, o.Person, o.Digest = tenant, person, page.DefaultConfig()
	return o
}

// party sets up a principal with one thing of each kind. letter distinguishes the
// tenant in its marks.
func (b *bench) party(tenant memory.Tenant, letter, team string) *party {
	b.Helper()
	p := &party{tenant: tenant, team: team, mark: "walrus" + letter + team, private: "secret" + letter + team, ids: map[string]string{}}
	p.name = "bot-" + letter + "-" + team
	b.registers(p)
	p.ids["principal"], p.ids["spare"] = p.name, p.mark+"-spare"+memory.PrincipalTag(tenant)
	b.knows(p)
	b.asks(p)
	b.begins(p)
	return p
}

// registers registers the party's principal, with a key.
func (b *bench) registers(p *party) {
	b.Helper()
	who := memory.Principal{ID: p.name, Tenant: p.tenant, Highest: memory.OriginHuman, Permissions: memory.Permissions()}
	if _, err := b.store.Commit(b.Context(), p.tenant, change.Set{Principals: []memory.Principal{who}}, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
	_, key, err := b.desk(p.tenant, p.name).AddKey(b.Context(), ops.NewKey{Principal: p.name})
	if err != nil {
		b.Fatal(err)
	}
	p.key, p.agent = key, b.agent(key)
}

// knows stores memories of a party's project, team, organisation and own scope.
func (b *bench) knows(p *party) {
	b.Helper()
	project, team, org := memory.Scope("project:"+p.project()), memory.Scope("team:"+p.team), memory.Scope("org:"+p.team+"-org")
	same := "Set `pool_max_conns` of " + p.mark + " to 12: with 4 it stalled at 800 rows/s, with 12 it reached 5200."
	ids := b.proposes(p.tenant,
		memory.Memory{Scope: project, Kind: memory.KindRule, Text: "Deploy the " + p.mark + " service on port 8080."},
		memory.Memory{Scope: project, Kind: memory.KindStrategy, Title: "Read " + p.mark + " in blocks", Text: "The " + p.mark + " importer reads blocks of 64 rows.", Outcome: "success", Topics: []string{"importer"}},
		memory.Memory{Scope: team, Kind: memory.KindRule, Text: "Deploy every " + p.mark + " service of the team on port 8443."},
		memory.Memory{Scope: org, Kind: memory.KindConvention, Text: "The organisation deploys " + p.mark + " on Mondays, port 9000."},
		memory.Memory{Scope: memory.Scope("user:" + p.name), Kind: memory.KindPreference, Text: "I deploy " + p.private + " to port 7000 before breakfast."},
		memory.Memory{Scope: project, Text: same}, memory.Memory{Scope: project, Text: same}, memory.Memory{Scope: project, Text: same},
	)
	p.ids["memory"], p.ids["second"], p.ids["private"] = ids[0], ids[1], ids[4]
	b.belongs(p.tenant, project, team, org)
}

// asks makes a question for a person, and the digest that asks it.
func (b *bench) asks(p *party) {
	b.Helper()
	raw, _ := json.Marshal(map[string]any{"scope": "project:" + p.project(), "origin": "agent", "text": "Never commit to the main branch of `" + p.mark + "` directly."})
	var got struct {
		Verdict struct {
			Status     string
			ProposalID string `json:"proposal_id"`
		}
	}
	for got.Verdict.Status == "" || got.Verdict.Status == "waiting" {
		b.must(p, http.MethodPost, "/api/proposals?wait=30s", string(raw), &got, "Idempotency-Key", "asks")
	}
	row, err := b.store.Proposal(b.Context(), p.tenant, got.Verdict.ProposalID)
	if err != nil || row.State != memory.ProposalNeedsReview {
		b.Fatalf("%+v: %+v, %v", got, row, err)
	}
	p.ids["proposal"], p.ids["decision"] = row.ID, row.DecisionID
	desk := b.desk(p.tenant, p.name)
	if _, err := desk.AddReviewer(b.Context(), ops.Reviewer{Principal: p.name, Scope: memory.Scope("project:" + p.project())}); err != nil {
		b.Fatal(err)
	}
	sent, made, err := desk.SendDigest(b.Context(), p.name)
	if err != nil || !made || !strings.Contains(sent.Text, p.mark) {
		b.Fatalf("digest: %v, %v: %s", made, err, sent.Text)
	}
	p.ids["digest"] = sent.ID
}

// begins starts a workflow and a run, and makes a key and a retired term.
func (b *bench) begins(p *party) {
	b.Helper()
	run := p.agent.consolidated("memory_consolidate", map[string]any{"project_id": p.project()})
	if run.Status != "completed" || len(run.Created) != 1 {
		b.Fatalf("run: %+v", run)
	}
	p.ids["run"] = run.RunID
	var flow threaded
	b.must(p, http.MethodPost, "/api/workflows", `{"project":"`+p.project()+`","name":"Move `+p.mark+`"}`, &flow)
	p.ids["workflow"] = flow.Workflow.ID
	var key struct{ ID string }
	b.must(p, http.MethodPost, "/api/keys", `{"principal":"`+p.name+`","name":"`+p.mark+`"}`, &key)
	p.ids["key"] = key.ID
	b.must(p, http.MethodPost, "/api/retired-terms", `{"term":"`+p.mark+`-tool"}`, &struct{}{})
	var list struct{ Terms []struct{ ID, Term string } }
	b.must(p, http.MethodGet, "/api/retired-terms", "", &list)
	for _, t := range list.Terms {
		if t.Term == p.mark+"-tool" {
			p.ids["term"] = t.ID
		}
	}
	for _, kind := range []string{"run", "workflow", "key", "term"} {
		if p.ids[kind] == "" {
			b.Fatalf("%s has no %s", p.name, kind)
		}
	}
}

// must sends a request that succeeds, and decodes its answer.
func (b *bench) must(p *party, method, path, body string, into any, header ...string) {
	b.Helper()
	status, text, _ := b.send(method, path, p.key, body, header...)
	if err := json.Unmarshal([]byte(text), into); err != nil || status >= http.StatusBadRequest {
		b.Fatalf("%s %s: %d %s, %v", method, path, status, text, err)
	}
}

// unknown returns ids of each kind that exist nowhere.
func unknown() map[string]string {
	return map[string]string{
		"memory": ident.New(memory.PrefixMemory), "second": ident.New(memory.PrefixMemory), "proposal": ident.New(memory.PrefixProposal),
		"decision": ident.New(memory.PrefixDecision), "workflow": ident.New(memory.PrefixWorkflow), "run": ident.New(memory.PrefixRun),
		"digest": ident.New(memory.PrefixDigest), "key": ident.New(memory.PrefixKey), "term": ident.New("rt_"), "principal": "nobody-" + ident.New("p")[20:],
		"spare": "nobody-0123456789",
	}
}

// aTrace returns a session of a party in base64.
func aTrace(mark string, n int) string {
	raw, _ := json.Marshal(map[string]any{"messages": []map[string]string{
		{"role": "user", "content": fmt.Sprintf("Move service %d of %s. Remember that it runs on port %d.", n, mark, 7000+n)},
		{"role": "assistant", "content": fmt.Sprintf("Service %d of %s runs on port %d now.", n, mark, 7000+n)},
	}})
	return base64.StdEncoding.EncodeToString(raw)
}

// twoTenants sets up two parties in each of two tenants.
func twoTenants(t *testing.T) (*bench, []*party) {
	t.Helper()
	b := whole(t)
	b.works()
	var all []*party
	for _, at := range []struct {
		tenant memory.Tenant
		letter string
	}{{memory.DefaultTenant, "alpha"}, {acme, "bravo"}} {
		for _, team := range []string{"red", "blue"} {
			all = append(all, b.party(at.tenant, at.letter, team))
		}
	}
	return b, all
}
