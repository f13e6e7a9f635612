package api_test

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
)

// asked is what a request or a call is made of: who asks, from where, and whose ids it
// names.
type asked struct {
	*party
	of   map[string]string // ids by kind
	n    int               // differs between any two
	used map[string]string // the ids that were put in, by kind
	// bounded says that the answer has nothing of another team: the project is named.
	bounded bool
	// operator says that the answer is of the whole tenant, with ids of what its members
	// have alone; never with a text of it.
	operator bool
	// from is the project that the request names instead of the party's own; empty leaves
	// it out.
	from *string
}

// project returns the project that the request names.
func (q *asked) project() string {
	if q.from != nil {
		return *q.from
	}
	return q.party.project()
}

// silent takes the project out of a request that names none.
func (q *asked) silent(r *request) {
	if q.from == nil || *q.from != "" {
		return
	}
	for _, name := range []string{"project", "project_id"} {
		r.query.Del(name)
		delete(r.body, name)
	}
	if r.query.Get("scope") == "project:" {
		r.query.Del("scope")
	}
}

// id returns an id of a kind and notes that the request has it.
func (q *asked) id(kind string) string {
	if q.used == nil {
		q.used = map[string]string{}
	}
	q.used[kind] = q.of[kind]
	return q.of[kind]
}

// kinds lists the kinds of the ids that the request has.
func (q *asked) kinds() []string { return slices.Sorted(maps.Keys(q.used)) }

// at returns a query with the party's project, by which the answer is bounded.
func (q *asked) at(name string, more ...string) url.Values {
	q.bounded = true
	v := url.Values{name: {q.project()}}
	if name == "scope" {
		v.Set(name, "project:"+q.project())
	}
	for i := 0; i < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v
}

// bound returns the party's project, by which the answer is bounded.
func (q *asked) bound() string {
	q.bounded = true
	return q.project()
}

// request is a request to an operation of the contract.
type request struct {
	id    string // in place of {id}
	query url.Values
	body  map[string]any
}

// requests has one for each operation. A new operation is added here, or the tests that
// go over all of them fail.
var requests = map[string]func(*asked) request{
	"search-memories": func(q *asked) request {
		return request{query: q.at("project", "q", "deploy walrus service port", "session_id", fmt.Sprint("s", q.n%3))}
	},
	"get-memory":         func(q *asked) request { return request{id: q.id("memory"), query: q.at("project")} },
	"get-memory-history": func(q *asked) request { return request{id: q.id("memory"), query: q.at("project")} },
	"why": func(q *asked) request {
		return request{id: q.id([]string{"memory", "proposal", "decision"}[q.n%3]), query: q.at("project")}
	},
	"list-memories": func(q *asked) request { return request{query: q.at("scope", "limit", "200")} },
	"start-session": func(q *asked) request {
		return request{query: q.at("project", "session_id", fmt.Sprint("s", q.n%3), "task", "deploy walrus")}
	},
	"send-feedback": func(q *asked) request {
		return request{body: map[string]any{"project": q.bound(), "memory_id": q.id("memory"), "helpful": q.n%2 == 0, "session_id": fmt.Sprint("s", q.n)}}
	},
	"send-outcome": func(q *asked) request {
		return request{body: map[string]any{"project": q.bound(), "memory_id": q.id("memory"), "succeeded": q.n%2 == 0, "session_id": fmt.Sprint("s", q.n)}}
	},
	"create-consolidation": func(q *asked) request {
		q.bounded = true
		return request{body: map[string]any{"project_id": q.project(), "dry_run": true, "force": true}}
	},
	"get-consolidation-status": func(q *asked) request { return request{query: q.at("project_id")} },
	"list-runs":                func(q *asked) request { return request{query: q.at("scope")} },
	"get-run":                  func(q *asked) request { return request{id: q.id("run"), query: q.at("project")} },
	"undo-run": func(q *asked) request {
		return request{id: q.id("run"), query: q.at("project"), body: map[string]any{}}
	},
	"start-workflow": func(q *asked) request {
		q.bounded = true
		return request{body: map[string]any{"project": q.project(), "name": "Move " + q.mark}}
	},
	"list-workflows":    func(q *asked) request { return request{query: q.at("project")} },
	"get-workflow":      func(q *asked) request { return request{id: q.id("workflow"), query: q.at("project")} },
	"pause-workflow":    func(q *asked) request { return request{id: q.id("workflow"), query: q.at("project")} },
	"resume-workflow":   func(q *asked) request { return request{id: q.id("workflow"), query: q.at("project")} },
	"complete-workflow": func(q *asked) request { return request{id: q.id("workflow"), query: q.at("project")} },
	"list-reviews":      func(q *asked) request { return request{query: q.at("scope")} },
	"list-digests":      func(*asked) request { return request{} },
	"get-digest":        func(q *asked) request { return request{id: q.id("digest")} },
	"reply-to-digest": func(q *asked) request {
		return request{id: q.id("digest"), body: map[string]any{"text": "later"}}
	},
	"create-proposal": func(q *asked) request {
		return request{query: url.Values{"wait": {"10s"}}, body: map[string]any{
			"scope": "project:" + q.project(), "kind": "fact", "session_id": fmt.Sprint("s", q.n%3),
			"text": fmt.Sprintf("Worker %d of %s needs %d MB of memory, measured with `docker stats`.", q.n, q.mark, 100+q.n),
		}}
	},
	"create-session": func(q *asked) request {
		return request{body: map[string]any{"session_id": fmt.Sprint("s", q.n), "scope": "project:" + q.project(), "inline": aTrace(q.mark, q.n)}}
	},
	"get-caller":      func(*asked) request { return request{} },
	"list-principals": func(*asked) request { return request{} },
	"put-principal": func(q *asked) request {
		return request{id: q.id("spare"), body: map[string]any{"name": "spare"}}
	},
	"list-keys": func(q *asked) request { return request{query: url.Values{"principal": {q.id("principal")}}} },
	"create-key": func(q *asked) request {
		return request{body: map[string]any{"principal": q.id("principal"), "expires_in_days": 1}}
	},
	"revoke-key":         func(q *asked) request { return request{id: q.id("key")} },
	"list-retired-terms": func(*asked) request { return request{} },
	"create-retired-term": func(q *asked) request {
		return request{body: map[string]any{"term": fmt.Sprint(q.mark, "-tool-", q.n)}}
	},
	"delete-retired-term": func(q *asked) request { return request{id: q.id("term")} },
	"list-scopes":         func(*asked) request { return request{} },
	"put-scope": func(q *asked) request {
		return request{body: map[string]any{"scope": "project:" + q.mark + "-spare", "parent": "team:" + q.team}}
	},
	"unlink-scope": func(q *asked) request { return request{query: url.Values{"scope": {"project:" + q.mark + "-spare"}}} },
	"list-audit": func(q *asked) request {
		q.operator = true
		return request{query: url.Values{"subject": {q.id("memory")}}}
	},
	"list-log":     func(q *asked) request { return request{query: q.at("project", "limit", "1000")} },
	"verify-audit": func(*asked) request { return request{} },
}

// calls has the arguments of each tool. A new tool is added here, or the test that goes
// over all of them fails.
var calls = map[string]func(*asked) map[string]any{
	"memory_search": func(q *asked) map[string]any {
		return q.in("project", "query", "deploy walrus service port", "scope", []string{"all", "project", "team", "org"}[q.n%4], "limit", 20)
	},
	"memory_deep_search": func(q *asked) map[string]any { return q.in("project", "query", "deploy walrus service port") },
	"memory_get":         func(q *asked) map[string]any { return q.in("project", "ids", []string{q.id("memory")}) },
	"memory_record": func(q *asked) map[string]any {
		return q.in("project", "title", fmt.Sprint("Shard ", q.n), "description", "When "+q.mark+" is slow.", "outcome", "success",
			"content", fmt.Sprintf("Run `vacuum_%d.sh` of %s by night: by day locks were held for %d minutes.", q.n, q.mark, q.n))
	},
	"memory_add": func(q *asked) map[string]any {
		return q.in("project", "content", fmt.Sprintf("Node %d of %s has %d disks.", q.n, q.mark, q.n))
	},
	"store_memory": func(q *asked) map[string]any {
		return q.in("project", "content", fmt.Sprintf("Rack %d of %s has %d nodes.", q.n, q.mark, q.n))
	},
	"memory_feedback": func(q *asked) map[string]any {
		return q.in("project", "memory_id", q.id("memory"), "helpful", q.n%2 == 0)
	},
	"memory_outcome": func(q *asked) map[string]any {
		return q.in("project", "memory_id", q.id("memory"), "succeeded", q.n%2 == 0)
	},
	"memory_consolidate": func(q *asked) map[string]any { return q.in("project_id", "dry_run", true) },
	"memory_summarize":   func(q *asked) map[string]any { return q.in("project", "restore_id", q.id("memory")) },
	"auto_consolidate":   func(q *asked) map[string]any { return q.in("project_id", "dry_run", true) },
	"force_consolidate":  func(q *asked) map[string]any { return q.in("project_id", "dry_run", true) },
	"consolidate_memories": func(q *asked) map[string]any {
		return q.in("project", "ids", []string{q.id("memory"), q.id("second")}, "dry_run", true)
	},
	"consolidation_status": func(q *asked) map[string]any { return q.in("project_id") },
	"run_get":              func(q *asked) map[string]any { return q.in("project", "run_id", q.id("run")) },
	"session_start":        func(q *asked) map[string]any { return q.in("project", "session_id", fmt.Sprint("s", q.n%3)) },
	"auto_session_start":   func(q *asked) map[string]any { return q.in("project", "session_id", fmt.Sprint("s", q.n%3)) },
	"start_workflow":       func(q *asked) map[string]any { return q.in("project", "name", "Move "+q.mark) },
	"complete_workflow":    func(q *asked) map[string]any { return q.in("project", "workflow_id", q.id("workflow")) },
	"pause_workflow":       func(q *asked) map[string]any { return q.in("project", "workflow_id", q.id("workflow")) },
	"resume_workflow":      func(q *asked) map[string]any { return q.in("project", "workflow_id", q.id("workflow")) },
	"get_workflow_context": func(q *asked) map[string]any { return q.in("project", "workflow_id", q.id("workflow")) },
	"get_active_workflow":  func(q *asked) map[string]any { return q.in("project") },
	"list_workflows":       func(q *asked) map[string]any { return q.in("project") },
	"review_list":          func(q *asked) map[string]any { return q.in("project") },
}

// in returns arguments with the party's project, by which the answer is bounded.
func (q *asked) in(name string, more ...any) map[string]any {
	q.bounded = true
	all := map[string]any{name: q.project()}
	for i := 0; i < len(more); i += 2 {
		all[more[i].(string)] = more[i+1]
	}
	return all
}
