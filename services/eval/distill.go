package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/extract/rules"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// DistillOptions are the options of [Distill].
type DistillOptions struct {
	// Model is called as distillation calls it; nil leaves the work to rules.
	Model llm.Model
	// Distill bounds a session's lessons and what a model is shown. The zero value
	// is the default.
	Distill extract.Bounds
}

// DistillItem is one memory with all that is needed to score it again.
type DistillItem struct {
	ID      string `json:"id"` // file#n
	Session string `json:"session"`
	By      string `json:"by"` // rules-1, or the model's id
	extract.Extraction
	Authority memory.Origin `json:"authority"`
	Missing   []string      `json:"missing,omitempty"` // details that its evidence does not have
	Faults    []string      `json:"faults,omitempty"`  // what is out of form
}

// errNoTraces reports a path without a trace.
var errNoTraces = errors.New("no trace in it: give a file, or a folder of .jsonl, .json, .traj, .txt or .log files")

// Distill draws lessons from traces as ingest and distillation would, in this process
// and without storing: read, redacted, every span with its origin, extracted, grounded.
// It scores what a reader relies on: that the details of a memory stand in its
// evidence, and that its form is the agreed one. path is a trace or a folder of them.
func Distill(ctx context.Context, path string, o DistillOptions) (*DistillReport, error) {
	files, err := tracesIn(path)
	if err != nil {
		return nil, fmt.Errorf("eval distill: %w", err)
	}
	d, err := newDistilling(o)
	if err != nil {
		return nil, fmt.Errorf("eval distill: %w", err)
	}
	r := &DistillReport{Suite: "distill", Distiller: extract.RulesVersion}
	if o.Model != nil {
		r.Distiller, r.Prompt = o.Model.ID(), extract.PromptVersion
	}
	for _, file := range files {
		name, err := filepath.Rel(path, file)
		if err != nil || name == "." {
			name = filepath.Base(file)
		}
		s, secrets, err := d.read(file, name)
		if err != nil {
			r.Unreadable = append(r.Unreadable, UnreadableTrace{File: name, Why: err.Error()})
			continue
		}
		l, err := d.learn(ctx, s)
		if err != nil {
			return nil, fmt.Errorf("eval distill: %s: %w", name, err)
		}
		r.add(name, s, secrets, l, extract.Proposals(s, l.kept, extract.Trusting(s, d.trust)))
	}
	r.score()
	return r, nil
}

// tracesIn returns the traces under a path, in the order of their names.
func tracesIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(e.Name(), ".") && p != path && e.IsDir():
			return filepath.SkipDir
		case !e.IsDir() && slices.Contains([]string{".jsonl", ".json", ".traj", ".txt", ".log"}, strings.ToLower(filepath.Ext(p))):
			files = append(files, p)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = errNoTraces
	}
	return files, err
}

// distilling runs the steps of ingest and distillation in this process.
type distilling struct {
	DistillOptions
	redactor *redact.Redactor
	trust    trust.Options
	down     int // consecutive unanswered questions
}

func newDistilling(o DistillOptions) (*distilling, error) {
	if o.Distill == (extract.Bounds{}) {
		o.Distill = extract.DefaultBounds()
	}
	// A fixed key gives the same report every time; nothing encrypted with it is
	// stored.
	redactor, err := redact.New(redact.Config{Key: []byte("winnow eval distill")})
	if err != nil {
		return nil, err
	}
	return &distilling{DistillOptions: o, redactor: redactor, trust: trust.Options{
		Config: trust.DefaultConfig(), Highest: memory.OriginFirstParty, Similar: lexical.NewAnalyzer().Alike(), Loose: lexical.PointLoose,
	}}, nil
}

// learnt is the result of one session.
type learnt struct {
	kept    []extract.Extraction
	dropped []extract.Dropped
	given   int // lessons of the answer that were in form
	mended  int // kept in the model's second version
	refused int
	by      string
	note    string // why rules stood in for the model
}

// with adds what the session bears out.
func (l learnt) with(verdicts []extract.Verdict) learnt {
	l.given = len(verdicts)
	for _, v := range verdicts {
		l.dropped = append(l.dropped, v.Dropped...)
		if v.Kept != nil {
			l.kept = append(l.kept, *v.Kept)
			if v.Mended {
				l.mended++
			}
		}
	}
	return l
}

// learn calls the model, if there is one, and uses the rules where it does not answer.
func (d *distilling) learn(ctx context.Context, s extract.Session) (learnt, error) {
	if d.Model == nil {
		return d.byRules(s, ""), nil
	}
	if d.down >= givesUp {
		return d.byRules(s, "the model did not answer before"), nil
	}
	l, err := d.byModel(ctx, s)
	switch {
	case ctx.Err() != nil:
		return l, ctx.Err()
	case errors.Is(err, llm.ErrUnavailable):
		d.down++
		return d.byRules(s, err.Error()), nil
	case err != nil:
		return d.byRules(s, err.Error()), nil
	}
	d.down = 0
	return l, nil
}

// givesUp is how many consecutive unanswered questions end the calls: a measurement
// does not wait for a server to recover.
const givesUp = 2

func (d *distilling) byRules(s extract.Session, note string) learnt {
	return learnt{by: extract.RulesVersion, note: note}.with(extract.Judge(s, rules.Extract(s, d.Distill.MaxExtractions)))
}

// errDeclined reports a model that declined to answer.
var errDeclined = errors.New("the model declined to answer")

// byModel asks once, and again where the answer cannot be parsed (D24).
func (d *distilling) byModel(ctx context.Context, s extract.Session) (learnt, error) {
	// The fence's word is not secret here, and the same for the same session: a
	// scripted model then gives the same report.
	sum := sha256.Sum256([]byte("fence of " + s.ID))
	q := extract.Prompt(s, extract.PromptOptions{Nonce: hex.EncodeToString(sum[:12]), Tokens: d.Distill.PromptTokens, Max: d.Distill.MaxExtractions})
	var list []extract.Extraction
	var report extract.Report
	var err error
	for range 2 {
		var answer llm.Answer
		if answer, err = d.ask(ctx, q); err != nil {
			return learnt{}, err
		}
		if list, report, err = extract.Parse(answer.Text, d.Distill.MaxExtractions); err == nil {
			break
		}
	}
	if err != nil {
		return learnt{}, err
	}
	verdicts := extract.Judge(s, list)
	if again, ok := extract.Mending(q, hex.EncodeToString(sum[:12]), verdicts); ok {
		// As in distillation, a model that does not answer this one changes nothing.
		if answer, err := d.ask(ctx, again); err == nil {
			if second, _, err := extract.Parse(answer.Text, d.Distill.MaxExtractions); err == nil {
				verdicts = extract.Mend(s, verdicts, second)
			}
		}
	}
	return learnt{refused: len(report.Refused), by: d.Model.ID()}.with(verdicts), nil
}

func (d *distilling) ask(ctx context.Context, q extract.Question) (llm.Answer, error) {
	answer, err := d.Model.Complete(ctx, llm.Question{
		System: q.System, User: q.User, Schema: q.Schema, SchemaName: extract.SchemaName, MaxTokens: d.Distill.AnswerTokens,
	})
	if err == nil && answer.Stop == llm.StopRefusal {
		err = errDeclined
	}
	return answer, err
}
