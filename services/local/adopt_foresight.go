package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/foresight"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// maxTask is how much of a first message describes the task, in bytes.
const maxTask = 1000

// taskOf returns what a session is about, as an agent would say it at its start: the
// stated task, or the beginning of the first message.
func taskOf(s extract.Session) string {
	if s.Task != "" {
		return s.Task
	}
	for _, l := range s.Lines {
		if l.Role == trace.RoleUser && !l.Calls() {
			return strings.ToValidUTF8(l.Text[:min(len(l.Text), maxTask)], "")
		}
	}
	return ""
}

// journal returns an empty journal that ranks with the embedder's words, or with stems
// alone without one.
func journal(o AdoptOptions) *foresight.Journal {
	if o.Embedder == nil || o.Embedder.Dim() == 0 {
		return foresight.NewJournal(search.NewMatcher(search.NewAnalyzer(), nil))
	}
	return foresight.NewJournal(search.NewMatcher(search.NewAnalyzer(), o.Embedder.Embed))
}

// foresee adds a session with the lessons of it that are in service, which are the last
// ones that were judged.
func (p *planner) foresee(ctx context.Context, one lessons, judged []*judged) error {
	s := foresight.Session{Name: one.file.File, Project: one.file.Scope, Task: one.task, Failures: one.failures}
	for i, j := range judged {
		if j.verdict != memory.VerdictPromoted {
			continue
		}
		l := foresight.Lesson{Title: j.Title, Description: one.proposals[i].Description, Text: j.Text}
		for _, q := range one.proposals[i].Evidence {
			l.Turns = append(l.Turns, q.Turn)
		}
		s.Lessons = append(s.Lessons, l)
	}
	return p.journal.Add(ctx, s)
}

// Foresight reads the transcripts under a folder, draws lessons as an adoption does, and
// reports which errors of later sessions an earlier one of the same project had solved, and
// which lesson would have been shown. Each folder directly in dir is a project; the
// transcripts of one follow each other by their ends, then by name.
func Foresight(ctx context.Context, dir string, o AdoptOptions) (foresight.Report, error) {
	l, err := newLearner(o)
	if err != nil {
		return foresight.Report{}, fmt.Errorf("foresight: %w", err)
	}
	p := &planner{o: o, learner: l, journal: journal(o), projects: map[string]*AdoptedProject{}}
	files, err := listTranscripts(dir)
	if err != nil {
		return foresight.Report{}, fmt.Errorf("foresight: %w", err)
	}
	var read []lessons
	for _, f := range files {
		file, err := ReadSession(f.path, SessionOptions{})
		if err != nil {
			continue // no transcript
		}
		file.Scope = "project:" + f.project
		one, err := l.read(file)
		if errors.Is(err, trace.ErrEmpty) {
			continue
		}
		if err != nil {
			return foresight.Report{}, fmt.Errorf("foresight: %s: %w", f.name, err)
		}
		one.file.File = f.name
		read = append(read, one)
	}
	if len(read) == 0 {
		return foresight.Report{}, fmt.Errorf("foresight: no transcript in %s; give a folder of them, or one with a folder for each project", dir)
	}
	slices.SortStableFunc(read, func(a, b lessons) int { return a.ended.Compare(b.ended) })
	for _, one := range read {
		if err := p.add(ctx, one); err != nil {
			return foresight.Report{}, fmt.Errorf("foresight: %w", err)
		}
	}
	return p.journal.Report(), nil
}

// listedTranscript is a file of a folder of projects.
type listedTranscript struct{ path, name, project string }

// listTranscripts returns the files under dir by name, with the first folder as the project.
func listTranscripts(dir string) ([]listedTranscript, error) {
	var out []listedTranscript
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		f := listedTranscript{path: path, name: filepath.ToSlash(name), project: "all"}
		if first, _, ok := strings.Cut(f.name, "/"); ok {
			f.project = strings.ToLower(first)
		}
		out = append(out, f)
		return nil
	})
	return out, err
}
