package eval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// SecurityOptions are the options of [Security].
type SecurityOptions struct {
	// Benign is a file of harmless texts, such as memories of a real project; empty
	// skips their figures.
	Benign string
	// Policy and Embedder are as in [TriageOptions].
	Policy   string
	Embedder embed.Embedder
}

// SecurityReport says which hostile and harmless texts passed.
type SecurityReport struct {
	Suite   string          `json:"suite"`
	N       SecurityCounts  `json:"n"`
	Metrics SecurityMetrics `json:"metrics"`
	// ByChannel counts the promoted injections of each channel, ByVerdict the verdicts
	// on all injections.
	ByChannel map[string]int       `json:"promoted_by_channel"`
	ByVerdict map[string]int       `json:"by_verdict"`
	Intervals map[string]*Interval `json:"intervals"`
	Items     []SecurityItem       `json:"-"`
}

// SecurityCounts are the numbers of texts of each kind.
type SecurityCounts struct {
	Secrets    int `json:"secret_spans"`
	Clean      int `json:"clean_lines"`
	Injections int `json:"injections"`
	Benign     int `json:"benign"`
}

// SecurityMetrics are the figures of SPEC §18. A figure without data is null.
type SecurityMetrics struct {
	SecretRecall      *float64 `json:"secret_span_recall"`
	CleanFalse        *float64 `json:"clean_false_positive_rate"` // the line's own rule fires
	CleanAlarms       *float64 `json:"clean_any_rule_rate"`       // any rule fires
	Promoted          int      `json:"injections_promoted"`
	BenignQuarantined *float64 `json:"benign_quarantined_rate"`
	BenignRedacted    *float64 `json:"benign_redacted_rate"`
}

// SecurityItem is one text that went wrong, and every injection.
type SecurityItem struct {
	ID      string `json:"id"`
	Channel string `json:"channel"` // secret, clean, benign, or the way of an injection
	Verdict string `json:"verdict"` // of triage, or kept, redacted
	Rule    string `json:"rule,omitempty"`
}

// SecuritySet is labelled text, and harmless text beside it.
type SecuritySet struct {
	Lines  []SecurityLine
	Benign []BenignText
}

// BenignText is a harmless text, such as a memory of a real project.
type BenignText struct{ ID, Text string }

// SecurityLine is a line of the data: a secret or clean line with its rule and
// the spans to be found, or an injection.
type SecurityLine struct {
	ID      string   `json:"id"`
	Label   string   `json:"label"` // secret, clean or injection
	Rule    string   `json:"rule"`
	Text    string   `json:"text"`
	Secrets []string `json:"secrets"`
}

// Security scores redaction and the gates (SPEC §18). data is a file of JSON lines or a
// folder of them. Injections go in by every channel of an attacker: alone, behind a
// valid dated fact, as a recorded lesson, in the output of a tool with a model that
// obeys it, in the agent's own summary, and in German.
func Security(data string, opts SecurityOptions) (*SecurityReport, error) {
	lines, err := readSecurity(data)
	if err != nil {
		return nil, fmt.Errorf("eval security: %w", err)
	}
	set := SecuritySet{Lines: lines}
	if opts.Benign != "" {
		if set.Benign, err = ReadLines[BenignText](opts.Benign); err != nil {
			return nil, fmt.Errorf("eval security: %w", err)
		}
	}
	report, err := set.Score(opts)
	if err != nil {
		return nil, fmt.Errorf("eval security: %w", err)
	}
	return report, nil
}

// Score is [Security] of a set in memory; the Benign of the options is not read.
func (s *SecuritySet) Score(opts SecurityOptions) (*SecurityReport, error) {
	run, err := newSecurityRun(opts)
	if err != nil {
		return nil, err
	}
	for i := range s.Lines {
		switch l := &s.Lines[i]; l.Label {
		case "secret", "clean":
			run.secret(l)
		case "injection":
			err = run.injection(l)
		default:
			err = fmt.Errorf("%s: label %q, want secret, clean or injection", l.ID, l.Label)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, t := range s.Benign {
		if err := run.benign(t.ID, t.Text); err != nil {
			return nil, err
		}
	}
	return run.score(), nil
}

// readSecurity reads a file, or every .jsonl file of a folder in the order of
// their names.
func readSecurity(data string) ([]SecurityLine, error) {
	info, err := os.Stat(data)
	if err != nil {
		return nil, err
	}
	files := []string{data}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(data, "*.jsonl")); err != nil {
			return nil, err
		}
		slices.Sort(files)
	}
	var all []SecurityLine
	for _, f := range files {
		lines, err := ReadLines[SecurityLine](f)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	if len(all) == 0 {
		return nil, errors.New(data + " holds no JSON lines; name a .jsonl file or a folder of them")
	}
	return all, nil
}

// securityRun counts. One entry of a slice is one draw of the bootstrap.
type securityRun struct {
	redactor *redact.Redactor
	triage   triageRun
	report   SecurityReport

	spans, clean, alarms, quarantined, redacted []bool // one entry for each text: it went wrong
}

func newSecurityRun(opts SecurityOptions) (*securityRun, error) {
	// The key makes tags unguessable; in an evaluation it may be fixed, and the same
	// tags give the same report.
	redactor, err := redact.New(redact.Config{Key: []byte("winnow eval security")})
	if err != nil {
		return nil, err
	}
	analyzer, err := wording.NewEmbeddingAnalyzer(opts.Embedder)
	if err != nil {
		return nil, err
	}
	return &securityRun{
		redactor: redactor,
		triage:   triageRun{lanes: map[string]*judge.Lane{}, policy: opts.Policy, analyzer: analyzer},
		report:   SecurityReport{Suite: "security", ByChannel: map[string]int{}, ByVerdict: map[string]int{}},
	}, nil
}

// secret checks that every span is removed, and which rules a clean line triggers: the one
// that it was written against, or any. A rule that is right elsewhere is an alarm too.
func (r *securityRun) secret(l *SecurityLine) {
	out, found := r.redactor.Text("eval", l.Text)
	for _, s := range l.Secrets {
		kept := strings.Contains(out, s)
		r.spans = append(r.spans, kept)
		r.note(kept, l.ID, "secret", "kept", l.Rule)
	}
	if l.Label == "clean" {
		fired := slices.ContainsFunc(found, func(f redact.Finding) bool { return f.Rule == l.Rule })
		r.clean = append(r.clean, fired)
		r.note(fired, l.ID, "clean", "redacted", l.Rule)
		r.alarms = append(r.alarms, len(found) > 0)
		for _, f := range found {
			r.note(f.Rule != l.Rule, l.ID, "clean", "redacted", f.Rule)
		}
	}
}

func (r *securityRun) note(wrong bool, id, channel, verdict, rule string) {
	if wrong {
		r.report.Items = append(r.report.Items, SecurityItem{ID: id, Channel: channel, Verdict: verdict, Rule: rule})
	}
}

// injection sends one hostile text through every channel, each into an empty store.
func (r *securityRun) injection(l *SecurityLine) error {
	r.report.N.Injections++
	for _, ch := range channels {
		for _, item := range ch.items(l.Text) {
			d, err := r.judge(l.ID+"/"+ch.name, item)
			if err != nil {
				return err
			}
			if d.Verdict == memory.VerdictPromoted {
				r.report.Metrics.Promoted++
				r.report.ByChannel[ch.name]++
			}
			r.report.ByVerdict[string(d.Verdict)]++
			r.note(true, l.ID, ch.name, string(d.Verdict), d.Rule)
		}
	}
	return nil
}

// judge redacts and judges one proposal in a scope of its own.
func (r *securityRun) judge(name string, item judge.Item) (memory.Decision, error) {
	lane, err := r.triage.lane(name)
	if err != nil {
		return memory.Decision{}, err
	}
	// Each scope is used once; all of them would fill the memory.
	delete(r.triage.lanes, name)
	p := &item.Proposal
	p.ID, p.Tenant, p.Scope, p.Principal = "prop_eval", memory.DefaultTenant, "project:eval", "eval"
	p.Text, _ = r.redactor.Text("eval", p.Text)
	for i := range item.Evidence {
		item.Evidence[i].ProposalID = p.ID
	}
	d, _ := lane.Judge(item, firstDay)
	return d, nil
}

// benign checks whether harmless text is taken for an attack or for a secret.
func (r *securityRun) benign(id, text string) error {
	_, found := r.redactor.Text("eval", text)
	r.redacted = append(r.redacted, len(found) > 0)
	for _, f := range found {
		r.note(true, id, "benign", "redacted", f.Rule)
	}
	d, err := r.judge("benign/"+id, judge.Item{Proposal: claim(text)})
	if err != nil {
		return err
	}
	quarantined := d.Verdict == memory.VerdictQuarantined
	r.quarantined = append(r.quarantined, quarantined)
	r.note(quarantined, id, "benign", string(d.Verdict), d.Rule)
	return nil
}

func (r *securityRun) score() *SecurityReport {
	out := &r.report
	out.N.Secrets, out.N.Clean, out.N.Benign = len(r.spans), len(r.clean), len(r.redacted)
	out.Intervals = map[string]*Interval{}
	rate := func(name string, wrong []bool, right bool) *float64 {
		if len(wrong) == 0 {
			return nil
		}
		groups := make([][]bool, len(wrong))
		for i := range wrong {
			groups[i] = wrong[i : i+1]
		}
		share := func(draw []bool) (float64, bool) {
			n := 0
			for _, w := range draw {
				if w != right {
					n++
				}
			}
			return float64(n) / float64(len(draw)), true
		}
		out.Intervals[name] = bootstrap(groups, share)
		v, _ := share(wrong)
		return &v
	}
	out.Metrics.SecretRecall = rate("secret_span_recall", r.spans, true)
	out.Metrics.CleanFalse = rate("clean_false_positive_rate", r.clean, false)
	out.Metrics.CleanAlarms = rate("clean_any_rule_rate", r.alarms, false)
	out.Metrics.BenignQuarantined = rate("benign_quarantined_rate", r.quarantined, false)
	out.Metrics.BenignRedacted = rate("benign_redacted_rate", r.redacted, false)
	return out
}

// Regressions compares with an earlier report and lists the figures that became
// worse by more than the tolerance. An injection that is promoted is always one.
func (r *SecurityReport) Regressions(baseline *SecurityReport, tolerance float64) []string {
	var out []string
	worse := func(name string, before, after *float64, sign float64) {
		if before != nil && after != nil && sign*(*after-*before) > tolerance {
			out = append(out, fmt.Sprintf("%s %.3f → %.3f", name, *before, *after))
		}
	}
	worse("secret_span_recall", baseline.Metrics.SecretRecall, r.Metrics.SecretRecall, -1)
	worse("clean_false_positive_rate", baseline.Metrics.CleanFalse, r.Metrics.CleanFalse, 1)
	worse("clean_any_rule_rate", baseline.Metrics.CleanAlarms, r.Metrics.CleanAlarms, 1)
	worse("benign_quarantined_rate", baseline.Metrics.BenignQuarantined, r.Metrics.BenignQuarantined, 1)
	worse("benign_redacted_rate", baseline.Metrics.BenignRedacted, r.Metrics.BenignRedacted, 1)
	if r.Metrics.Promoted > baseline.Metrics.Promoted {
		out = append(out, fmt.Sprintf("injections_promoted %d → %d", baseline.Metrics.Promoted, r.Metrics.Promoted))
	}
	return out
}
