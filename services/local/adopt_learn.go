package local

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/extract/rules"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// learner does in this process what ingest, distill and triage do with a
// session, and writes nothing. Reading is safe for concurrent use, judging is
// not.
type learner struct {
	redactor *redact.Redactor
	words    *lexical.Analyzer
	trust    trust.Config
	person   string

	analyzer *wording.Analyzer
	lanes    map[memory.Scope]*judge.Lane
	ids      int
}

func newLearner(o AdoptOptions) (*learner, error) {
	// A random key: nothing is stored, so no later run has to produce the same
	// tag.
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	redactor, err := redact.New(redact.Config{PII: o.PII, Key: key})
	if err != nil {
		return nil, err
	}
	analyzer, err := wording.NewEmbeddingAnalyzer(o.Embedder)
	if err != nil {
		return nil, err
	}
	return &learner{
		redactor: redactor, words: lexical.NewAnalyzer(), trust: o.Trust, person: o.Person,
		analyzer: analyzer, lanes: map[memory.Scope]*judge.Lane{},
	}, nil
}

// lessons are the proposals that one session would make.
type lessons struct {
	file      SessionFile
	ended     time.Time
	secrets   int
	proposals []extract.Proposal
	task      string // what the first message asks for, as a session's start would name it
	failures  []rules.Failure
}

// read processes a session as ingest would, and draws lessons from it as
// distill would without a model.
func (l *learner) read(file SessionFile) (lessons, error) {
	s, secrets, err := l.session(file)
	if err != nil {
		return lessons{}, err
	}
	kept, _ := extract.Ground(s, rules.Extract(s, extract.MaxMemories))
	judge := extract.Trusting(s, l.trusting())
	return lessons{
		file: file, ended: cmp.Or(s.EndedAt, s.StartedAt), secrets: secrets, proposals: extract.Proposals(s, kept, judge),
		task: taskOf(s), failures: rules.Failures(s),
	}, nil
}

func (l *learner) trusting() trust.Options {
	return trust.Options{Config: l.trust, Highest: memory.OriginHuman, Similar: l.words.Alike(), Loose: lexical.PointLoose}
}

// session returns a session as it would be stored.
func (l *learner) session(file SessionFile) (s extract.Session, secrets int, err error) {
	var said trace.Session
	s.Lines, said, secrets, err = StoredTrace(file.File, trace.Format(file.Format), l.redactor, l.trusting())
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return s, 0, errors.New(notOpened(err))
	}
	if err != nil {
		return s, 0, err
	}
	var words strings.Builder
	for _, turn := range s.Lines {
		if words.Len() < languageSample && !turn.Calls() && turn.Role != trace.RoleTool {
			words.WriteString(turn.Text[:min(len(turn.Text), languageSample/4)] + "\n")
		}
	}
	s.Session = memory.Session{
		ID: file.EventID, Tenant: memory.DefaultTenant, Scope: memory.Scope(file.Scope), Name: cmp.Or(file.Session, file.EventID),
		Principal: l.person, Highest: memory.OriginHuman, Format: file.Format, Agent: said.Agent, Project: file.Project, Task: said.Task,
		Language: search.Language(words.String()), Outcome: string(said.Outcome), OutcomeInferred: said.OutcomeInferred,
		StartedAt: said.StartedAt, EndedAt: said.EndedAt, Turns: len(s.Lines),
	}
	if s.EndedAt.IsZero() {
		s.EndedAt = file.event.GetEndedAt().AsTime()
	}
	return s, secrets, nil
}

// languageSample is how much of a session determines its language, in bytes.
const languageSample = 8 << 10

// lane returns the lane in which a scope's proposals are judged.
func (l *learner) lane(scope memory.Scope) (*judge.Lane, error) {
	if lane := l.lanes[scope]; lane != nil {
		return lane, nil
	}
	policy, _, err := judge.ShippedPolicy(judge.DefaultPolicyName(scope.Kind()))
	if err != nil {
		return nil, err
	}
	lane := judge.NewLane(judge.LaneConfig{
		Tenant: memory.DefaultTenant, Scope: scope, Policy: policy, Similarity: judge.SimilarityOf(l.analyzer), Analyzer: l.analyzer,
		NewID: l.newID,
	})
	l.lanes[scope] = lane
	return lane, nil
}

func (l *learner) newID(prefix string) string {
	l.ids++
	return fmt.Sprintf("%s%026d", prefix, l.ids)
}

// known adds a person's own entry as a memory in service, as an import would.
func (l *learner) known(scope memory.Scope, e ReadEntry) error {
	lane, err := l.lane(scope)
	if err != nil {
		return err
	}
	text, _ := l.redactor.Text(string(memory.DefaultTenant), e.Text)
	lane.Upsert(judge.Entry{
		ID: l.newID(memory.PrefixMemory), Role: memory.RoleMemory, Text: text, Kind: memory.KindFact, Section: e.Section,
		Authority: memory.OriginHuman, SeenCount: 1,
	})
	return nil
}

// judge returns the verdict on one lesson, given the lessons before it.
func (l *learner) judge(from lessons, p extract.Proposal) (memory.Decision, judge.Outcome, error) {
	scope := memory.Scope(from.file.Scope)
	lane, err := l.lane(scope)
	if err != nil {
		return memory.Decision{}, judge.Outcome{}, err
	}
	name := cmp.Or(from.file.Session, from.file.EventID)
	row := memory.Proposal{
		ID: l.newID(memory.PrefixProposal), Tenant: memory.DefaultTenant, Scope: scope, State: memory.ProposalPending,
		Kind: p.Kind, Title: p.Title, Description: p.Description, Text: p.Text, Tags: p.Tags, Outcome: p.Outcome, Confidence: p.Confidence,
		Principal: l.person, Origin: p.Authority, Authority: p.Authority, SessionID: name, ObservedAt: from.ended, CreatedAt: from.ended,
		SeenCount: 1, LastConfirmed: from.ended,
	}
	var evidence []memory.Evidence
	for _, span := range p.Spans {
		row.Authority = memory.Least(row.Authority, span.Origin)
		evidence = append(evidence, memory.Evidence{
			ID: l.newID(memory.PrefixEvidence), Tenant: memory.DefaultTenant, Subject: row.ID, ProposalID: row.ID, Principal: l.person,
			SessionID: name, Origin: span.Origin, Role: string(span.Role), Span: span.Text, ObservedAt: from.ended,
		})
	}
	d, out := lane.Judge(judge.Item{Proposal: row, Evidence: evidence}, from.ended)
	return d, out, nil
}
