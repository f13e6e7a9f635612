package ops

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/calibrate"
	"github.com/winnowhq/winnow/services/internal/embed"
)

// CalibrationReport is what `winnow calibrate --json` prints.
type CalibrationReport struct {
	Model  string `json:"model"` // id of the embedder
	Source string `json:"source"`
	calibrate.Result
	// Checked are the points on pairs that they were not made from: the shipped
	// ones, when the points come from a file.
	Checked map[string]calibrate.Checked `json:"checked,omitempty"`
}

// ShippedPairs is the name of the pairs that come with Winnow.
const ShippedPairs = "shipped"

// Calibrate derives the operating points of an embedder from a file of labelled
// pairs, or from those that come with Winnow. It stores nothing.
func Calibrate(ctx context.Context, source string, e embed.Embedder) (*CalibrationReport, error) {
	shipped, err := calibrate.Shipped()
	if err != nil {
		return nil, err
	}
	texts := shipped
	if source != ShippedPairs {
		if texts, err = labelledTexts(source); err != nil {
			return nil, fmt.Errorf("calibrate: %w", err)
		}
	}
	pairs, err := measure(ctx, texts, e)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	r := &CalibrationReport{Model: e.ID(), Source: source}
	if r.Result, err = calibrate.Calibrate(pairs); err != nil {
		return nil, fmt.Errorf("calibrate %s: %w", e.ID(), err)
	}
	if source == ShippedPairs {
		return r, nil
	}
	other, err := measure(ctx, shipped, e)
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	r.Checked = map[string]calibrate.Checked{
		"duplicate": calibrate.Check(other, r.Duplicate.Threshold),
		"cluster":   calibrate.Check(other, r.Cluster.Threshold),
		"loose":     calibrate.Check(other, r.Loose.Threshold),
	}
	return r, nil
}

// measure scores pairs by an embedder, or by words where there is none.
func measure(ctx context.Context, texts []calibrate.Text, e embed.Embedder) ([]calibrate.Pair, error) {
	if e.Dim() == 0 {
		return calibrate.Measure(texts, nil)
	}
	both := make([]string, 0, 2*len(texts))
	for _, t := range texts {
		both = append(both, t.A, t.B)
	}
	vectors, err := e.Embed(ctx, both)
	if err != nil {
		return nil, fmt.Errorf("embed pairs: %w", err)
	}
	return calibrate.Measure(texts, vectors)
}

// labelledTexts reads a file of pairs. Names of kinds are those of whoever made
// the file; what they have in common with ours is the first word.
func labelledTexts(path string) ([]calibrate.Text, error) {
	lines, err := readLines[labelledPair](path)
	if err != nil {
		return nil, err
	}
	out := make([]calibrate.Text, len(lines))
	for i, l := range lines {
		out[i] = calibrate.Text{A: string(l.A), B: string(l.B), Kind: kindOf(l), Same: l.Label == 1, Group: string(l.A)}
	}
	return out, nil
}

func kindOf(l labelledPair) string {
	for _, kind := range []string{calibrate.KindExact, calibrate.KindEdited, calibrate.KindHard, calibrate.KindRandom} {
		if strings.HasPrefix(l.Kind, kind) {
			return kind
		}
	}
	if l.Label == 1 {
		return calibrate.KindParaphrase
	}
	return l.Kind
}
