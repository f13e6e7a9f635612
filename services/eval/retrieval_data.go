package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// retrievalStore is one set of texts and the questions asked of it.
type retrievalStore struct {
	name      string
	docs      []retrievalDoc
	questions []retrievalQuestion
	// unanswerable are the questions that no text answers, by their label.
	unanswerable []retrievalQuestion
}

// retrievalDoc is a text. Documents of one session are in the order in which they were
// said.
type retrievalDoc struct {
	id, title, description, text, session string
	// consolidated marks a text made of others; successor is the id of the document that
	// stands for an archived one, empty for one in force.
	consolidated bool
	successor    string
}

type retrievalQuestion struct {
	id, query, category string
	evidence            []string // ids of documents, each once; empty where no text answers
}

// errNoQuestions reports a file without a question to score.
var errNoQuestions = errors.New("no question with evidence in it")

// loadRetrieval parses LoCoMo, BEAM or Winnow's lines, recognised by their form.
func loadRetrieval(path string) ([]retrievalStore, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var stores []retrievalStore
	if trimmed := bytes.TrimSpace(raw); len(trimmed) > 0 && trimmed[0] == '[' {
		stores, err = loadConversations(trimmed)
	} else {
		var lines []RetrievalLine
		lines, err = ReadLines[RetrievalLine](path)
		stores = storesOf(lines)
	}
	if err != nil {
		return nil, err
	}
	for _, s := range stores {
		if len(s.questions) > 0 {
			return stores, nil
		}
	}
	return nil, errNoQuestions
}

// loadConversations reads a list of conversations of either published shape.
func loadConversations(raw []byte) ([]retrievalStore, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	stores := make([]retrievalStore, 0, len(list))
	for n, item := range list {
		var shape struct{ Conversation, Chat json.RawMessage }
		err := json.Unmarshal(item, &shape)
		var s retrievalStore
		switch {
		case err != nil:
		case shape.Conversation != nil:
			s, err = locomoStore(item)
		case shape.Chat != nil:
			s, err = beamStore(item)
		default:
			err = errors.New("neither a conversation nor a chat")
		}
		if err != nil {
			return nil, fmt.Errorf("conversation %d: %w", n, err)
		}
		stores = append(stores, s)
	}
	return stores, nil
}

// addQuestion adds a question whose evidence is known; others cannot be scored.
func (s *retrievalStore) addQuestion(q retrievalQuestion) {
	known := make(map[string]bool, len(s.docs))
	for _, d := range s.docs {
		known[d.id] = true
	}
	var evidence []string
	for _, e := range q.evidence {
		if known[e] && !slices.Contains(evidence, e) {
			evidence = append(evidence, e)
		}
	}
	if q.evidence = evidence; len(evidence) > 0 {
		s.questions = append(s.questions, q)
	}
}

// turnID finds ids of turns: some lists of evidence hold several in one string.
var turnID = regexp.MustCompile(`D\d+:\d+`)

// locomoStore reads a conversation of LoCoMo: sessions of turns, and questions
// with the turns that answer them.
func locomoStore(raw []byte) (retrievalStore, error) {
	var c struct {
		ID           string                     `json:"sample_id"`
		Conversation map[string]json.RawMessage `json:"conversation"`
		QA           []struct {
			Question string   `json:"question"`
			Evidence []string `json:"evidence"`
			Category int      `json:"category"`
		} `json:"qa"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return retrievalStore{}, err
	}
	s := retrievalStore{name: c.ID}
	for _, n := range sessionNumbers(c.Conversation) {
		name := fmt.Sprintf("session_%d", n)
		var turns []struct {
			Speaker string `json:"speaker"`
			ID      string `json:"dia_id"`
			Text    string `json:"text"`
			Caption string `json:"blip_caption"`
		}
		if err := json.Unmarshal(c.Conversation[name], &turns); err != nil {
			return s, fmt.Errorf("%s: %w", name, err)
		}
		var when string
		if at, ok := c.Conversation[name+"_date_time"]; ok {
			if err := json.Unmarshal(at, &when); err != nil {
				return s, fmt.Errorf("%s_date_time: %w", name, err)
			}
		}
		for _, t := range turns {
			d := retrievalDoc{id: t.ID, title: t.Speaker + ", " + when, text: t.Text, session: name}
			if t.Caption != "" {
				d.text += "\n" + t.Caption
			}
			s.docs = append(s.docs, d)
		}
	}
	for n, q := range c.QA {
		var evidence []string
		for _, e := range q.Evidence {
			evidence = append(evidence, turnID.FindAllString(e, -1)...)
		}
		s.addQuestion(retrievalQuestion{
			id: fmt.Sprintf("%s/%d", c.ID, n), query: q.Question, category: strconv.Itoa(q.Category), evidence: evidence,
		})
	}
	return s, nil
}

var sessionKey = regexp.MustCompile(`^session_(\d+)$`)

// sessionNumbers are the numbers of the sessions that have turns, in order.
func sessionNumbers(conversation map[string]json.RawMessage) []int {
	var out []int
	for key := range conversation {
		if m := sessionKey.FindStringSubmatch(key); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out
}
