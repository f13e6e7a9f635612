package merge

import (
	"math"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
)

func source(confidence float64, usage int) Source {
	return Source{Memory: memory.Memory{Confidence: confidence}, Usage: usage}
}

func near(a, b float64) bool { return math.Abs(a-b) < 5e-5 }

// S4.50 and S4.62: .75/.82/.70 used 10/8/15 times are 26.83/36 = .7453 before and
// .7723 after the bonus of .0270.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	got := Confidence([]Source{source(.75, 10), source(.82, 8), source(.70, 15)})
	if !near(got, 0.7723) {
		t.Errorf("%.4f, want 0.7723", got)
	}
	bonus := got - (8.25+7.38+11.2)/36
	if !near(bonus, 0.0270) {
		t.Errorf("bonus %.4f, want 0.0270", bonus)
	}
}

// S4.88: equal confidence and usage, high usage, mixed, none, the same confidence.
// S4.49: the bonus is gone at σ = .5 and never negative; D22: none for one source.
func TestConfidence(t *testing.T) {
	t.Parallel()
	const full = 0.1
	for _, tc := range []struct {
		name    string
		sources []Source
		want    float64
	}{
		{"equal: the plain average and the bonus of two", []Source{source(.8, 5), source(.8, 5)}, .8 + full*2/10},
		{"equal usage: the plain average", []Source{source(.6, 3), source(.8, 3)}, .7 + (1-.1/.5)*.2*full},
		{"high usage dominates", []Source{source(.9, 99), source(.3, 0)}, (90+.3)/101. + (1-.3/.5)*.2*full},
		{"mixed", []Source{source(.5, 1), source(.7, 3), source(.9, 0)}, (1+2.8+.9)/7 + (1-math.Sqrt(.08/3)/.5)*.3*full},
		{"zero usage counts each once", []Source{source(.4, 0), source(.6, 0)}, .5 + (1-.1/.5)*.2*full},
		{"ten that agree have the whole bonus", []Source{source(.6, 0), source(.6, 0), source(.6, 0), source(.6, 0), source(.6, 0),
			source(.6, 0), source(.6, 0), source(.6, 0), source(.6, 0), source(.6, 0)}, .7},
		{"one alone has none", []Source{source(.6, 4)}, .6},
		{"opposites have none", []Source{source(1, 0), source(0, 0)}, .5},
		{"never above one", []Source{source(1, 0), source(1, 0)}, 1},
		{"no source", nil, 0},
		{"a usage below zero counts as none", []Source{source(.6, -7), source(.6, 0)}, .6 + full*2/10},
	} {
		if got := Confidence(tc.sources); !near(got, tc.want) {
			t.Errorf("%s: %.4f, want %.4f", tc.name, got, tc.want)
		}
	}
}
