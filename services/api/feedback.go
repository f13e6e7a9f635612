package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/confidence/ledger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// maxComment is the longest comment of feedback, in characters.
const maxComment = 1000

// feedbackInput is the seed's input (S4.5), with the agent's session.
type feedbackInput struct {
	MemoryID  string `json:"memory_id" jsonschema:"Id, as a search gave it."`
	Helpful   bool   `json:"helpful" jsonschema:"False where it was wrong, outdated or beside the point."`
	Comment   string `json:"comment,omitempty" jsonschema:"Why. No secrets."`
	Project   string `json:"project,omitempty" jsonschema:"Your project."`
	SessionID string `json:"session_id,omitempty" jsonschema:"Your session. A repeat in it counts once."`
}

// feedbackOutput is the seed's output (S4.5).
type feedbackOutput struct {
	Success       bool    `json:"success" jsonschema:"True: it was understood."`
	NewConfidence float64 `json:"new_confidence" jsonschema:"How sure Winnow is of the memory now, 0 to 1."`
	Message       string  `json:"message" jsonschema:"What happened, in words."`
}

func feedbackTool() (*mcp.Tool, error) {
	input, err := schemaOf[feedbackInput](map[string]edit{
		"memory_id": length(1, maxID), "comment": length(0, maxComment), "project": length(0, memory.MaxScope), "session_id": length(0, maxSession),
	})
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[feedbackOutput](nil)
	return &mcp.Tool{
		Name: "memory_feedback", Title: "Say whether a memory helped",
		Description: "Tells whether a memory from a search helped. What helped ranks higher later, what misled lower. Meant for right after its use.",
		Annotations: adds("Say whether a memory helped"), InputSchema: input, OutputSchema: output,
	}, err
}

// feedback implements memory_feedback.
func (a *api) feedback(ctx context.Context, in feedbackInput) (feedbackOutput, error) {
	session, err := a.sessionName(ctx, in.SessionID)
	if err != nil {
		return feedbackOutput{}, err
	}
	comment := memory.Visible(strings.TrimSpace(in.Comment))
	if comment != "" {
		// The table is one like any other: secrets are redacted before the commit.
		comment = a.Redactor.Stream(string(callerOf(ctx).Tenant)).Text(comment)
	}
	confidence, counted, err := a.observe(ctx, in.MemoryID, in.Project, confidence.Observation{
		Type: memory.SignalExplicit, Positive: in.Helpful, Share: 1, Session: session, Note: clip(comment, maxComment),
	})
	if err != nil {
		return feedbackOutput{}, err
	}
	return feedbackOutput{Success: true, NewConfidence: confidence, Message: said("Feedback recorded", counted)}, nil
}

// outcomeInput is the seed's input (S4.7).
type outcomeInput struct {
	MemoryID  string `json:"memory_id" jsonschema:"Id of the memory that was used."`
	Succeeded bool   `json:"succeeded" jsonschema:"Whether the task succeeded."`
	Project   string `json:"project,omitempty" jsonschema:"Your project."`
	SessionID string `json:"session_id,omitempty" jsonschema:"Your session. A repeat in it counts once."`
}

// outcomeOutput is the seed's output (S4.7).
type outcomeOutput struct {
	Recorded      bool    `json:"recorded" jsonschema:"True: it was understood."`
	NewConfidence float64 `json:"new_confidence" jsonschema:"How sure Winnow is of the memory now, 0 to 1."`
	Message       string  `json:"message" jsonschema:"What happened, in words."`
}

func outcomeTool() (*mcp.Tool, error) {
	input, err := schemaOf[outcomeInput](map[string]edit{"memory_id": length(1, maxID), "project": length(0, memory.MaxScope), "session_id": length(0, maxSession)})
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[outcomeOutput](nil)
	return &mcp.Tool{
		Name: "memory_outcome", Title: "Report how the task ended",
		Description: "Reports whether a task succeeded after a memory was used for it. " +
			"Meant for the end of the task, once for each memory used.",
		Annotations: adds("Report how the task ended"), InputSchema: input, OutputSchema: output,
	}, err
}

// outcome implements memory_outcome.
func (a *api) outcome(ctx context.Context, in outcomeInput) (outcomeOutput, error) {
	session, err := a.sessionName(ctx, in.SessionID)
	if err != nil {
		return outcomeOutput{}, err
	}
	confidence, counted, err := a.observe(ctx, in.MemoryID, in.Project, confidence.Observation{
		Type: memory.SignalOutcome, Positive: in.Succeeded, Share: 1, Session: session,
	})
	if err != nil {
		return outcomeOutput{}, err
	}
	return outcomeOutput{Recorded: true, NewConfidence: confidence, Message: said("Outcome recorded", counted)}, nil
}

// said returns the seed's message, with the reason when nothing changed.
func said(message string, counted bool) string {
	if counted {
		return message
	}
	return message + " before: the same in one session, or more than a few in a day, count once."
}

// observeTries bounds how often an observation is decided again, because another one
// changed the memory meanwhile.
const observeTries = 20

// observe records the caller's observation about a memory and returns the memory's
// confidence after it. counted is false for a repeat, which changes nothing.
func (a *api) observe(ctx context.Context, id, project string, o confidence.Observation) (now float64, counted bool, err error) {
	o.Who, o.At = callerOf(ctx), a.Now().UTC().Truncate(time.Microsecond)
	for n := 0; ; n++ {
		now, counted, err = a.observeOnce(ctx, id, project, o)
		if !errors.Is(err, store.ErrConflict) || n == observeTries {
			break
		}
	}
	if errors.Is(err, store.ErrConflict) {
		return 0, false, errAway
	}
	return now, counted, err
}

func (a *api) observeOnce(ctx context.Context, id, project string, o confidence.Observation) (float64, bool, error) {
	m, err := a.about(ctx, id, project)
	if err != nil {
		return 0, false, err
	}
	ledgers, err := ledger.Open(ctx, a.Store, o.Who.Tenant, o.Who.ID, m)
	if err != nil {
		return 0, false, err
	}
	l := ledgers[m.ID]
	r := confidence.Recorder{Config: a.learning, NewID: a.NewID}
	if !r.Record(l, o) {
		return m.Confidence, false, nil
	}
	if _, err := a.Store.Commit(ctx, o.Who.Tenant, r.Set, store.InboxKey{}); err != nil {
		return 0, false, fmt.Errorf("commit: %w", err)
	}
	a.Publisher.Wake()
	return l.Memory.Confidence, true, nil
}

// about returns the memory that an observation is about. One that the caller cannot see
// is unknown to it. An archived one learns nothing any more.
func (a *api) about(ctx context.Context, id, project string) (memory.Memory, error) {
	if _, err := memory.ParseID(id, memory.PrefixMemory); err != nil || id != memory.Visible(id) {
		return memory.Memory{}, fmt.Errorf("memory_id: %w; take the id from memory_search", errNotFound)
	}
	sees, err := a.from(ctx, project)
	if err != nil {
		return memory.Memory{}, err
	}
	m, err := a.Store.Memory(ctx, callerOf(ctx).Tenant, id)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && !sees(m.Scope):
		return memory.Memory{}, fmt.Errorf("memory_id: %w; take the id from memory_search", errNotFound)
	case err != nil:
		return memory.Memory{}, err
	case m.State != memory.StateActive && m.SuccessorID != "":
		return memory.Memory{}, request("memory_id: this memory was replaced by %s; read that one with memory_get", m.SuccessorID)
	case m.State != memory.StateActive:
		return memory.Memory{}, request("memory_id: this memory is archived; search for what holds now")
	}
	return m, nil
}
