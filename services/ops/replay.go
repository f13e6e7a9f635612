package ops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Replayed is the comparison of a decision with its replay from the stored
// texts.
type Replayed struct {
	Decision    string   `json:"decision"`
	Rule        string   `json:"rule"`
	Same        bool     `json:"same"`
	Differences []string `json:"differences,omitempty"`
	// Skipped is the reason why the replay was not possible; Same has no meaning
	// then.
	Skipped string `json:"skipped,omitempty"`
}

// ReplayReport sums up replays of many decisions.
type ReplayReport struct {
	Same      int        `json:"same"`
	Different int        `json:"different"`
	Skipped   int        `json:"skipped"`
	Details   []Replayed `json:"details,omitempty"` // replays with a difference
}

// replayer caches the costly inputs of replays.
type replayer struct {
	ops      *Ops
	analyzer *wording.Analyzer
	policies map[string]*judge.Policy // by version
}

func (o *Ops) replayer(ctx context.Context) (*replayer, error) {
	// A decision names its embedder, so the current settings do not matter.
	analyzer, err := wording.NewEmbeddingAnalyzer(o.Meaning)
	if err != nil {
		return nil, err
	}
	r := &replayer{ops: o, analyzer: analyzer, policies: map[string]*judge.Policy{}}
	for _, name := range judge.PolicyNames() {
		p, _, err := judge.ShippedPolicy(name)
		if err != nil {
			return nil, err
		}
		r.policies[p.Version()] = p
	}
	kept, err := o.Store.Policies(ctx, o.Tenant)
	if err != nil {
		return nil, err
	}
	for _, stored := range kept {
		p, err := judge.ParsePolicy([]byte(stored.Text))
		if err != nil {
			return nil, err
		}
		r.policies[p.Version()] = p
	}
	return r, nil
}

// ReplayDecision derives one decision again, with newly extracted features and
// similarities, and compares the results.
func (o *Ops) ReplayDecision(ctx context.Context, id string) (Replayed, error) {
	d, err := o.Store.Decision(ctx, o.Tenant, id)
	if err != nil {
		return Replayed{}, fmt.Errorf("replay %s: %w", id, err)
	}
	r, err := o.replayer(ctx)
	if err != nil {
		return Replayed{}, fmt.Errorf("replay %s: %w", id, err)
	}
	return r.replay(ctx, d)
}

// ReplayAll derives every decision again. progress may be nil.
func (o *Ops) ReplayAll(ctx context.Context, progress func(done int)) (ReplayReport, error) {
	var report ReplayReport
	r, err := o.replayer(ctx)
	if err != nil {
		return report, fmt.Errorf("replay: %w", err)
	}
	const page = 500
	for after, n := "", 0; ; {
		list, err := o.Store.Decisions(ctx, o.Tenant, store.DecisionQuery{After: after, Limit: page})
		if err != nil {
			return report, fmt.Errorf("replay: %w", err)
		}
		for _, d := range list {
			one, err := r.replay(ctx, d)
			if err != nil {
				return report, err
			}
			report.add(one)
			if n++; progress != nil {
				progress(n)
			}
		}
		if len(list) < page {
			return report, nil
		}
		after = list[len(list)-1].ID
	}
}

func (r *ReplayReport) add(one Replayed) {
	switch {
	case one.Skipped != "":
		r.Skipped++
	case one.Same:
		r.Same++
	default:
		r.Different++
		r.Details = append(r.Details, one)
	}
}

func (r *replayer) replay(ctx context.Context, d memory.Decision) (Replayed, error) {
	out := Replayed{Decision: d.ID, Rule: d.Rule}
	if d.Actor != memory.ActorTriage {
		out.Skipped = "decided by a " + string(d.Actor)
		return out, nil
	}
	policy, ok := r.policies[d.PolicyVersion]
	if !ok {
		out.Skipped = fmt.Sprintf("policy %s@%s is not stored", d.Policy, d.PolicyVersion)
		return out, nil
	}
	in := judge.ReplayInput{Decision: d, Policy: policy, Texts: map[string]string{}}
	p, err := r.ops.Store.Proposal(ctx, r.ops.Tenant, d.ProposalID)
	if err == nil && p.Text == "" {
		err = fmt.Errorf("%w: %s was forgotten", store.ErrNotFound, p.ID)
	}
	if err == nil {
		in.Text = p.Text
		err = r.texts(ctx, d, in.Texts)
	}
	if err == nil {
		var rests []memory.Evidence
		rests, err = r.ops.Store.Evidence(ctx, r.ops.Tenant, p.ID)
		in.SetProposal(&p, rests)
	}
	if errors.Is(err, store.ErrNotFound) {
		out.Skipped = "a text is gone: " + err.Error()
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("replay %s: %w", d.ID, err)
	}
	with, ok := judge.SimilarityByID(r.analyzer, d.Calibration)
	if judge.Earlier(d.Calibration) {
		out.Skipped = fmt.Sprintf("decided by an earlier version, which compared with %s", d.Calibration)
		return out, nil
	}
	if !ok {
		out.Skipped = fmt.Sprintf("compared with %s, which is not at hand", d.Calibration)
		return out, nil
	}
	got, err := judge.Replay(in, with, r.analyzer)
	if err != nil {
		out.Skipped = err.Error()
		return out, nil //nolint:nilerr // a decision without a replay is reported, not an error
	}
	out.Same, out.Differences = got.Same, got.Differences
	return out, nil
}

// texts reads the texts that the proposal was compared with.
func (r *replayer) texts(ctx context.Context, d memory.Decision, into map[string]string) error {
	var lacking []string
	for _, c := range d.Candidates {
		if _, known := into[c.ID]; known {
			continue
		}
		if file, _, line := strings.Cut(c.ID, "#"); line {
			f, err := r.ops.Store.BootFile(ctx, r.ops.Tenant, file)
			if err != nil {
				return err
			}
			maps.Copy(into, judge.BootTexts(f))
			continue
		}
		lacking = append(lacking, c.ID)
	}
	texts, err := review.Texts(ctx, r.ops.Store, r.ops.Tenant, lacking...)
	for _, id := range lacking {
		text, there := texts[id]
		if there && text == "" {
			return fmt.Errorf("%w: %s was forgotten", store.ErrNotFound, id)
		}
		into[id] = text // empty after deletion by retention
	}
	return err
}

// ReplayOutbox publishes the events committed since a time again, under the same
// message ids, and returns the number of unpublished events.
func (o *Ops) ReplayOutbox(ctx context.Context, since time.Time) (int64, error) {
	return o.Store.Republish(ctx, since)
}
