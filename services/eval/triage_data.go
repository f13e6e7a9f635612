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

// storedText is a stored text of a labelled store.
type storedText struct {
	ID, Store, Section, Text string
}

// labelledProposal is a labelled proposal.
type labelledProposal struct {
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

// retiredTerms are the retired terms of one store.
type retiredTerms struct {
	RemovedTools   []string `json:"removed_tools"`
	SupersededRefs []string `json:"superseded_refs"`
}

// triageData is a labelled set.
type triageData struct {
	memories  []storedText
	proposals []labelledProposal
	context   map[string]retiredTerms
}

// loadTriage reads a labelled set from a folder or from one mixed file.
func loadTriage(path string) (*triageData, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return loadMixed(path)
	}
	d := &triageData{context: map[string]retiredTerms{}}
	if d.memories, err = readLines[storedText](filepath.Join(path, "triage_memories.jsonl")); err != nil {
		return nil, err
	}
	if d.proposals, err = readLines[labelledProposal](filepath.Join(path, "triage_proposals.jsonl")); err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(filepath.Join(path, "triage_context.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &d.context)
	}
	return d, err
}

// loadMixed reads a file whose lines have a type: memory, proposal or context.
func loadMixed(path string) (*triageData, error) {
	lines, err := readLines[json.RawMessage](path)
	if err != nil {
		return nil, err
	}
	d := &triageData{context: map[string]retiredTerms{}}
	for n, line := range lines {
		var head struct{ Type, Store string }
		if err := json.Unmarshal(line, &head); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
		switch head.Type {
		case "memory":
			var m storedText
			err = json.Unmarshal(line, &m)
			d.memories = append(d.memories, m)
		case "proposal":
			var p labelledProposal
			err = json.Unmarshal(line, &p)
			d.proposals = append(d.proposals, p)
		case "context":
			var r retiredTerms
			err = json.Unmarshal(line, &r)
			d.context[head.Store] = r
		default:
			err = fmt.Errorf("type %q is none of memory, proposal, context", head.Type)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
	}
	return d, nil
}
