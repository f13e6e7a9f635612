package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
)

// Interval is a 95 % bootstrap interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// resamples is how often the bootstrap draws; its seed is fixed, so that a
// report is the same every time.
const resamples = 1000

// bootstrap draws whole groups with replacement, because items of one store are
// not independent, and returns the middle 95 % of the metric. A metric that is
// undefined on a draw (ok false) leaves that draw out.
func bootstrap[T any](groups [][]T, metric func([]T) (v float64, ok bool)) *Interval {
	if len(groups) == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 0, resamples)
	var sample []T
	for range resamples {
		sample = sample[:0]
		for range groups {
			sample = append(sample, groups[rng.IntN(len(groups))]...)
		}
		if v, ok := metric(sample); ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	at := func(q float64) float64 { return values[int(q*float64(len(values)-1))] }
	return &Interval{Low: at(0.025), High: at(0.975)}
}

// ReadLines decodes a file of JSON lines; the error names file and line.
func ReadLines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		out = append(out, v)
	}
	return out, lines.Err()
}
