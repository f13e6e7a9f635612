package eval

import (
	"encoding/json"
	"fmt"
	"slices"
)

// beamStore parses a chat of BEAM: batches of turns of messages, and probing questions
// by ability. The ids of the evidence are in lists, or in lists by name.
func beamStore(raw []byte) (retrievalStore, error) {
	var c struct {
		ID   string `json:"chat_id"`
		Chat []struct {
			Batch int `json:"batch_number"`
			Turns [][]struct {
				Role    string `json:"role"`
				ID      int    `json:"id"`
				Content string `json:"content"`
			} `json:"turns"`
		} `json:"chat"`
		Probing map[string][]struct {
			Question string          `json:"question"`
			Source   json.RawMessage `json:"source_chat_ids"`
		} `json:"probing_questions"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return retrievalStore{}, err
	}
	s := retrievalStore{name: c.ID}
	for _, b := range c.Chat {
		for _, turn := range b.Turns {
			for _, m := range turn {
				s.docs = append(s.docs, retrievalDoc{
					id: fmt.Sprint(m.ID), title: m.Role, text: m.Content, session: fmt.Sprint("batch_", b.Batch),
				})
			}
		}
	}
	abilities := make([]string, 0, len(c.Probing))
	for a := range c.Probing {
		abilities = append(abilities, a)
	}
	slices.Sort(abilities)
	for _, a := range abilities {
		for n, q := range c.Probing[a] {
			evidence, err := numbersIn(q.Source)
			if err != nil {
				return s, fmt.Errorf("%s %d: %w", a, n, err)
			}
			s.addQuestion(retrievalQuestion{id: fmt.Sprintf("%s/%s/%d", c.ID, a, n), query: q.Question, category: a, evidence: evidence})
		}
	}
	return s, nil
}

// numbersIn collects every number of a JSON value, in order.
func numbersIn(raw json.RawMessage) ([]string, error) {
	if raw == nil {
		return nil, nil
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return nil, err
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case float64:
			out = append(out, fmt.Sprint(int(v)))
		case []any:
			for _, x := range v {
				walk(x)
			}
		case map[string]any:
			keys := make([]string, 0, len(v))
			for k := range v {
				keys = append(keys, k)
			}
			slices.Sort(keys)
			for _, k := range keys {
				walk(v[k])
			}
		}
	}
	walk(value)
	return out, nil
}
