package topics

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Store is the part of the canonical store that topics need.
type Store interface {
	store.Committer
	review.Store
}

// Desk carries out operations on topics of one tenant in the name of a person. It is
// safe for concurrent use.
type Desk struct {
	Store    Store
	Redactor *redact.Redactor
	Tenant   memory.Tenant
	Person   string
	Now      func() time.Time
	NewID    func(prefix string) string
	// Model writes drafts; nil for none.
	Model llm.Model
}

// Draft is what a model wrote, and Stored a summary in force.
type (
	Draft  = topic.Draft
	Stored = review.Summarised
)

// ErrNoModel says that a draft needs a language model.
var ErrNoModel = errors.New("no language model is configured (llm.url, llm.model): read the topic with " +
	"`winnow search TOPIC --deep --limit 100`, write the summary into a file and store it with `winnow summarize --topic TOPIC --file FILE`")

// Line is a topic as a list shows it.
type Line struct {
	Topic     string    `json:"topic"`
	Scope     string    `json:"scope"`
	Memories  int       `json:"memories"`
	Sessions  int       `json:"sessions"`
	Newest    time.Time `json:"newest,omitzero"`
	Summary   string    `json:"summary,omitempty"` // id
	WrittenAt time.Time `json:"written_at,omitzero"`
	From      int       `json:"written_from,omitempty"` // memories
	Due       string    `json:"due,omitempty"`          // why a summary should be written or renewed
}

// List lists topics, the largest first, of one scope or (empty) of all. least is how
// many memories a topic must have; due leaves out those whose summary is not due
// (S2.24).
func (d *Desk) List(ctx context.Context, scope string, least, limit int, due bool) ([]Line, error) {
	q := store.TopicListQuery{Least: least, Limit: limit}
	if scope != "" {
		s, err := memory.ParseScope(scope)
		if err != nil {
			return nil, err
		}
		q.Scopes = []memory.Scope{s}
	}
	if due { // what is not due is left out after the read
		q.Least, q.Limit = max(least, topic.MinMemories), 10_000
	}
	rows, err := d.Store.TopicList(ctx, d.Tenant, q)
	if err != nil {
		return nil, fmt.Errorf("list topics: %w", err)
	}
	lines := []Line{}
	for _, t := range rows {
		l := Line{
			Topic: t.Name, Scope: string(t.Scope), Memories: t.Memories, Sessions: t.Sessions, Newest: t.Newest,
			Summary: t.SummaryID, WrittenAt: t.SummaryAt, From: t.SummaryCount,
			Due: topic.Due(t.Memories, t.Sessions, t.SummaryID != "", !t.SummaryAt.IsZero(), t.SummaryCount),
		}
		if (!due || l.Due != "") && (limit <= 0 || len(lines) < limit) {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// Find returns a topic by its name, in the given scope or the only one that has it.
func (d *Desk) Find(ctx context.Context, name, scope string) (store.Topic, error) {
	t := store.Topic{Name: topic.Name(name)}
	if t.Name == "" {
		return t, fmt.Errorf("topic %q: give one to three words, at most %d characters", name, topic.MaxName)
	}
	if scope != "" {
		var err error
		t.Scope, err = memory.ParseScope(scope)
		return t, err
	}
	rows, err := d.Store.TopicList(ctx, d.Tenant, store.TopicListQuery{Name: t.Name, Least: 1})
	switch {
	case err != nil:
		return t, fmt.Errorf("find the topic: %w", err)
	case len(rows) == 0:
		return t, fmt.Errorf("no memory has the topic %s; winnow topics lists those that there are, and --scope names one whose memories are gone", t.Name)
	case len(rows) > 1:
		var scopes []string
		for _, r := range rows {
			scopes = append(scopes, string(r.Scope))
		}
		return t, fmt.Errorf("the topic %s is in %s; choose one with --scope", t.Name, strings.Join(scopes, ", "))
	}
	t.Scope = rows[0].Scope
	return t, nil
}

// Draft lets the model write a summary from the whole topic, and stores nothing.
func (d *Desk) Draft(ctx context.Context, t store.Topic) (Draft, error) {
	if d.Model == nil {
		return Draft{}, ErrNoModel
	}
	c, err := d.decider().Corpus(ctx, t)
	if err != nil {
		return Draft{}, err
	}
	return d.write(ctx, c)
}

func (d *Desk) write(ctx context.Context, c topic.Corpus) (Draft, error) {
	return topic.Write(ctx, c, "data-"+strings.ToLower(rand.Text()), d.Now(), func(ctx context.Context, system, user string) (string, error) {
		// Secrets are replaced before a model sees a text, whatever was done at intake.
		answer, err := d.Model.Complete(ctx, llm.Question{System: system, User: d.redacted(user)})
		if err != nil {
			return "", fmt.Errorf("ask the model: %w", err)
		}
		return answer.Text, nil
	})
}

// StoreDraft lets the model write a summary and puts it in force. No model raises
// authority: the summary is worth what the least trusted memory of the topic is.
func (d *Desk) StoreDraft(ctx context.Context, t store.Topic) (Draft, Stored, error) {
	if d.Model == nil {
		return Draft{}, Stored{}, ErrNoModel
	}
	c, err := d.decider().Corpus(ctx, t)
	if err != nil {
		return Draft{}, Stored{}, err
	}
	draft, err := d.write(ctx, c)
	if err != nil {
		return draft, Stored{}, err
	}
	// Of a model's words none is a person's, even where all memories are.
	origin := memory.OriginFirstParty
	for _, m := range c.Members {
		origin = memory.Least(origin, m.Authority)
	}
	done, err := d.put(ctx, review.Summary{Topic: t, Content: draft.Content, Origin: origin, Confidence: draftConfidence})
	return draft, done, err
}

// draftConfidence is that of an explicit record (S4.31).
const draftConfidence = 0.8

// Put puts a person's summary in force, or with restoreID an archived one.
func (d *Desk) Put(ctx context.Context, t store.Topic, content, restoreID string) (Stored, error) {
	return d.put(ctx, review.Summary{
		Topic: t, Content: content, RestoreID: restoreID, Origin: memory.OriginHuman, Confidence: review.HumanConfidence,
	})
}

func (d *Desk) put(ctx context.Context, s review.Summary) (Stored, error) {
	effect, done, err := d.decider().Summarise(ctx, s)
	if err != nil {
		return done, err
	}
	if _, err := d.Store.Commit(ctx, d.Tenant, effect.Set, store.InboxKey{}); err != nil {
		return done, fmt.Errorf("commit: %w", err)
	}
	return done, nil
}

func (d *Desk) decider() *review.Decider {
	return &review.Decider{
		Stamp:  review.Stamp{Tenant: d.Tenant, Person: d.Person, Now: d.Now().UTC().Truncate(time.Microsecond), NewID: d.NewID},
		Store:  d.Store,
		Redact: d.redacted,
	}
}

func (d *Desk) redacted(text string) string {
	clean, _ := d.Redactor.Text(string(d.Tenant), text)
	return clean
}
