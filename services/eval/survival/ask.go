package survival

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/weekly"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm"
)

//go:embed lists
var lists embed.FS

// Asked is what a real model answered to the weekly question about a list that ships, and
// what the gates made of it.
type Asked struct {
	Suite    string `json:"suite"`
	Language string `json:"language"` // detected from the list (D11)
	Prompt   string `json:"prompt"`   // version of the wording
	Model    string `json:"model"`
	Tokens   int    `json:"tokens"` // of the question, at four characters each
	Answer   string `json:"answer"`
	Stop     string `json:"stop,omitempty"` // why the answer ended: a cut one is no JSON

	Valid    bool             `json:"valid"`
	Gate     string           `json:"gate,omitempty"` // that refused the answer
	Reason   string           `json:"reason,omitempty"`
	Before   int              `json:"before_count"`
	After    int              `json:"after_count"`
	Merged   []string         `json:"merged,omitempty"` // the texts of the new memories
	Archived []weekly.Archive `json:"archived,omitempty"`
	Refused  []weekly.Refused `json:"refused,omitempty"`
}

// listLine is one memory of a list. Age is in days.
type listLine struct {
	Category, Text string
	Kind           memory.Kind
	Authority      memory.Origin
	Age, Seen      int
}

// AskOptions say what a model is asked. The zero value asks about the English list.
type AskOptions struct {
	List         string        // "en" or "de", lists that ship; empty is "en"
	Most         int           // memories of the list; 0 is all
	AnswerTokens int           // 0 is 1,500
	Within       time.Duration // that the model has; 0 is any
}

// Ask puts the weekly question about a list that ships to a model. A model that has not
// answered in its time gives a report that says so.
func Ask(ctx context.Context, model llm.Model, o AskOptions) (*Asked, error) {
	memories, err := readList(cmp.Or(o.List, "en"))
	if err != nil {
		return nil, fmt.Errorf("eval weekly: %w", err)
	}
	if o.Most > 0 {
		memories = memories[:min(o.Most, len(memories))]
	}
	language := weekly.Language("", memories)
	q := weekly.Prompt(memories, weekly.PromptOptions{Language: language, Now: yearStart, Nonce: "k3vq9x7m2p5t8w1z"})
	a := &Asked{Suite: "weekly", Language: language, Prompt: q.Version, Model: model.ID(), Tokens: (len([]rune(q.System+q.User)) + 3) / 4, Before: len(memories), After: len(memories)}
	bounded := ctx
	if o.Within > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, o.Within)
		defer cancel()
	}
	answer, err := model.Complete(bounded, llm.Question{System: q.System, User: q.User, Schema: q.Schema, SchemaName: weekly.SchemaName, MaxTokens: cmp.Or(o.AnswerTokens, 1500)})
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		a.Gate, a.Reason = "time", fmt.Sprintf("no answer within %s", o.Within)
		return a, nil
	}
	if err != nil {
		return nil, fmt.Errorf("eval weekly: %w", err)
	}
	a.Answer, a.Stop = answer.Text, string(answer.Stop)
	out, err := weekly.Decide(weekly.Input{Now: yearStart, Memories: memories, Question: q, Answer: answer.Text})
	var invalid *weekly.InvalidError
	switch {
	case errors.As(err, &invalid):
		a.Gate, a.Reason = string(invalid.Gate), invalid.Reason
		return a, nil
	case err != nil:
		return nil, fmt.Errorf("eval weekly: %w", err)
	}
	a.Valid, a.Reason, a.After, a.Archived, a.Refused = true, out.Note, out.After, out.Archives, out.Refused
	for _, m := range out.Merges {
		a.Merged = append(a.Merged, m.Merged.Text)
	}
	return a, nil
}

func readList(name string) ([]memory.Memory, error) {
	raw, err := lists.ReadFile("lists/" + name + ".jsonl")
	if err != nil {
		return nil, fmt.Errorf("list %q: want en or de", name)
	}
	var out []memory.Memory
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		l := listLine{Kind: memory.KindFact, Authority: memory.OriginFirstParty, Seen: 1}
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("list %s: %w", name, err)
		}
		at := yearStart.Add(-time.Duration(l.Age) * 24 * time.Hour)
		out = append(out, memory.Memory{
			ID: fmt.Sprintf("mem_%026d", len(out)+1), Tenant: memory.DefaultTenant, Scope: yearScope, State: memory.StateActive, Kind: l.Kind,
			Text: l.Text, Category: l.Category, Importance: 5, Confidence: 0.7, Origin: l.Authority, Authority: l.Authority,
			SeenCount: l.Seen, CreatedAt: at, LastConfirmed: at,
		})
	}
}
