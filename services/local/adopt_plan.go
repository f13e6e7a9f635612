package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/foresight"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// PlanAdoption reads what coding agents stored on this machine and determines
// what it would teach. It does so in this process, with the same steps as a
// running Winnow, but without a model, a database or a network. It writes
// nothing.
func PlanAdoption(ctx context.Context, o AdoptOptions) (*Adoption, error) {
	l, err := newLearner(o)
	if err != nil {
		return nil, fmt.Errorf("adopt: %w", err)
	}
	p := &planner{
		o: o, learner: l, projects: map[string]*AdoptedProject{}, kinds: map[string]*UnreadableKind{},
		notes: map[string]string{}, linked: map[string]bool{}, journal: journal(o),
	}
	found, parts := o.Home.Traces()
	p.plan.Parts = parts
	read, err := p.read(ctx, found)
	if err != nil {
		return nil, fmt.Errorf("adopt: %w", err)
	}
	inProjects, err := p.read(ctx, TracesIn(append(slices.Clone(o.Dirs), p.dirs...)))
	if err != nil {
		return nil, fmt.Errorf("adopt: %w", err)
	}
	read = append(read, inProjects...)
	if err := p.memories(); err != nil {
		return nil, fmt.Errorf("adopt: %w", err)
	}
	// In the order of their ends: later lessons correct earlier ones.
	slices.SortStableFunc(read, func(a, b lessons) int { return a.ended.Compare(b.ended) })
	for _, one := range read {
		if err := p.add(ctx, one); err != nil {
			return nil, fmt.Errorf("adopt: %w", err)
		}
	}
	return p.finish(), nil
}

type planner struct {
	o        AdoptOptions
	learner  *learner
	plan     Adoption
	projects map[string]*AdoptedProject // by scope
	kinds    map[string]*UnreadableKind // by agent
	dirs     []string                   // folders worked in
	notes    map[string]string          // folders of notes, to the project's folder
	linked   map[string]bool            // memory files that were read
	lessons  []*judged
	journal  *foresight.Journal // of the sessions, in the order of their ends
}

// judged is a lesson with its latest verdict; the last one counts.
type judged struct {
	AdoptedLesson
	scope, proposal, memory string
	verdict                 memory.Verdict
}

// read processes every transcript, on all processors.
func (p *planner) read(ctx context.Context, found []FoundTrace) ([]lessons, error) {
	all := make([]struct {
		lessons
		err  error
		mine bool
	}, len(found))
	var done atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range found {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			one := &all[i]
			file, err := ReadSession(f.Path, SessionOptions{Dir: f.Dir})
			if one.mine, one.err = err == nil && p.mine(file.dir), err; one.mine {
				one.lessons, one.err = p.learner.read(file)
			}
			if p.o.Progress != nil {
				p.o.Progress(int(done.Add(1)), len(found))
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var read []lessons
	for i, f := range found {
		switch one := all[i]; {
		case errors.Is(one.err, trace.ErrEmpty):
			p.plan.Empty++ // opened and closed, or a title of another session
		case one.err != nil:
			p.unreadable(f, one.err)
		case one.mine:
			p.worked(f, one.file)
			read = append(read, one.lessons)
		}
	}
	return read, nil
}

// mine reports whether a folder is part of the adoption.
func (p *planner) mine(dir string) bool {
	if len(p.o.Dirs) == 0 {
		return true
	}
	for _, root := range p.o.Dirs {
		if rel, err := filepath.Rel(root, dir); dir != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

func (p *planner) unreadable(f FoundTrace, err error) {
	k := p.kinds[f.Agent]
	if k == nil {
		k = &UnreadableKind{Agent: f.Agent, Problem: err.Error(), First: f.Path}
		p.kinds[f.Agent] = k
	}
	k.Files++
}

// worked records a session that counts, and the folders in which to look for
// memory files.
func (p *planner) worked(f FoundTrace, file SessionFile) {
	p.plan.files = append(p.plan.files, file)
	p.plan.Sessions++
	p.plan.Turns += file.Turns
	p.project(file.Scope).Sessions++
	if file.dir == "" {
		return
	}
	if !slices.Contains(p.dirs, file.dir) {
		p.dirs = append(p.dirs, file.dir)
	}
	if notes, ok := p.o.Home.notesOf(f.Path); ok && p.notes[notes] == "" {
		p.notes[notes] = file.dir
	}
}

func (p *planner) project(scope string) *AdoptedProject {
	if p.projects[scope] == nil {
		p.projects[scope] = &AdoptedProject{Scope: scope, Lessons: []AdoptedLesson{}, Questions: []AdoptedLesson{}, Memories: []AdoptedFile{}}
	}
	return p.projects[scope]
}

// memories reads the memory files, and counts their entries as known.
func (p *planner) memories() error {
	dirs := append(slices.Clone(p.o.Dirs), p.dirs...)
	slices.Sort(dirs)
	for _, found := range p.o.Home.Memories(slices.Compact(dirs), p.notes) {
		if found.Dir == "" && len(p.o.Dirs) > 0 || p.linked[found.Path] {
			continue // of the person and not of these folders, or read with the file that links to it
		}
		scope, err := p.scopeOf(found)
		if err != nil {
			return err
		}
		file := AdoptedFile{FoundMemories: found}
		if file.reading, err = readMemories(found.Path); err != nil {
			file.Problem = err.Error()
		} else {
			for _, f := range file.reading.Files {
				p.linked[filepath.FromSlash(f.Name)] = true
			}
			file.Entries = file.reading.Entries()
			for _, e := range file.reading.entries {
				if err := p.learner.known(memory.Scope(scope), e); err != nil {
					return err
				}
			}
		}
		p.plan.Entries += file.Entries
		project := p.project(scope)
		project.Memories = append(project.Memories, file)
	}
	return nil
}

// scopeOf returns the scope of a memory file's entries.
func (p *planner) scopeOf(found FoundMemories) (string, error) {
	if found.Dir == "" {
		return "user:" + p.o.Person, nil
	}
	place, err := placeOf(found.Dir)
	return cmp.Or(place.Scope, scopeOfProject(place.Project), DefaultScope), err
}

// add judges the lessons of one session, after it was asked which of its errors the
// sessions before it would have let it foresee.
func (p *planner) add(ctx context.Context, one lessons) error {
	p.plan.Secrets += one.secrets
	first := len(p.lessons)
	for _, lesson := range one.proposals {
		d, out, err := p.learner.judge(one, lesson)
		if err != nil {
			return err
		}
		j := &judged{
			AdoptedLesson: AdoptedLesson{
				Kind: string(out.Proposal.Kind), Title: lesson.Title, Text: lesson.Text, Rule: d.Rule, Reason: d.Reason, Session: one.file.File,
			},
			scope: one.file.Scope, proposal: d.ProposalID, verdict: d.Verdict,
		}
		if len(lesson.Evidence) > 0 {
			j.Turn = lesson.Evidence[0].Turn
		}
		if out.Memory != nil {
			j.memory = out.Memory.ID
		}
		p.overtake(out)
		p.lessons = append(p.lessons, j)
	}
	return p.foresee(ctx, one, p.lessons[first:])
}

// overtake removes what a fuller or a newer lesson replaced.
func (p *planner) overtake(out judge.Outcome) {
	if len(out.Absorbed)+len(out.Archived) == 0 {
		return
	}
	for _, j := range p.lessons {
		for _, a := range out.Absorbed {
			if j.proposal == a.ProposalID {
				j.verdict = memory.VerdictMerged
			}
		}
		for _, a := range out.Archived {
			if j.memory == a.ID && a.ID != "" {
				j.verdict = memory.VerdictMerged
			}
		}
	}
}

// finish sorts the verdicts into the plan.
func (p *planner) finish() *Adoption {
	for _, j := range p.lessons {
		project := p.project(j.scope)
		switch j.verdict {
		case memory.VerdictPromoted:
			project.Lessons = append(project.Lessons, j.AdoptedLesson)
			p.plan.Lessons++
		case memory.VerdictNeedsReview:
			project.Questions = append(project.Questions, j.AdoptedLesson)
			p.plan.Questions++
		case memory.VerdictMerged:
			p.plan.Repeated++
		default:
			if strings.HasPrefix(j.Rule, "dup.") {
				p.plan.Repeated++
			} else {
				p.plan.Withheld++
			}
		}
	}
	p.plan.Foresight = p.journal.Report()
	p.plan.Projects, p.plan.Unreadable = []AdoptedProject{}, []UnreadableKind{}
	for _, project := range p.projects {
		p.plan.Projects = append(p.plan.Projects, *project)
	}
	slices.SortFunc(p.plan.Projects, func(a, b AdoptedProject) int {
		return cmp.Or(b.Sessions-a.Sessions, strings.Compare(a.Scope, b.Scope))
	})
	for _, k := range p.kinds {
		p.plan.Unreadable = append(p.plan.Unreadable, *k)
	}
	slices.SortFunc(p.plan.Unreadable, func(a, b UnreadableKind) int { return strings.Compare(a.Agent, b.Agent) })
	return &p.plan
}
