package own

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/eval"
)

// Options are the options of [Score].
type Options struct {
	// Sets are the names of the sets to score; none means all that are there.
	Sets []string
	// Retrieval answers the questions; its Embedder serves triage too.
	Retrieval eval.RetrievalOptions
	// Policy is the name of a shipped policy; empty takes the scope's default.
	Policy string
}

// Report is the output of `winnow eval own --json`: the figures of each set that was
// scored.
type Report struct {
	Suite       string             `json:"suite"`
	Siblings    *SiblingFigures    `json:"siblings,omitempty"`
	Triage2     *Triage2Figures    `json:"triage2,omitempty"`
	Poison      *PoisonFigures     `json:"poison,omitempty"`
	Secrets     *SecretFigures     `json:"secrets,omitempty"`
	Paraphrases *ParaphraseFigures `json:"paraphrases,omitempty"`
	Descriptive *DescriptiveFigure `json:"descriptive,omitempty"`
	Questions   *QuestionFigures   `json:"questions,omitempty"`
	Lessons     *LessonFigures     `json:"lessons,omitempty"`
	Bars        []Bar              `json:"bars"`
	Absent      []string           `json:"absent,omitempty"` // sets without data
	// Errors are what went wrong, by set, as lines to read.
	Errors map[string][]any `json:"-"`
}

// scorer scores the sets of one folder.
type scorer struct {
	dir    string
	opts   Options
	report *Report
}

// sets are all sets in the order in which they are scored.
var sets = []struct {
	name  string
	score func(*scorer, context.Context) error
}{
	{"siblings", (*scorer).siblings},
	{"triage2", (*scorer).triage2},
	{"poison", (*scorer).poison},
	{"secrets", (*scorer).secrets},
	{"paraphrases", (*scorer).paraphrases},
	{"descriptive", (*scorer).descriptive},
	{"questions", (*scorer).questions},
	{"lessons", (*scorer).lessons},
}

// Names returns the names of all sets.
func Names() []string {
	var out []string
	for _, s := range sets {
		out = append(out, s.name)
	}
	return out
}

// ErrNoSet reports a folder without any of the sets, or a name that is none.
var ErrNoSet = errors.New("no such set")

// Score scores the sets under dir: dir/own, with the memories of dir/triage, and
// dir/model_answers with the sessions of dir/traces. A set without data is listed as
// absent; one that was named and has none is an error.
func Score(ctx context.Context, dir string, opts Options) (*Report, error) {
	s := scorer{dir: dir, opts: opts, report: &Report{Suite: "own", Bars: []Bar{}, Errors: map[string][]any{}}}
	for _, name := range opts.Sets {
		if !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("eval own: %w: %q; it is one of %s", ErrNoSet, name, strings.Join(Names(), ", "))
		}
	}
	for _, set := range sets {
		if len(opts.Sets) > 0 && !slices.Contains(opts.Sets, set.name) {
			continue
		}
		err := set.score(&s, ctx)
		if errors.Is(err, fs.ErrNotExist) && len(opts.Sets) == 0 {
			s.report.Absent = append(s.report.Absent, set.name)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("eval own: %s: %w", set.name, err)
		}
	}
	if len(s.report.Absent) == len(sets) {
		return nil, fmt.Errorf("eval own: %w in %s; give the folder that holds own/ and triage/", ErrNoSet, dir)
	}
	s.report.Bars = s.report.bars()
	return s.report, nil
}

// file returns the path of a file of the sets, which may lie in dir/own or in dir.
func (s *scorer) file(name string) string {
	path := filepath.Join(s.dir, "own", name)
	if _, err := os.Stat(path); err != nil {
		if flat := filepath.Join(s.dir, name); exists(flat) {
			return flat
		}
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// wrong notes what went wrong in a set.
func (s *scorer) wrong(set string, line any) {
	s.report.Errors[set] = append(s.report.Errors[set], line)
}

// share returns the share of items for which right holds, nil for no items.
func share[T any](items []T, right func(T) bool) *float64 {
	if len(items) == 0 {
		return nil
	}
	v := float64(count(items, right)) / float64(len(items))
	return &v
}

func count[T any](items []T, right func(T) bool) int {
	n := 0
	for _, it := range items {
		if right(it) {
			n++
		}
	}
	return n
}

// only returns the items for which keep holds.
func only[T any](items []T, keep func(T) bool) []T {
	var out []T
	for _, it := range items {
		if keep(it) {
			out = append(out, it)
		}
	}
	return out
}

// tally counts items by a name.
func tally[T any](items []T, name func(T) string) map[string]int {
	out := map[string]int{}
	for _, it := range items {
		out[name(it)]++
	}
	return out
}
