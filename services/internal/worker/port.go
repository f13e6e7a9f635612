package worker

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Needs says which ports a worker uses beside those that every worker has. A
// process opens what its workers need and nothing else, and hands a worker only what
// it names here.
type Needs struct {
	Vault  bool // the files: MEMORY.md and its history
	Index  bool // the similarity index, and what it is filled from
	Recall bool // the search over it
	Traces bool // sessions that came by reference
	// Meaning is the static table, which compares texts without a network.
	Meaning bool
	// Model asks for a language model: the function says which one, by the
	// settings. Nil asks for none.
	Model func(Configured) ModelChoice
}

// ModelChoice is a language model as one worker uses it.
type ModelChoice struct {
	Name         string        // as the server at llm.url names it; empty is llm.model
	Timeout      time.Duration // of one question
	AnswerTokens int           // the most that an answer may have
}

// Ports are what workers ask for by [Needs]. A port that was not asked for is nil;
// Vault and Model are nil as well where none is configured, and Meaning where texts
// are compared by words alone.
type Ports struct {
	// Vault opens a tenant's vault.
	Vault func(memory.Tenant) (vault.Vault, error)
	// Index finds memories by words and meaning; Truth is what it is filled from.
	Index vector.Backend
	Truth *indexing.Truth
	// Recall finds memories for agents.
	Recall *recall.Recall
	// Traces opens traces that came by reference.
	Traces bus.Traces
	// Meaning is the static table, whichever model serves search: never one behind
	// a network.
	Meaning embed.Embedder
	// Model is asked in the way that the worker chose.
	Model llm.Model
}

// Of returns those of all ports that n asks for.
func (n Needs) Of(all Ports) Ports {
	var p Ports
	if n.Vault {
		p.Vault = all.Vault
	}
	if n.Index {
		p.Index, p.Truth = all.Index, all.Truth
	}
	if n.Recall {
		p.Recall = all.Recall
	}
	if n.Traces {
		p.Traces = all.Traces
	}
	if n.Meaning {
		p.Meaning = all.Meaning
	}
	if n.Model != nil {
		p.Model = all.Model
	}
	return p
}
