package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/consolidation/merge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// ConsolidationOptions are the options of [Consolidation].
type ConsolidationOptions struct {
	// Embedder embeds texts and questions, Words single words as in [RetrievalOptions].
	Embedder, Words embed.Embedder
	// Open returns an empty index of a generation.
	Open func(context.Context, vector.Generation) (vector.Index, error)
	// Model writes the merged texts; nil joins the sources' own sentences.
	Model llm.Model
	// Siblings is a file of labelled pairs (stored, proposal, label) of which those
	// labelled "different", "conflict" and "update" must never be merged; empty looks for
	// siblings.jsonl in the data folder, then in the folder own beside it.
	Siblings string
	// Most is how many groups are merged; 0 merges all.
	Most int
	// GivenOnly merges the labelled groups and leaves out planning and probes: what a slow
	// model has time for.
	GivenOnly bool
	// Within bounds the time that the model has for all its answers; 0 is no bound. What it
	// has not answered by then is joined without it, and the report says so.
	Within time.Duration
	// Progress is called before and after each question to the model; nil is not.
	Progress func(string)
	// Threshold is the cosine above which two memories are on one theme; 0 is the cluster
	// point of the shipped calibration.
	Threshold float64
}

// ConsolidationItem is one merge with all that is needed to score it again.
type ConsolidationItem struct {
	Part    string   `json:"part"` // given or scratch
	Group   string   `json:"group"`
	Mode    string   `json:"mode,omitempty"` // of a group found from scratch: merge or theme
	Sources []string `json:"sources"`
	By      string   `json:"by,omitempty"`
	Refused string   `json:"refused,omitempty"`

	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Text        string          `json:"text,omitempty"`
	Kept        []string        `json:"kept,omitempty"` // under "Details kept"
	Dropped     []merge.Finding `json:"dropped,omitempty"`
	Repaired    bool            `json:"repaired,omitempty"`
	Fallback    bool            `json:"fallback,omitempty"`
	Answers     []string        `json:"answers,omitempty"` // of the model, as it gave them

	Specifics   int      `json:"specifics"`             // of the sources, each once
	Redirected  []string `json:"redirected,omitempty"`  // not in the text
	Unfindable  []string `json:"unfindable,omitempty"`  // not in the text, and no search for them finds it
	Invented    []string `json:"invented,omitempty"`    // details of the text that no source has
	Altered     []string `json:"altered,omitempty"`     // sentences that differ from a source's in a number or a negation
	Compression float64  `json:"compression,omitempty"` // length by that of the sources
	Restored    bool     `json:"restored"`              // undoing the change gives the same bytes
}

// Consolidation merges groups of memories that people merged, and scores what a reader
// loses: given the groups, and from scratch, where the planner finds them first (SPEC
// §18). Orders hidden in memories, altered copies and siblings are put to it as well.
// dir holds entries.jsonl and groups.jsonl, and distractors.jsonl where there is one.
func Consolidation(ctx context.Context, dir string, o ConsolidationOptions) (*ConsolidationReport, error) {
	data, err := loadConsolidation(dir, o.Siblings, o.Most)
	if err != nil {
		return nil, fmt.Errorf("eval consolidation: %w", err)
	}
	run := &consolidating{ConsolidationOptions: o, data: data, report: &ConsolidationReport{Suite: "consolidation", Embedder: o.Embedder.ID(), By: merge.ByConcatenation}}
	if o.Model != nil {
		run.report.By, run.report.Prompt = o.Model.ID(), merge.PromptVersion
	}
	steps := []func(context.Context) error{run.given, run.scratch, run.probes}
	if o.GivenOnly {
		steps = steps[:1]
	}
	if o.Within > 0 {
		run.until = time.Now().Add(o.Within)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("eval consolidation: %w", err)
		}
	}
	run.report.score()
	return run.report, nil
}

// consolidating is one measurement.
type consolidating struct {
	ConsolidationOptions
	data   *consolidationData
	report *ConsolidationReport
	down   bool      // the model did not answer
	until  time.Time // zero where the model has any time
	said   []string  // by the model, about the group in hand
	number int       // of ids made
}

// given merges the labelled groups.
func (c *consolidating) given(ctx context.Context) error {
	var items []*ConsolidationItem
	for n, g := range c.data.groups {
		if c.Model != nil {
			c.progress("group %d of %d, %s, %d memories", n+1, len(c.data.groups), g.Group, len(g.Members))
		}
		item, err := c.merge(ctx, "given", g.Group, g.Members)
		if err != nil {
			return fmt.Errorf("%s: %w", g.Group, err)
		}
		items = append(items, item)
	}
	return c.ask(ctx, "given", c.data.all(), items)
}

// scratch plans each consolidation of the labelled ones, on the memories that were
// there then, and merges what the planner found.
func (c *consolidating) scratch(ctx context.Context) error {
	if c.Threshold == 0 {
		shipped, err := Calibrate(ctx, ShippedPairs, c.Embedder)
		if err != nil {
			return err
		}
		c.Threshold = shipped.Cluster.Threshold
		c.report.Threshold = c.Threshold
	}
	for _, batch := range c.data.batches() {
		pool := c.data.pool(batch)
		texts := make([]string, len(pool))
		list := make([]consolidation.Candidate, len(pool))
		for i, id := range pool {
			list[i].Memory = c.data.memories[id]
			texts[i] = embed.Text(list[i].Memory)
		}
		vectors, err := c.Embedder.Embed(ctx, texts)
		if err != nil {
			return err
		}
		for i := range list {
			list[i].Vector = vectors[i]
		}
		config := consolidation.DefaultConfig(c.Threshold, (1+c.Threshold)/2, false)
		config.WordsAlone = c.Embedder.Dim() == 0
		plan, err := consolidation.Find(ctx, list, nil, config)
		if err != nil {
			return err
		}
		c.report.pairs(c.data, pool, plan)
		var items []*ConsolidationItem
		for n, g := range plan.Groups {
			item, err := c.merge(ctx, "scratch", fmt.Sprintf("%s#%d", batch, n+1), g.Sources())
			if err != nil {
				return err
			}
			item.Mode = string(g.Mode)
			items = append(items, item)
		}
		if err := c.ask(ctx, "scratch", pool, items); err != nil {
			return err
		}
	}
	return nil
}

// sourcesOf returns the memories with these ids.
func (c *consolidating) sourcesOf(ids []string) []merge.Source {
	out := make([]merge.Source, len(ids))
	for i, id := range ids {
		out[i] = merge.Source{Memory: c.data.memories[id]}
	}
	return out
}

// merge merges memories as the engine would, applies the change, and undoes it.
func (c *consolidating) merge(ctx context.Context, part, name string, ids []string) (*ConsolidationItem, error) {
	sources := c.sourcesOf(ids)
	item := &ConsolidationItem{Part: part, Group: name, Sources: slices.Sorted(slices.Values(ids)), Restored: true}
	c.said = nil
	m, err := c.write(ctx, sources)
	item.Answers = c.said
	var refused *merge.Refusal
	switch {
	case errors.As(err, &refused):
		item.Refused = refused.Code + ": " + refused.Reason
		if refused.Detail != "" {
			item.Refused += " (" + refused.Detail + ")"
		}
	case err != nil:
		return nil, err
	default:
		item.By, item.Title, item.Description, item.Text = m.By, m.Title, m.Description, m.Text
		item.Kept, item.Dropped, item.Repaired, item.Fallback = m.Kept, m.Dropped, m.Repaired, m.Fallback
		item.Redirected = m.Redirected
		item.Restored = c.restored(sources, m)
		item.measure(sources)
	}
	item.Specifics = len(specificsOf(sources))
	c.report.Items = append(c.report.Items, item)
	return item, nil
}

// write asks the model, as long as it answers.
func (c *consolidating) write(ctx context.Context, sources []merge.Source) (merge.Merged, error) {
	if c.Model == nil || c.down {
		return merge.Merge(ctx, sources, nil, merge.Options{})
	}
	return merge.Merge(ctx, sources, c.question, merge.Options{Model: c.Model.ID()})
}

// question asks the model, within the time that it has.
func (c *consolidating) question(ctx context.Context, system, user string) (string, error) {
	bounded := ctx
	if !c.until.IsZero() {
		var cancel context.CancelFunc
		bounded, cancel = context.WithDeadline(ctx, c.until)
		defer cancel()
	}
	began := time.Now()
	c.progress("asking, about %d tokens", (len([]rune(system+user))+3)/4)
	answer, err := c.Model.Complete(bounded, llm.Question{System: system, User: user})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case bounded.Err() != nil:
		c.down, c.report.OutOfTime = true, true
		c.progress("its time is over after %s of this question; the rest is joined without it", time.Since(began).Round(time.Second))
		return "", fmt.Errorf("%w: its time is over", merge.ErrNoAnswer)
	case err != nil:
		// A measurement does not wait for a server to recover.
		c.down = c.down || errors.Is(err, llm.ErrUnavailable)
		c.progress("no answer: %v", err)
		return "", fmt.Errorf("%w: %w", merge.ErrNoAnswer, err)
	case answer.Stop == llm.StopRefusal:
		return "", fmt.Errorf("%w: it declined", merge.ErrNoAnswer)
	}
	c.progress("answered after %s (%s)", time.Since(began).Round(100*time.Millisecond), answer.Stop)
	c.said = append(c.said, answer.Text)
	return answer.Text, nil
}

func (c *consolidating) progress(format string, args ...any) {
	if c.Progress != nil {
		c.Progress(fmt.Sprintf(format, args...))
	}
}

// restored applies the change of a merge to rows and undoes it by what the change says
// about the archived ones, and reports whether every row is byte for byte what it was.
func (c *consolidating) restored(sources []merge.Source, m merge.Merged) bool {
	act := consolidation.Act{
		Now: firstDay.Add(24 * time.Hour), RunID: "run_eval", Group: consolidation.Group{Mode: consolidation.ModeMerge},
		NewID:   func(prefix string) string { c.number++; return fmt.Sprintf("%s%026d", prefix, c.number) },
		Product: consolidation.Product{Title: m.Title, Description: m.Description, Text: m.Text, Tags: m.Tags, Confidence: m.Confidence, By: m.By},
	}
	before := map[string][]byte{}
	rows := map[string]memory.Memory{}
	for i := range sources {
		s := sources[i].Memory
		act.Group.Members = append(act.Group.Members, s.ID)
		act.Sources = append(act.Sources, consolidation.Candidate{Memory: s})
		before[s.ID], _ = json.Marshal(s)
		rows[s.ID] = s
	}
	set, product := consolidation.Apply(act)
	if len(set.MemoryUpdates) != len(rows) || product.Text != m.Text {
		return false
	}
	for _, u := range set.MemoryUpdates {
		row := apply(rows[u.ID], u)
		if row.State != memory.StateArchived || row.SuccessorID != product.ID {
			return false
		}
		row = apply(row, change.MemoryUpdate{State: memory.StateActive, Confidence: row.Confidence, SeenCount: row.SeenCount, LastConfirmed: row.LastConfirmed})
		if after, _ := json.Marshal(row); !bytes.Equal(after, before[u.ID]) {
			return false
		}
	}
	return true
}

// apply does to a row what the store does.
func apply(m memory.Memory, u change.MemoryUpdate) memory.Memory {
	m.State, m.Confidence, m.SeenCount, m.LastConfirmed = u.State, u.Confidence, u.SeenCount, u.LastConfirmed
	m.ArchivedAt, m.ArchiveReason, m.SuccessorID = u.ArchivedAt, u.ArchiveReason, u.SuccessorID
	return m
}

// ask makes questions of the details of the sources and searches before and after the
// merges: a question has its answer when its source, or what stands for it, is among
// the first ten.
func (c *consolidating) ask(ctx context.Context, part string, pool []string, items []*ConsolidationItem) error {
	before := retrievalStore{name: part + ", before"}
	after := retrievalStore{name: part + ", after"}
	successor := map[string]string{}
	for _, item := range items {
		if item.Refused != "" {
			continue
		}
		id := "merged " + item.Group
		after.docs = append(after.docs, retrievalDoc{id: id, title: item.Title, description: item.Description, text: item.Text, consolidated: true})
		for _, s := range item.Sources {
			successor[s] = id
		}
	}
	type asked struct {
		item *ConsolidationItem
		key  string
	}
	var details []asked // of questions about what a text left out
	for _, id := range pool {
		m := c.data.memories[id]
		doc := retrievalDoc{id: id, title: m.Title, description: m.Description, text: m.Text}
		before.docs = append(before.docs, doc)
		doc.successor = successor[id]
		after.docs = append(after.docs, doc)
		if doc.successor == "" {
			continue
		}
		for n, q := range questionsOf(m, mostQuestions) {
			name := fmt.Sprintf("%s?%d", id, n)
			before.questions = append(before.questions, retrievalQuestion{id: name, query: q, category: part, evidence: []string{id}})
			after.questions = append(after.questions, retrievalQuestion{id: name, query: q, category: part, evidence: []string{doc.successor}})
		}
	}
	for _, item := range items {
		for _, key := range item.Redirected {
			q, ok := questionFor(c.sourcesOf(item.Sources), key)
			if !ok {
				continue
			}
			details = append(details, asked{item, key})
			after.questions = append(after.questions, retrievalQuestion{id: fmt.Sprintf("detail %d", len(details)-1), query: q, category: "detail", evidence: []string{"merged " + item.Group}})
		}
	}
	r, err := newRetrievalRun(ctx, RetrievalOptions{Embedder: c.Embedder, Words: c.Words, Open: c.Open, Alone: true})
	if err != nil {
		return err
	}
	for n, s := range []*retrievalStore{&before, &after} {
		if err := r.store(ctx, n, s); err != nil {
			return err
		}
	}
	for _, q := range r.items {
		if q.Category != "detail" {
			c.report.asked = append(c.report.asked, askedOnce{part: part, after: q.Store == after.name, found: q.Recall10})
			continue
		}
		n := 0
		if _, err := fmt.Sscanf(q.QID, "detail %d", &n); err != nil {
			return err
		}
		if q.Recall10 == 0 {
			details[n].item.Unfindable = append(details[n].item.Unfindable, details[n].key)
		}
	}
	return nil
}
