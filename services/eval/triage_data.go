package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// StoredText is a stored text of a labelled store.
type StoredText struct {
	ID, Store, Section, Text string
}

// LabelledProposal is a proposal with the verdict that is right. One without a label
// counts as wrong, so only its verdict is of use.
type LabelledProposal struct {
	ID      string `json:"id"`
	Store   string `json:"store"`
	Section string `json:"section"`
	Text    string `json:"text"`
	Seq     int    `json:"seq"`
	// Origin and Principal are optional: agent, as the specification demands, unless a
	// fixture of Winnow's says otherwise.
	Origin     string    `json:"origin"`
	ObservedAt time.Time `json:"observed_at"`
	Expected   struct {
		Action     string   `json:"action"`
		Reason     string   `json:"reason"`
		Target     string   `json:"target"`
		Acceptable []string `json:"acceptable"`
		MustNot    []string `json:"must_not"`
		Group      string   `json:"merge_group"`
		Role       string   `json:"merge_role"`
	} `json:"expected"`
}

// RetiredTerms are the retired terms of one store.
type RetiredTerms struct {
	RemovedTools   []string `json:"removed_tools"`
	SupersededRefs []string `json:"superseded_refs"`
}

// TriageSet is a labelled set.
type TriageSet struct {
	Memories  []StoredText
	Proposals []LabelledProposal
	Context   map[string]RetiredTerms // by store
}

// loadTriage reads a labelled set from a folder or from one mixed file.
func loadTriage(path string) (*TriageSet, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return loadMixed(path)
	}
	d := &TriageSet{Context: map[string]RetiredTerms{}}
	if d.Memories, err = ReadLines[StoredText](filepath.Join(path, "triage_memories.jsonl")); err != nil {
		return nil, err
	}
	if d.Proposals, err = ReadLines[LabelledProposal](filepath.Join(path, "triage_proposals.jsonl")); err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(filepath.Join(path, "triage_context.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &d.Context)
	}
	return d, err
}

// loadMixed reads a file whose lines have a type: memory, proposal or context.
func loadMixed(path string) (*TriageSet, error) {
	lines, err := ReadLines[json.RawMessage](path)
	if err != nil {
		return nil, err
	}
	d := &TriageSet{Context: map[string]RetiredTerms{}}
	for n, line := range lines {
		var head struct{ Type, Store string }
		if err := json.Unmarshal(line, &head); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
		switch head.Type {
		case "memory":
			var m StoredText
			err = json.Unmarshal(line, &m)
			d.Memories = append(d.Memories, m)
		case "proposal":
			var p LabelledProposal
			err = json.Unmarshal(line, &p)
			d.Proposals = append(d.Proposals, p)
		case "context":
			var r RetiredTerms
			err = json.Unmarshal(line, &r)
			d.Context[head.Store] = r
		default:
			err = fmt.Errorf("type %q is none of memory, proposal, context", head.Type)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
	}
	return d, nil
}
