package merge

import (
	"context"
	"errors"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Source is one memory of a cluster.
type Source struct {
	memory.Memory
	Usage int // how often it was served, 0 or more
}

// Ask asks a model one question and returns its answer. An error that wraps
// [ErrNoAnswer] makes [Merge] join the sources' own sentences instead; any other
// error is returned by Merge unchanged, so that the caller may try again later.
type Ask func(ctx context.Context, system, user string) (string, error)

// ErrNoAnswer is for an [Ask] that will not be answered by trying again: the model
// declined, or was unavailable for too long.
var ErrNoAnswer = errors.New("the model gave no answer")

// The modes of the gate.
const (
	GateEnforce = "enforce" // sentences that fail are dropped
	GateWarn    = "warn"    // sentences that fail stay and are reported
)

// By of a text that no model wrote.
const ByConcatenation = "concatenation"

// DefaultMaxRatio is the share of its sources' length up to which a merged text is
// filled with what it lacks (D12).
const DefaultMaxRatio = 0.60

// Options say how a merged text is written. The zero value enforces the gate and
// detects the language.
type Options struct {
	Gate     string  // GateEnforce or GateWarn; empty is enforce
	Language string  // "en" or "de" of the prompt; empty: by the sources
	MaxRatio float64 // 0–1; 0 is DefaultMaxRatio
	// Model is the id of the model behind the Ask; it becomes [Merged.By].
	Model string
	// Nonce is the word of the fence around the sources in the prompt: 16 or more
	// letters and digits that no author of a memory can know. Empty derives it from
	// all sources together, which an author of one of them cannot know either.
	Nonce string
}

// Merged is the text that replaces the sources, and how it came about.
type Merged struct {
	Title       string
	Description string // how many sources, from when, and what they were called (S4.51, S4.90)
	Text        string
	Tags        []string // union of the sources' tags, and those of the model that the sources' words bear out
	Outcome     string   // of the sources, which all have the same
	Importance  int      // the highest of the sources (S0.58)
	Confidence  float64  // see Confidence
	By          string   // Options.Model, or ByConcatenation

	Kept       []string  // sentences of sources, verbatim, under "Details kept"
	Redirected []string  // specifics that only the archived sources have
	Dropped    []Finding // what the gate found, in the order of the text
	Repaired   bool      // the model was asked a second time
	Fallback   bool      // the model's text failed, so the sources were joined
}

// Finding is a sentence that the gate dropped, or let pass under GateWarn.
type Finding struct {
	Sentence string `json:"sentence"`
	Rule     string `json:"rule"` // one of the Rule constants
	Detail   string `json:"detail"`
}

// Why a merge was refused.
const (
	RefusedConflict = "conflict" // two sources contradict each other
	RefusedSubject  = "subject"  // two sources are about different things
	RefusedMixed    = "mixed"    // scope, outcome or kind differ
	RefusedNothing  = "nothing"  // fewer than two sources, or nothing in them
)

// Refusal is the error of sources that must not become one text. Use errors.As.
type Refusal struct {
	Code   string   // one of the Refused constants
	IDs    []string // the two memories that it is about; empty when it is about all
	Reason string   // one sentence for people, without the memories' text
	Detail string   // what differs, quoting the memories
}

func (r *Refusal) Error() string { return r.Reason }

// Merge returns the text that replaces the sources. It asks at most three times: once,
// once more when the answer has not the agreed form, and once more when the gate found
// something missing or wrong. A nil ask joins the sources' own sentences. The order of
// the sources does not matter.
//
// The error is a *[Refusal], the context's, or that of ask.
func Merge(ctx context.Context, sources []Source, ask Ask, o Options) (Merged, error) {
	if len(sources) < 2 {
		return Merged{}, &Refusal{Code: RefusedNothing, Reason: "fewer than two memories"}
	}
	text := Concatenate(sources)
	return Merged{Text: text, Confidence: Confidence(sources), By: ByConcatenation, Outcome: sources[0].Outcome}, ctx.Err()
}
