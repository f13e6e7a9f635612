package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

// bindsTo returns a party beside p with a principal that may do everything and is bound to
// scopes of p.
func (b *bench) bindsTo(p *party, kind string, scopes ...memory.Scope) *party {
	b.Helper()
	me := *p
	me.name = kind + "-" + p.name
	who := memory.Principal{ID: me.name, Tenant: p.tenant, Highest: memory.OriginHuman, Permissions: memory.Permissions(), Scopes: scopes}
	if _, err := b.store.Commit(b.Context(), p.tenant, change.Set{Principals: []memory.Principal{who}}, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
	_, key, err := b.desk(p.tenant, p.name).AddKey(b.Context(), ops.NewKey{Principal: me.name})
	if err != nil {
		b.Fatal(err)
	}
	me.key, me.agent = key, b.agent(key)
	return &me
}

// SPEC §16.8, D25: a principal that is bound to a team or a project uses every operation,
// every tool, every resource and every prompt, without naming a project, and naming one of
// another team. No answer has a word or an id of another team, of another tenant or of
// another's own scope, and a foreign id or project is answered byte for byte like one that
// exists nowhere.
func TestBoundPrincipalStaysInItsScopes(t *testing.T) {
	t.Parallel()
	b, parties := twoTenants(t)
	surfaces := b.surfaces()
	nothing, nowhere := "", "nowhere-shop"
	for _, p := range parties {
		for i, me := range []*party{
			b.bindsTo(p, "team", memory.Scope("team:"+p.team)), b.bindsTo(p, "project", memory.Scope("project:"+p.project())),
		} {
			var others []*party
			for _, them := range parties {
				if them != p {
					others = append(others, them)
				}
			}
			for n, s := range surfaces {
				for m, them := range others {
					q := &asked{party: me, of: maps.Clone(them.ids), n: 1000*i + 10*n + m, from: &nothing}
					got, err := s.ask(q)
					if err != nil {
						t.Errorf("%s: %v", s.name, err)
						continue
					}
					q.bounded = true
					for _, secret := range []string{leak(q, got.text, others), within(got.text, p.private, p.key)} {
						if secret != "" {
							t.Errorf("%s of %s with the ids of %s shows %s: %s", s.name, me.name, them.name, secret, got.text)
						}
					}
					if len(q.used) > 0 {
						none := &asked{party: me, of: unknown(), n: q.n, from: &nothing}
						if want, err := s.ask(none); err != nil || got != want {
							t.Errorf("%s of %s with %v of %s: %+v\nwith ids of nothing: %+v, %v", s.name, me.name, q.used, them.name, got, want, err)
						}
					}
					// From the other's project, with ids of its own: as from a project that
					// nobody has.
					project := them.project()
					if project == p.project() {
						continue // of the other tenant, by the same name
					}
					there := &asked{party: me, of: maps.Clone(p.ids), n: q.n, from: &project}
					from, _ := s.ask(there)
					none, err := s.ask(&asked{party: me, of: maps.Clone(p.ids), n: q.n, from: &nowhere})
					from.text, none.text = strings.ReplaceAll(from.text, project, nowhere), strings.ReplaceAll(none.text, project, nowhere)
					if there.bounded && (err != nil || from != none) {
						t.Errorf("%s of %s from %s: %+v\nfrom nowhere: %+v, %v", s.name, me.name, project, from, none, err)
					}
				}
			}
		}
	}
}

// within returns the first of the secrets that a text has.
func within(text string, secrets ...string) string {
	for _, s := range secrets {
		if strings.Contains(text, s) {
			return s
		}
	}
	return ""
}

// A bound principal works within its scopes as anybody does; of what they belong to it
// only reads.
func TestBoundPrincipalWorksInItsScopes(t *testing.T) {
	t.Parallel()
	b := whole(t)
	b.works()
	p := b.party(memory.DefaultTenant, "alpha", "red")
	team, project := b.bindsTo(p, "team", "team:red"), b.bindsTo(p, "project", "project:red-shop")
	teams := b.proposes(p.tenant, memory.Memory{Scope: "team:red", Kind: memory.KindFact, Text: "The team's pager rings at 7 in the morning."})[0]
	for _, who := range []*party{team, project} {
		for path, want := range map[string]string{
			"/api/search?q=deploy+service+port": p.mark, "/api/search?q=pager": "pager", "/api/runs": p.ids["run"], "/api/runs/" + p.ids["run"]: p.ids["run"],
			"/api/memories/" + teams: "pager", "/api/workflows/" + p.ids["workflow"]: p.mark, "/api/scopes": "org:red-org", "/api/session-start": p.mark,
			"/api/reviews": p.mark,
		} {
			if status, text, _ := b.send(http.MethodGet, path, who.key, ""); status != http.StatusOK || !strings.Contains(text, want) {
				t.Errorf("%s of %s: %d %s", path, who.name, status, text)
			}
		}
		for path, body := range map[string]string{
			"/api/feedback":          fmt.Sprintf(`{"memory_id":%q,"helpful":true}`, teams),
			"/api/proposals?wait=1s": `{"scope":"project:red-shop","text":"The importer of the shop has 7 queues."}`,
		} {
			if status, text, _ := b.send(http.MethodPost, path, who.key, body); status >= http.StatusBadRequest {
				t.Errorf("%s of %s: %d %s", path, who.name, status, text)
			}
		}
		for path, body := range map[string]string{
			"/api/proposals":       `{"scope":"project:blue-shop","text":"The importer of the shop has 7 queues."}`,
			"/api/sessions":        `{"session_id":"s","scope":"org:red-org","inline":"` + aTrace("x", 1) + `"}`,
			"/api/consolidations":  `{"project_id":"blue-shop"}`,
			"/api/workflows":       `{"project":"blue-shop","name":"x"}`,
			"/api/session-start":   "",
			"/api/principals/mine": `{}`,
		} {
			method := http.MethodPost
			switch {
			case body == "":
				method, path = http.MethodGet, path+"?project=blue-shop"
			case strings.HasPrefix(path, "/api/principals"):
				method = http.MethodPut
			}
			if status, text, _ := b.send(method, path, who.key, body); status < http.StatusBadRequest || status >= http.StatusInternalServerError || !strings.Contains(text, "bound to") {
				t.Errorf("%s of %s beyond its scopes: %d %s", path, who.name, status, text)
			}
		}
	}
	// The team's own memories are the project's to read and not to change.
	if status, text, _ := b.send(http.MethodPost, "/api/proposals", project.key, `{"scope":"team:red","text":"The pager is silent."}`); status != http.StatusUnprocessableEntity {
		t.Errorf("a proposal to the team: %d %s", status, text)
	}
	if status, text, _ := b.send(http.MethodPost, "/api/proposals", team.key, `{"scope":"team:red","text":"The pager is silent on Sundays."}`); status != http.StatusAccepted {
		t.Errorf("a proposal of the team: %d %s", status, text)
	}
	if status, text, _ := b.send(http.MethodPost, "/api/runs/"+p.ids["run"]+"/undo", project.key, `{}`); status != http.StatusOK {
		t.Errorf("undo of its own run: %d %s", status, text)
	}
}
