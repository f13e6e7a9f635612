package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
)

// protocolText is the research protocol, in the description of the tools that write a
// summary (S2.26): the effort is intended, because a wrong summary is worse than none
// (S2.27).
const protocolText = "Every later session reads a summary first and believes it, so it must reflect all that is stored on the topic. " +
	"Before: search the topic with memory_search, depth deep, limit 100; read at least 20 of its memories with memory_get, " +
	"and the present summary, to extend it. This is checked, by session_id. " +
	"Then write 300 to 500 tokens (at least 200) that stand alone: what the topic is and why, state and key decisions, " +
	"major solved problems, open questions. Name nothing that no memory has. " +
	"The topic needs 10 memories. The old summary is archived; restore_id puts it back. "

type summarizeInput struct {
	Topic     string `json:"topic,omitempty" jsonschema:"Topic that is summarised, such as auth. Needed unless restore_id names an archived summary."`
	Content   string `json:"content,omitempty" jsonschema:"The summary: 200 to 4000 tokens, 300 to 500 are best."`
	RestoreID string `json:"restore_id,omitempty" jsonschema:"Instead of content: id of an archived summary to put back."`
	Project   string `json:"project,omitempty" jsonschema:"Project that the topic belongs to, such as github.com/acme/api. Needed only where several have the topic."`
	SessionID string `json:"session_id,omitempty" jsonschema:"Your session, the same as in the searches before."`
}

// summaryOutput is the result of a summary.
type summaryOutput struct {
	Message    string   `json:"message" jsonschema:"What happened, in words."`
	ID         string   `json:"id" jsonschema:"Id of the summary in force."`
	Topic      string   `json:"topic" jsonschema:"Its topic, as it is stored."`
	Scope      string   `json:"scope" jsonschema:"Where the topic belongs."`
	Memories   int      `json:"memory_count" jsonschema:"Memories on the topic now; the summary is stale when they change by a fifth."`
	Tokens     int      `json:"tokens" jsonschema:"Estimated tokens of the summary."`
	ReplacedID string   `json:"replaced_id,omitempty" jsonschema:"The summary that was archived."`
	RestoredID string   `json:"restored_id,omitempty" jsonschema:"The archived summary whose text was put back."`
	Notes      []string `json:"notes,omitempty" jsonschema:"What was let pass although it should not be."`
}

// Bounds of the arguments, in characters.
const (
	maxSummary = 4 * topic.MaxTokens
	maxAround  = 2000 // what an agent may paste with a summary: fence, footer, warning
)

func summarizeEdits() map[string]edit {
	return map[string]edit{
		"topic": length(0, topic.MaxName), "content": length(0, maxSummary+maxAround), "restore_id": length(0, maxID), "session_id": length(0, maxSession),
	}
}

func summarizeTool() (*mcp.Tool, error) {
	input, err := schemaOf[summarizeInput](summarizeEdits())
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[summaryOutput](nil)
	return &mcp.Tool{
		Name: "memory_summarize", Title: "Summarise a topic",
		Description: "Stores the executive summary of a topic. " + protocolText,
		Annotations: merges("Summarise a topic"), InputSchema: input, OutputSchema: output,
	}, err
}

// summarizeTries is how often a summary is decided again when another author stored
// one at the same moment.
const summarizeTries = 3

// summarize implements memory_summarize, and memory_consolidate with a topic (D16).
func (a *api) summarize(ctx context.Context, in summarizeInput) (summaryOutput, error) {
	session, err := a.sessionName(ctx, in.SessionID)
	if err != nil {
		return summaryOutput{}, err
	}
	t, err := a.topicOf(ctx, in)
	if err != nil {
		return summaryOutput{}, err
	}
	who := callerOf(ctx)
	research, err := a.research(ctx, session)
	if err != nil {
		return summaryOutput{}, err
	}
	// An agent's words are at most a statement of an agent, whoever it works for.
	origin, _ := memory.Clamp(memory.OriginAgent, who.Highest)
	for try := 1; ; try++ {
		d := review.Decider{
			Stamp:  review.Stamp{Tenant: who.Tenant, Person: who.ID, Now: a.Now().UTC().Truncate(time.Microsecond), NewID: a.NewID},
			Store:  a.Store,
			Redact: func(text string) string { clean, _ := a.Redactor.Text(string(who.Tenant), text); return clean },
		}
		effect, done, err := d.Summarise(ctx, review.Summary{
			Topic: t, Content: memory.Visible(in.Content), RestoreID: strings.TrimSpace(in.RestoreID), Session: session, Research: &research,
			Protocol: a.summary.Protocol, Origin: origin, Confidence: a.learning.InitialExplicit,
		})
		if err != nil {
			return summaryOutput{}, err
		}
		_, err = a.Store.Commit(ctx, who.Tenant, effect.Set, store.InboxKey{})
		switch {
		case errors.Is(err, store.ErrConflict) && try < summarizeTries:
			continue
		case errors.Is(err, store.ErrConflict):
			return summaryOutput{}, request("another summary of %s is being stored; read it with memory_search, topic %s, and extend it", t.Name, t.Name)
		case err != nil:
			return summaryOutput{}, fmt.Errorf("commit: %w", err)
		}
		a.Publisher.Wake()
		return summarised(done), nil
	}
}

func summarised(done review.Summarised) summaryOutput {
	out := summaryOutput{
		ID: done.ID, Topic: done.Name, Scope: done.Scope, Memories: done.Memories, Tokens: done.Tokens, ReplacedID: done.Replaced,
		RestoredID: done.Restored, Notes: done.Notes,
		Message: fmt.Sprintf("The summary of %s is stored; it stands for %d memories.", done.Name, done.Memories),
	}
	if done.Restored != "" {
		out.Message = fmt.Sprintf("The summary %s of %s is put back.", done.Restored, done.Name)
	}
	if done.Replaced != "" {
		out.Message += " The one before is archived as " + done.Replaced + "."
	}
	return out
}

// research reads what the caller searched and read, after what this process is still
// recording of it.
func (a *api) research(ctx context.Context, session string) (topic.Research, error) {
	who := callerOf(ctx)
	a.Recall.Recorded(ctx, who.ID, session)
	stored, err := a.Store.Research(ctx, who.Tenant, who.ID, session, a.Now().UTC().Add(-topic.Window))
	r := topic.Research{Read: make(map[string]bool, len(stored.Read))}
	for _, s := range stored.Searches {
		r.Deep = append(r.Deep, topic.Searched{Topic: s.Topic, Words: s.Words})
	}
	for _, m := range stored.Read {
		r.Read[m.MemoryID] = true
	}
	return r, err
}

// topicOf returns the topic that is meant and its scope: that of the project, else the
// only visible scope that has the topic.
func (a *api) topicOf(ctx context.Context, in summarizeInput) (store.Topic, error) {
	name, err := topicName(in.Topic)
	if err != nil {
		return store.Topic{}, err
	}
	scope, err := projectOf(ctx, in.Project)
	if err != nil {
		return store.Topic{}, err
	}
	if in.RestoreID != "" && (name == "" || scope == "") {
		m, err := a.archivedSummary(ctx, strings.TrimSpace(in.RestoreID), in.Project)
		if err != nil {
			return store.Topic{}, err
		}
		if name == "" || name == m.SummaryTopic {
			return store.Topic{Scope: m.Scope, Name: m.SummaryTopic}, nil
		}
	}
	if name == "" {
		return store.Topic{}, request("topic: name the topic that the content summarises, such as auth")
	}
	if scope != "" {
		return store.Topic{Scope: scope, Name: name}, nil
	}
	scopes, err := a.scopesOf(ctx, name)
	switch {
	case err != nil:
		return store.Topic{}, err
	case len(scopes) > 1:
		return store.Topic{}, request("project: the topic %s is in %s; name the project that is meant", name, strings.Join(scopes, ", "))
	case len(scopes) == 1:
		return store.Topic{Scope: memory.Scope(scopes[0]), Name: name}, nil
	}
	scope, err = projectOrDefault(ctx, "")
	return store.Topic{Scope: scope, Name: name}, err
}

// archivedSummary returns a summary by its id. One that the caller must not see is
// unknown to it.
func (a *api) archivedSummary(ctx context.Context, id, project string) (memory.Memory, error) {
	if _, err := memory.ParseID(id, memory.PrefixMemory); err == nil {
		sees, err := a.from(ctx, project)
		if err != nil {
			return memory.Memory{}, err
		}
		m, err := a.Store.Memory(ctx, callerOf(ctx).Tenant, id)
		if err == nil && m.SummaryTopic != "" && sees(m.Scope) && callerOf(ctx).MayAct(m.Scope) {
			return m, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return m, err
		}
	}
	return memory.Memory{}, request("restore_id: there is no archived summary %s; find one with memory_search, kind summary_archived", oneLine(id, maxID))
}

// scopesOf returns the scopes of the caller that have a topic or a summary of it, in order.
func (a *api) scopesOf(ctx context.Context, name string) ([]string, error) {
	tenant := callerOf(ctx).Tenant
	lines, err := a.Store.TopicList(ctx, tenant, store.TopicListQuery{Name: name, Least: 1})
	if err != nil {
		return nil, err
	}
	summaries, err := a.Store.Summaries(ctx, tenant, store.SummaryQuery{Topic: name})
	if err != nil {
		return nil, err
	}
	var scopes []string
	for _, t := range lines {
		scopes = append(scopes, string(t.Scope))
	}
	for _, m := range summaries {
		scopes = append(scopes, string(m.Scope))
	}
	scopes = slices.DeleteFunc(scopes, func(s string) bool { return !a.sees(ctx, memory.Scope(s)) || !callerOf(ctx).MayAct(memory.Scope(s)) })
	slices.Sort(scopes)
	return slices.Compact(scopes), nil
}

// maxChecked is how many summaries of one answer are compared with their topics
// (S2.12); more than one or two are rarely in one.
const maxChecked = 2

// footers returns what follows the text of each summary of an answer, by id: its
// footer, and a warning where its topic has changed since (S2.9–S2.12). Without a
// summary in the answer nothing is read. An answer without the warning is better than
// an error.
func (a *api) footers(ctx context.Context, list []*memory.Memory) map[string]string {
	var checked []store.Topic
	for _, m := range list {
		if m.Kind == memory.KindSummary && m.SummaryTopic != "" && len(checked) < maxChecked {
			checked = append(checked, store.Topic{Scope: m.Scope, Name: m.SummaryTopic})
		}
	}
	var counts map[store.Topic]int
	if len(checked) > 0 {
		var err error
		if counts, err = a.Store.TopicCounts(ctx, callerOf(ctx).Tenant, checked...); err != nil {
			a.Log.Warn("whether a summary is stale is not known", zap.Error(err))
			checked = nil
		}
	}
	out := map[string]string{}
	add := func(id, line string) {
		if line != "" {
			out[id] += "\n" + line
		}
	}
	for _, m := range list {
		if m.Kind != memory.KindSummary && m.Kind != memory.KindSummaryArchived {
			continue
		}
		add(m.ID, topic.Footer(m))
		if m.Kind != memory.KindSummary {
			continue
		}
		if m.SummaryAt.IsZero() {
			add(m.ID, topic.Warning(m, 0))
		}
		for _, t := range checked {
			if t.Scope == m.Scope && t.Name == m.SummaryTopic {
				add(m.ID, topic.Warning(m, counts[t]))
				break
			}
		}
	}
	return out
}
