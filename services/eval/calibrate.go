package eval

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/recall/calibrate"
)

// Results of a calibration, for callers that print them.
type (
	Points  = calibrate.Points
	Point   = calibrate.Point
	Checked = calibrate.Checked
)

// CalibrationReport is the output of `winnow calibrate --json`.
type CalibrationReport struct {
	Model  string `json:"model"` // id of the embedder
	Source string `json:"source"`
	calibrate.Result
	// Checked are the points on pairs that they were not derived from: the shipped
	// ones, when the points come from a file.
	Checked map[string]Checked `json:"checked,omitempty"`
}

// ShippedPairs is the name of the pairs that come with Winnow.
const ShippedPairs = "shipped"

// Calibrate returns the operating points of an embedder, from a file of labelled pairs
// or from those that come with Winnow. It stores nothing.
func Calibrate(ctx context.Context, source string, e embed.Embedder) (*CalibrationReport, error) {
	texts, err := calibrate.Shipped()
	if source != ShippedPairs {
		texts, err = labelledTexts(source)
	}
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	pairs, err := Measure(ctx, texts, e, nil)
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
	r.Checked, err = CheckShipped(ctx, r.Points, e)
	return r, err
}

// CheckShipped returns how operating points do on the shipped pairs.
func CheckShipped(ctx context.Context, p calibrate.Points, e embed.Embedder) (map[string]Checked, error) {
	shipped, err := calibrate.Shipped()
	if err != nil {
		return nil, err
	}
	pairs, err := Measure(ctx, shipped, e, nil)
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	return map[string]Checked{
		"duplicate": calibrate.Check(pairs, p.Duplicate.Threshold),
		"cluster":   calibrate.Check(pairs, p.Cluster.Threshold),
		"loose":     calibrate.Check(pairs, p.Loose.Threshold),
	}, nil
}

// Measure scores pairs by an embedder, or by words without one. known are vectors that
// need not be computed. A text is embedded once, in any number of pairs.
func Measure(ctx context.Context, texts []calibrate.Text, e embed.Embedder, known map[string][]float32) ([]calibrate.Pair, error) {
	if e.Dim() == 0 {
		return calibrate.Measure(texts, nil)
	}
	place := map[string]int{}
	var ask []string
	for _, t := range texts {
		for _, text := range []string{t.A, t.B} {
			if _, asked := place[text]; !asked && known[text] == nil {
				place[text] = len(ask)
				ask = append(ask, text)
			}
		}
	}
	made, err := e.Embed(ctx, ask)
	if err != nil {
		return nil, fmt.Errorf("embed pairs: %w", err)
	}
	of := func(text string) []float32 {
		if v := known[text]; v != nil {
			return v
		}
		return made[place[text]]
	}
	vectors := make([][]float32, 0, 2*len(texts))
	for _, t := range texts {
		vectors = append(vectors, of(t.A), of(t.B))
	}
	return calibrate.Measure(texts, vectors)
}

// labelledTexts parses a file of pairs. Names of kinds are the file's own; their first
// word is that of the kinds here.
func labelledTexts(path string) ([]calibrate.Text, error) {
	lines, err := ReadLines[labelledPair](path)
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
