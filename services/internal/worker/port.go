package worker

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/store/signed"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Needs names the ports that a worker uses in addition to those that every worker
// has. A process opens only the ports that its workers need, and each worker gets
// only the ports that it names here.
type Needs struct {
	Vault  bool // the files: MEMORY.md and its history
	Index  bool // the similarity index and its source of truth
	Recall bool // the search over the index
	Traces bool // sessions published by reference
	Signer bool // the key of the audit's heads
	// Meaning is the static embedding table, which compares texts without a network.
	Meaning bool
	// Model returns the language model to use, by the settings. Nil means none.
	Model func(Configured) ModelChoice
}

// ModelChoice is one worker's use of a language model.
type ModelChoice struct {
	Name         string        // as the server at llm.url names it; empty is llm.model
	Timeout      time.Duration // of one request
	AnswerTokens int           // the limit of an answer's length
}

// Ports holds the ports that workers request by [Needs]. A port that was not
// requested is nil. Vault and Model are also nil when none is configured, and Meaning
// when texts are compared by words alone.
type Ports struct {
	// Vault opens a tenant's vault.
	Vault func(memory.Tenant) (vault.Vault, error)
	// Index finds memories by words and meaning; Truth is the index's source.
	Index vector.Backend
	Truth *indexing.Truth
	// Recall finds memories for agents.
	Recall *recall.Recall
	// Traces opens traces that were published by reference.
	Traces bus.Traces
	// Signer signs heads of the audit; nil where no key is configured.
	Signer *signed.Key
	// Meaning is always the static table, never a model behind a network, even when
	// search uses one.
	Meaning embed.Embedder
	// Model is the language model that the worker chose.
	Model llm.Model
}

// Of returns the subset of all that n requests.
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
	if n.Signer {
		p.Signer = all.Signer
	}
	if n.Meaning {
		p.Meaning = all.Meaning
	}
	if n.Model != nil {
		p.Model = all.Model
	}
	return p
}
