package api

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Limits of the rows that a session's start reads. The budget of tokens bounds
// its text.
const (
	startRows       = 200 // directives, and lessons, of a scope
	startDirectives = 100 // of all scopes; the text has room for fewer
	startLessons    = 20
	startScopes     = 32 // the nearest
	startNews       = 100
)

// maxTask is the longest description of a session's task, in characters.
const maxTask = 1000

type startInput struct {
	Project   string `json:"project,omitempty" jsonschema:"Your project, such as github.com/acme/api."`
	SessionID string `json:"session_id,omitempty" jsonschema:"Your session."`
	Task      string `json:"task,omitempty" jsonschema:"What the session is about. It picks the lessons."`
}

type startOutput struct {
	Context    string   `json:"context" jsonschema:"What to know at the start, as text: directives, the active workflow, lessons and changes, fenced and at most 2,000 tokens."`
	MemoryIDs  []string `json:"memory_ids" jsonschema:"The memories that the text shows, for memory_get."`
	Since      string   `json:"since,omitempty" jsonschema:"When your last session was; what changed since is in the text. RFC 3339."`
	TokensUsed int      `json:"tokens_used" jsonschema:"Estimated tokens of the text: characters divided by 4."`
	Omitted    int      `json:"omitted" jsonschema:"How many directives, lessons and changes had no room."`
}

func startTool() (*mcp.Tool, error) {
	input, err := schemaOf[startInput](map[string]edit{"session_id": length(0, maxSession), "task": length(0, maxTask)})
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[startOutput](nil)
	return &mcp.Tool{
		Name: "session_start", Title: "Start a session",
		Description: "Tells what to know at the start of a session: rules and preferences, the active workflow, lessons, " +
			"and what changed since your last session. " +
			"For once, before the first task. It changes nothing.",
		Annotations: reads("Start a session"), InputSchema: input, OutputSchema: output,
	}, err
}

// start implements session_start.
func (a *api) start(ctx context.Context, in startInput) (startOutput, error) {
	session, err := a.sessionName(ctx, in.SessionID)
	if err != nil {
		return startOutput{}, err
	}
	b, err := a.gather(ctx, in, session)
	if err != nil {
		return startOutput{}, err
	}
	out := b.write(newFence())
	a.shown(ctx, session, out.MemoryIDs)
	return out, nil
}

// gather reads the content of a session's start. An agent waits for all of it, so what
// needs no other's result is read at the same time.
func (a *api) gather(ctx context.Context, in startInput, session string) (brief, error) {
	project, err := projectOf(ctx, in.Project)
	if err != nil {
		return brief{}, err
	}
	b := brief{project: project}
	first, now := errgroup.WithContext(ctx)
	first.Go(func() (err error) { b.workflow, b.thread, err = a.thread(now, project); return err })
	first.Go(func() (err error) {
		b.since, err = a.Store.LastServed(now, callerOf(ctx).Tenant, callerOf(ctx).ID, session)
		return err
	})
	where, err := a.viewpointOf(now, in.Project, levelAll)
	if err := errors.Join(err, first.Wait()); err != nil {
		return brief{}, err
	}
	then, now := errgroup.WithContext(ctx)
	then.Go(func() (err error) {
		b.directives, err = a.nearby(now, where, startDirectives, memory.KindRule, memory.KindPreference)
		return err
	})
	then.Go(func() (err error) { b.lessons, err = a.lessons(now, where, oneLine(in.Task, maxTask)); return err })
	then.Go(func() (err error) { b.summaries, err = a.summaries(now, where, in.Task); return err })
	then.Go(func() (err error) { b.news, err = a.changes(now, where, b.since); return err })
	err = then.Wait()
	return b, err
}

// near returns the nearest scopes, the nearest first; nil means all scopes of
// the tenant.
func (p viewpoint) near() []memory.Scope {
	return p.scopes[:min(len(p.scopes), startScopes)]
}

// nearby lists memories of these kinds with a confidence that is sufficient for
// unasked text (D30), at most most of them. The order is by distance of the scope,
// then by kind, importance and confidence.
func (a *api) nearby(ctx context.Context, where viewpoint, most int, kinds ...memory.Kind) ([]memory.Memory, error) {
	if where.nothing {
		return nil, nil
	}
	return a.Store.Newest(ctx, callerOf(ctx).Tenant, store.NewestQuery{
		Scopes: where.near(), Kinds: kinds, Each: startRows, MinConfidence: a.learning.MinForInjection,
		Order: store.ByWeight, Most: most,
	})
}

// lessons returns the lessons that help with a task, or the best ones of the
// project without a task.
func (a *api) lessons(ctx context.Context, where viewpoint, task string) ([]memory.Memory, error) {
	if task != "" && !where.nothing {
		answer, err := a.Recall.Search(ctx, recall.Question{
			Text: task, Tenant: callerOf(ctx).Tenant, Scopes: where.scopes, Limit: startLessons, Unasked: true,
			Filter: search.Filter{MinConfidence: a.learning.MinForInjection, Kinds: []memory.Kind{memory.KindStrategy, memory.KindDecision, memory.KindFact}},
		})
		if err != nil {
			return nil, err
		}
		var list []memory.Memory
		for i := range answer.Found {
			list = append(list, answer.Found[i].Memory)
		}
		return list, nil
	}
	return a.nearby(ctx, where, startLessons, memory.KindStrategy)
}

// summaries returns the topic summaries that are visible, those first whose topic the
// task names, then the newest.
func (a *api) summaries(ctx context.Context, where viewpoint, task string) ([]memory.Memory, error) {
	if where.nothing {
		return nil, nil
	}
	list, err := a.Store.Summaries(ctx, callerOf(ctx).Tenant, store.SummaryQuery{Scopes: where.near(), State: memory.StateActive, Limit: startLessons})
	if err != nil {
		return nil, err
	}
	// What is shown unasked is held to what lessons are (D30), and comes from inside.
	list = slices.DeleteFunc(list, func(m memory.Memory) bool {
		return m.Confidence < a.learning.MinForInjection || m.Authority <= memory.OriginExternal || !a.sees(ctx, m.Scope)
	})
	words := topic.Words(task)
	slices.SortStableFunc(list, func(x, y memory.Memory) int {
		return cmp.Compare(named(words, y), named(words, x))
	})
	return list, nil
}

// named is 1 for a summary whose topic a task names, else 0.
func named(words []string, m memory.Memory) int {
	if topic.Names(words, m.SummaryTopic) {
		return 1
	}
	return 0
}

// thread returns the active workflow of the project and its newest memories, those that
// may be shown unasked (D30). It has no id without an active one.
func (a *api) thread(ctx context.Context, project memory.Scope) (memory.Workflow, []memory.Memory, error) {
	if project == "" {
		return memory.Workflow{}, nil, nil
	}
	t, err := a.workflows.Active(ctx, operator(ctx), project, threadMemories)
	list := slices.DeleteFunc(t.Memories, func(m memory.Memory) bool {
		return m.Confidence < a.learning.MinForInjection || m.Authority <= memory.OriginExternal
	})
	return t.Workflow, list, err
}

// newsItem is a memory that was added or archived.
type newsItem struct {
	memory.Memory
	gone bool
}

// changes returns the memories that were added or archived since a time, the newest
// first.
func (a *api) changes(ctx context.Context, where viewpoint, since time.Time) ([]newsItem, error) {
	if since.IsZero() || where.nothing {
		return nil, nil
	}
	if where.project != "" {
		// The current directives of teams and organisations are shown beside them; all
		// their changes would be noise.
		where.scopes = []memory.Scope{where.project}
	}
	tenant, scopes := callerOf(ctx).Tenant, where.near()
	var came, left []memory.Memory
	together, now := errgroup.WithContext(ctx)
	together.Go(func() (err error) {
		came, err = a.Store.Newest(now, tenant, store.NewestQuery{Scopes: scopes, Each: startNews, Since: since})
		return err
	})
	together.Go(func() (err error) {
		left, err = a.Store.Archived(now, tenant, store.ArchivedQuery{Scopes: scopes, Since: since, Each: startNews})
		return err
	})
	if err := together.Wait(); err != nil {
		return nil, err
	}
	var all []newsItem
	for _, m := range came {
		if a.sees(ctx, m.Scope) {
			all = append(all, newsItem{m, false})
		}
	}
	for _, m := range left {
		// A memory that was added and archived since then was never shown.
		if !m.CreatedAt.After(since) && a.sees(ctx, m.Scope) {
			all = append(all, newsItem{m, true})
		}
	}
	slices.SortStableFunc(all, func(x, y newsItem) int { return y.at().Compare(x.at()) })
	return all, nil
}

// at returns when the memory was added or archived.
func (c newsItem) at() time.Time {
	if c.gone {
		return c.ArchivedAt
	}
	return c.CreatedAt
}
