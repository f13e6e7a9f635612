package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// heard is an answer in the form in which two are compared: without the id of the
// request and the ids that were asked for.
type heard struct {
	status string
	text   string
}

// surface is an operation, a tool, a resource or a prompt.
type surface struct {
	name string
	// ask sends a request or a call and returns what a client sees of the answer.
	ask func(*asked) (heard, error)
}

// SPEC §16.8, D25: two tenants with two teams each use every operation of the contract,
// every tool, every resource and every prompt, all at once and in random order. No answer
// has a word or an id of another tenant, of another principal's own scope, or, where a
// project is named, of another team. A foreign id is answered byte for byte like one that
// exists nowhere.
func TestNothingCrosses(t *testing.T) {
	t.Parallel()
	b, parties := twoTenants(t)
	surfaces := b.surfaces()
	seed := rand.Uint64()
	t.Logf("seed %d, %d surfaces, %d parties", seed, len(surfaces), len(parties))
	var together sync.WaitGroup
	for i, me := range parties {
		together.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			type step struct {
				surface
				them    *party
				private bool // ids of the other one's own scope
			}
			var steps []step
			for _, s := range surfaces {
				for _, them := range parties {
					steps = append(steps, step{s, them, false}, step{s, them, true})
				}
			}
			rng.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
			sent := map[string]bool{} // of those without an id, where they all are the same
			for n, s := range steps {
				if sent[s.name] {
					continue
				}
				q := &asked{party: me, of: maps.Clone(s.them.ids), n: i + n*len(parties)}
				if s.private {
					q.of["memory"], q.of["second"] = s.them.ids["private"], me.ids["second"]
				}
				got, err := s.ask(q)
				if err != nil {
					t.Errorf("seed %d: %s: %v", seed, s.name, err)
					continue
				}
				if leaked := leak(q, got.text, parties); leaked != "" {
					t.Errorf("seed %d: %s of %s with the ids of %s shows %s: %s", seed, s.name, me.name, s.them.name, leaked, got.text)
				}
				sent[s.name] = len(q.used) == 0
				if !hidden(q, s.them, s.private) {
					continue
				}
				none := &asked{party: me, of: unknown(), n: q.n}
				if s.private {
					none.of["second"] = q.of["second"]
				}
				want, err := s.ask(none)
				if err != nil || got != want {
					t.Errorf("seed %d: %s of %s with %v of %s: %+v\nwith ids of nothing: %+v, %v", seed, s.name, me.name, q.used, s.them.name, got, want, err)
				}
			}
		})
	}
	together.Wait()
	for _, p := range parties { // what another one could have changed is as it was
		for _, path := range []string{"/api/memories/" + p.ids["second"], "/api/digests/" + p.ids["digest"], "/api/workflows/" + p.ids["workflow"], "/api/why/" + p.ids["proposal"]} {
			if status, text, _ := b.send(http.MethodGet, path, p.key, ""); status != http.StatusOK || !strings.Contains(text, p.mark) {
				t.Errorf("%s of %s: %d %s", path, p.name, status, text)
			}
		}
		if _, text, _ := b.send(http.MethodGet, "/api/audit/verification", p.key, ""); !strings.Contains(text, `"broken_at":0`) {
			t.Errorf("audit of %s: %s", p.name, text)
		}
		_, text, _ := b.send(http.MethodGet, "/api/audit?limit=200", p.key, "")
		if leaked := leak(&asked{party: p}, text, parties); leaked != "" || !strings.Contains(text, p.name) {
			t.Errorf("audit of %s shows %s", p.name, leaked)
		}
	}
}

// hidden reports whether the ids of a request name what the party may not know of.
func hidden(q *asked, them *party, private bool) bool {
	kinds := q.kinds()
	switch {
	case len(kinds) == 0 || them == q.party:
		return false
	case them.tenant != q.tenant, slices.Contains(kinds, "digest"):
		return true
	case private:
		return slices.Contains(kinds, "memory") && !q.operator
	}
	return q.bounded
}

// leak returns what an answer has of others, empty for nothing. What was asked for may
// be repeated.
func leak(q *asked, text string, parties []*party) string {
	for _, them := range parties {
		var secrets []string
		switch {
		case them == q.party:
			continue
		case them.tenant != q.tenant:
			secrets = append(slices.Collect(maps.Values(them.ids)), them.mark, them.private, them.key)
		case q.bounded:
			secrets = []string{them.mark, them.private, them.key}
		default:
			secrets = []string{them.private, them.key}
		}
		for _, s := range secrets {
			if strings.Contains(text, s) {
				return s
			}
		}
	}
	return ""
}

// blank replaces the ids that were asked for, so that two answers can be compared.
func (q *asked) blank(text string) string {
	for kind, id := range q.used {
		text = strings.ReplaceAll(text, id, "<"+kind+">")
	}
	return text
}

// surfaces lists everything that answers, from what the server says that it has.
func (b *bench) surfaces() (list []surface) {
	b.Helper()
	operations, _ := b.contract()
	for _, op := range operations {
		if requests[op.ID] == nil {
			b.Fatalf("no request to %s: add one to requests", op.ID)
		}
		list = append(list, surface{op.method + " " + op.path, func(q *asked) (heard, error) {
			r := requests[op.ID](q)
			q.silent(&r)
			status, text, header := b.sent(q.party, op, r)
			for _, name := range []string{"X-Request-Id", "Date", "Content-Length"} {
				header.Del(name)
			}
			if status >= http.StatusInternalServerError {
				return heard{}, fmt.Errorf("%d %s", status, text)
			}
			before, _, failed := strings.Cut(text, `"request_id"`)
			if !failed {
				before = text
			}
			return heard{fmt.Sprint(status, header), q.blank(before)}, nil
		}})
	}
	tools, err := b.agent(acmeKey).ListTools(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, tool := range tools.Tools {
		arguments := calls[tool.Name]
		if arguments == nil {
			b.Fatalf("no call of %s: add one to calls", tool.Name)
		}
		list = append(list, surface{tool.Name, func(q *asked) (heard, error) {
			given := request{body: arguments(q)}
			q.silent(&given)
			r, err := q.agent.CallTool(b.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: given.body})
			if err != nil {
				return heard{}, err
			}
			raw, err := json.Marshal(r.StructuredContent)
			return heard{fmt.Sprint(r.IsError), q.blank(said(r) + "\n" + string(raw))}, err
		}})
	}
	return append(list, b.readings()...)
}

// readings lists the resources and the prompts.
func (b *bench) readings() (list []surface) {
	b.Helper()
	a := b.agent(acmeKey)
	read := func(uri func(*asked) string) func(*asked) (heard, error) {
		return func(q *asked) (heard, error) {
			r, err := q.agent.ReadResource(b.Context(), &mcp.ReadResourceParams{URI: uri(q)})
			if err != nil {
				return heard{"error", q.blank(err.Error())}, nil
			}
			raw, err := json.Marshal(r)
			return heard{"read", q.blank(string(raw))}, err
		}
	}
	resources, err := a.ListResources(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range resources.Resources {
		list = append(list, surface{r.URI, read(func(*asked) string { return r.URI })})
	}
	templates, err := a.ListResourceTemplates(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, t := range templates.ResourceTemplates {
		list = append(list, surface{t.URITemplate, read(func(q *asked) string {
			q.bounded = strings.Contains(t.URITemplate, "{+project}")
			if strings.Contains(t.URITemplate, "{id}") {
				return strings.ReplaceAll(t.URITemplate, "{id}", q.id("memory"))
			}
			return strings.NewReplacer("{+project}", q.project(), "{week}", "2026-W47").Replace(t.URITemplate)
		})})
	}
	prompts, err := a.ListPrompts(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range prompts.Prompts {
		list = append(list, surface{"prompt " + p.Name, func(q *asked) (heard, error) {
			arguments := map[string]string{}
			for _, name := range p.Arguments {
				if name.Name == "project" {
					arguments["project"], q.bounded = q.project(), true
				}
			}
			r, err := q.agent.GetPrompt(b.Context(), &mcp.GetPromptParams{Name: p.Name, Arguments: arguments})
			if err != nil {
				return heard{"error", err.Error()}, nil //nolint:nilerr // a refusal is an answer too
			}
			raw, err := json.Marshal(r)
			return heard{"prompt", string(raw)}, err
		}})
	}
	return list
}

// sent sends a request to an operation.
func (b *bench) sent(p *party, op operation, r request) (int, string, http.Header) {
	path, body := strings.ReplaceAll(op.path, "{id}", r.id), ""
	if len(r.query) > 0 {
		path += "?" + r.query.Encode()
	}
	if r.body != nil {
		raw, _ := json.Marshal(r.body)
		body = string(raw)
	}
	return b.send(op.method, path, p.key, body)
}
