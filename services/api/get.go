package api

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// maxIDs bounds the memories of one call.
const maxIDs = 20

// maxID is more than the length of an id, in characters.
const maxID = 64

type getInput struct {
	IDs       []string `json:"ids" jsonschema:"As memory_search gave them."`
	Project   string   `json:"project,omitempty" jsonschema:"Your project. What is not visible from it is missing."`
	SessionID string   `json:"session_id,omitempty" jsonschema:"Your session."`
}

type getOutput struct {
	Notice     string   `json:"how_to_read" jsonschema:"How to read the memories below; empty when there are none."`
	Memories   []read   `json:"memories" jsonschema:"The memories that exist, in the order asked for."`
	End        string   `json:"memories_end,omitempty" jsonschema:"End of the fence that how_to_read opens."`
	Missing    []string `json:"missing" jsonschema:"Ids that name no memory."`
	TokensUsed int      `json:"tokens_used" jsonschema:"Estimated tokens of their texts: characters divided by 4."`
}

// read is a memory that was requested by id.
type read struct {
	Card
	Note        string   `json:"note,omitempty" jsonschema:"What Winnow says about a summary: what it was made of, and whether it is out of date."`
	Tags        []string `json:"tags" jsonschema:"Its labels. Data from memory."`
	Topics      []string `json:"topics" jsonschema:"What it is about."`
	State       string   `json:"state" jsonschema:"active, or archived: out of service, and its text is not shown, unless it is a replaced summary."`
	SuccessorID string   `json:"successor_id,omitempty" jsonschema:"The memory that replaced an archived one; read that instead."`
}

func getTool() (*mcp.Tool, error) {
	input, err := schemaOf[getInput](map[string]edit{
		"ids": items(1, maxIDs, "", length(1, maxID)), "session_id": length(0, maxSession),
	})
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[getOutput](nil)
	return &mcp.Tool{
		Name: "memory_get", Title: "Read memories",
		Description: "Reads memories in full by their ids. " +
			"Useful after previews, or when a text names a memory. It changes nothing; unknown ids are listed as missing.",
		Annotations: reads("Read memories"), InputSchema: input, OutputSchema: output,
	}, err
}

// get implements memory_get.
func (a *api) get(ctx context.Context, in getInput) (getOutput, error) {
	out := getOutput{Memories: []read{}, Missing: []string{}}
	session, err := a.sessionName(ctx, in.SessionID)
	if err != nil {
		return out, err
	}
	where, err := a.viewpointOf(ctx, in.Project, levelAll)
	if err != nil {
		return out, err
	}
	// An id that no row can have would be an error of the database.
	asked := slices.DeleteFunc(slices.Clone(in.IDs), func(id string) bool { return id != memory.Visible(id) })
	rows, err := a.Store.Memories(ctx, callerOf(ctx).Tenant, store.MemoryQuery{IDs: asked})
	if err != nil {
		return out, err
	}
	byID, ids := map[string]*memory.Memory{}, []string{}
	for i := range rows {
		if !a.sees(ctx, rows[i].Scope) || where.project != "" && !where.has(rows[i].Scope) {
			continue
		}
		byID[rows[i].ID] = &rows[i]
		if rows[i].State == memory.StateActive {
			ids = append(ids, rows[i].ID)
		}
	}
	var shown []*memory.Memory
	for _, id := range in.IDs {
		if m := byID[id]; m != nil {
			shown = append(shown, m)
		}
	}
	threads, err := a.threads(ctx, shown)
	if err != nil {
		return out, err
	}
	uses, f, footers := a.uses(ctx, session, ids), newFence(), a.footers(ctx, shown)
	var texts []string
	for _, id := range in.IDs {
		m := byID[id]
		if m == nil {
			out.Missing = append(out.Missing, oneLine(id, maxID))
			continue
		}
		one := readOf(m, uses)
		if one.Content != "" {
			one.Note = strings.TrimSpace(footers[m.ID])
		}
		one.Tags = append(one.Tags, threads[m.ID]...)
		out.Memories = append(out.Memories, one)
		texts = append(texts, one.Title, one.Description, one.Content, one.Note)
		out.Notice, out.End = f.round()
	}
	out.TokensUsed = tokens(texts...)
	a.shown(ctx, session, ids)
	a.read(ctx, session, ids)
	return out, nil
}

// threads returns the tags of the workflows that memories belong to, by id (S0.2).
func (a *api) threads(ctx context.Context, list []*memory.Memory) (map[string][]string, error) {
	var ids []string
	for _, m := range list {
		if m.Scope.Kind() == memory.ScopeProject {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	links, err := a.Store.Links(ctx, callerOf(ctx).Tenant, ids...)
	tags := map[string][]string{}
	for _, l := range links {
		if l.Kind == memory.LinkWorkflow {
			tags[l.From] = append(tags[l.From], memory.TagWorkflow+l.To)
		}
	}
	return tags, err
}

// read records which memories a caller was given in full (D17). A failure does not
// fail the answer.
func (a *api) read(ctx context.Context, session string, ids []string) {
	r := store.Research{Principal: callerOf(ctx).ID, Session: session}
	for _, id := range ids {
		r.Read = append(r.Read, store.Reading{MemoryID: id, At: a.Now().UTC()})
	}
	if err := a.Store.RecordResearch(ctx, callerOf(ctx).Tenant, r); err != nil {
		a.Log.Warn("what was read is not kept", zap.Error(err))
	}
}

// readOf returns a memory for an agent. The text of an archived memory is
// omitted, because the text may be wrong or retracted. A summary that was replaced
// is shown, so that it can be put back (S2.22).
func readOf(m *memory.Memory, uses map[string]int) read {
	one := read{Card: cardOf(m, uses), Tags: []string{}, Topics: append(append([]string{}, m.Topics...), m.MacroTopics...), State: string(m.State)}
	if m.State != memory.StateActive {
		one.SuccessorID = m.SuccessorID
		if !restorable(m) {
			one.Title, one.Description, one.Content = "", "", ""
		}
		return one
	}
	for _, tag := range m.Tags {
		one.Tags = append(one.Tags, oneLine(tag, maxTitle))
	}
	return one
}
