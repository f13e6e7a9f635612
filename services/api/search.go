package api

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/search"
)

// Limits of one search (S4.30).
const (
	defaultLimit = 5
	maxLimit     = 20
)

// anything is the value of an argument that does not restrict.
const anything = "all"

// searchInput is the seed's input (S4.1), with the agent's project.
type searchInput struct {
	Query         string  `json:"query" jsonschema:"What you look for, in words: a question, an error message, a name."`
	Project       string  `json:"project,omitempty" jsonschema:"Project that you work in, such as github.com/acme/api. Without it all projects are searched."`
	Scope         string  `json:"scope,omitempty" jsonschema:"How far to look: the project, the teams, the organisations, or all of them."`
	Outcome       string  `json:"outcome,omitempty" jsonschema:"Only lessons of work that ended so."`
	Kind          string  `json:"kind,omitempty" jsonschema:"Only memories of this kind; lessons are of kind strategy."`
	Limit         int     `json:"limit,omitempty" jsonschema:"How many memories at most."`
	MinConfidence float64 `json:"min_confidence,omitempty" jsonschema:"Leave out what is held with less confidence than this."`
	SessionID     string  `json:"session_id,omitempty" jsonschema:"Your session, the same in every call. It is kept which memories were shown in it."`
}

// searchOutput is the seed's output (S4.2), with the instruction for reading it.
// Fields are written in the order of their names, so that the instruction
// precedes the memories.
type searchOutput struct {
	Notice     string   `json:"how_to_read" jsonschema:"How to read the memories below; empty when there are none."`
	Memories   []found  `json:"memories" jsonschema:"What was found, the most relevant first."`
	TotalFound int      `json:"total_found" jsonschema:"Number of memories in this answer."`
	TokensUsed int      `json:"tokens_used" jsonschema:"Estimated tokens of their texts: characters divided by 4."`
	Why        string   `json:"why,omitempty" jsonschema:"Why nothing was found."`
	Notes      []string `json:"notes,omitempty" jsonschema:"What was not available, so that the answer may be worse than usual."`
}

// found is a memory with its rank in an answer.
type found struct {
	card
	Relevance float64 `json:"relevance" jsonschema:"How well it answers the query, 0 to 1."`
}

func searchTool() (*mcp.Tool, error) {
	input, err := schemaOf[searchInput](map[string]edit{
		"query": length(1, recall.MaxQuery), "session_id": length(0, maxSession),
		"scope": oneOf(levelAll, levelProject, levelTeam, levelOrg), "outcome": oneOf(anything, outcomeSuccess, outcomeFailure),
		"kind":  oneOf(append([]string{anything}, kindNames()...)...),
		"limit": number(1, maxLimit, defaultLimit), "min_confidence": number(0, 1, search.DefaultMinConfidence),
	})
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[searchOutput](nil)
	return &mcp.Tool{
		Name: "memory_search", Title: "Search memory",
		Description: "Finds lessons, facts and decisions of earlier sessions by words and meaning. " +
			"Useful before starting a task, and when an error or an unfamiliar part of a project comes up. " +
			"It answers with full texts and never changes a memory; an empty answer says why.",
		Annotations: reads("Search memory"), InputSchema: input, OutputSchema: output,
	}, err
}

// search implements memory_search.
func (a *api) search(ctx context.Context, in searchInput) (searchOutput, error) {
	out := searchOutput{Memories: []found{}}
	session, err := sessionName(in.SessionID)
	if err != nil {
		return out, err
	}
	where, err := a.viewpointOf(ctx, in.Project, in.Scope)
	if err != nil {
		return out, err
	}
	if where.nothing {
		out.Why = "nothing is stored for the scope " + in.Scope + " yet; search with scope all"
		return out, nil
	}
	who := callerOf(ctx)
	q := recall.Question{
		Text: in.Query, Tenant: who.Tenant, Scopes: where.scopes, Limit: in.Limit, Session: session, Principal: who.ID,
		Filter: search.Filter{MinConfidence: in.MinConfidence},
	}
	if in.Outcome != anything {
		q.Filter.Outcome = in.Outcome
	}
	if in.Kind != anything {
		q.Filter.Kinds = []memory.Kind{memory.Kind(in.Kind)}
	}
	answer, err := a.Recall.Search(ctx, q)
	if err != nil {
		return out, err
	}
	out.Why, out.Notes = answer.Why, answer.Notes
	ids := make([]string, len(answer.Found))
	for i := range answer.Found {
		ids[i] = answer.Found[i].ID
	}
	uses, f := a.uses(ctx, session, ids), newFence()
	var texts []string
	for i := range answer.Found {
		m := found{cardOf(&answer.Found[i].Memory, f, uses), answer.Found[i].Relevance}
		out.Memories = append(out.Memories, m)
		texts = append(texts, m.Title, m.Description, m.Content)
	}
	out.TotalFound, out.TokensUsed = len(ids), tokens(texts...)
	if len(ids) > 0 {
		out.Notice = f.notice()
	}
	return out, nil
}
