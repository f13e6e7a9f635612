package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/similar"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// pairText is one side of a pair: a text, or an issue with a summary and a
// description.
type pairText string

// UnmarshalJSON implements [json.Unmarshaler].
func (p *pairText) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*p = pairText(text)
		return nil
	}
	var issue struct{ Summary, Description string }
	if err := json.Unmarshal(raw, &issue); err != nil {
		return err
	}
	*p = pairText(embed.Text(memory.Memory{Title: issue.Summary, Text: issue.Description}))
	return nil
}

// labelledPair is a line of a file of pairs.
type labelledPair struct {
	ID    string   `json:"id"`
	A     pairText `json:"a"`
	B     pairText `json:"b"`
	Label int      `json:"label"` // 1: they say the same
	Kind  string   `json:"kind"`
}

// PairItem is the measured similarity of a pair.
type PairItem struct {
	ID       string  `json:"id"`
	Kind     string  `json:"kind"`
	Label    int     `json:"label"`
	Score    float64 `json:"score"` // of all evidence together
	Embedded bool    `json:"embedded"`
	Static   float64 `json:"static"` // the cosine alone; 0 unless embedded
	Lexical  float64 `json:"lexical"`
	Missing  float64 `json:"missing"`
	Conflict bool    `json:"conflict"`

	group string // pairs of one first text are not independent
}

// Pairs scores how well duplicates are distinguished from other pairs: by the cosine of
// the embedder, by words, and by all evidence together (SPEC §18).
func Pairs(ctx context.Context, path string, e embed.Embedder) (*PairsReport, error) {
	items, err := comparePairs(ctx, path, e)
	if err != nil {
		return nil, fmt.Errorf("eval pairs: %w", err)
	}
	report := scorePairs(items)
	report.Embedder = e.ID()
	return report, nil
}

// errOneLabel reports a file without pairs of both labels.
var errOneLabel = errors.New("want pairs that say the same and pairs that do not")

func comparePairs(ctx context.Context, path string, e embed.Embedder) ([]*PairItem, error) {
	pairs, err := ReadLines[labelledPair](path)
	if err != nil {
		return nil, err
	}
	texts := make([]string, 0, 2*len(pairs))
	same := 0
	for _, p := range pairs {
		texts = append(texts, string(p.A), string(p.B))
		same += p.Label
	}
	if same == 0 || same == len(pairs) {
		return nil, errOneLabel
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	words := lexical.NewAnalyzer()
	items := make([]*PairItem, len(pairs))
	for i, p := range pairs {
		f := similar.Between(similar.Read(words, texts[2*i], vectors[2*i]), similar.Read(words, texts[2*i+1], vectors[2*i+1]))
		items[i] = &PairItem{
			ID: p.ID, Kind: p.Kind, Label: p.Label, Score: similar.Score(f), Embedded: f.Embedded, Static: f.Cosine, Lexical: f.Lexical,
			Missing: f.Missing, Conflict: f.Conflict, group: texts[2*i],
		}
	}
	return items, nil
}
