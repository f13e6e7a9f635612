package distill

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/extract/rules"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// lessons holds what was drawn from a session, and how.
type lessons struct {
	kept       []extract.Extraction
	ungrounded int    // dropped because the session does not prove them
	distiller  string // extract.RulesVersion, or the model's id
	prompt     string // version of the prompt, where a model answered
	note       string // why rules replaced the model, or nothing was drawn
}

// Notes of a session's row, for people.
const (
	noteNoTrace  = "nothing was drawn from it: what was said is not kept any more"
	noteEmpty    = "nothing was drawn from it: nothing was said"
	noteOff      = "nothing was drawn from it: max_extractions_per_session is 0"
	noteNothing  = "the model found nothing worth keeping"
	noteInvented = "nothing the model wrote is borne out by the session"

	noteNoModel    = "rules read it: no model is configured"
	noteBudget     = "rules read it: the day's budget for models is spent"
	noteDeclined   = "rules read it: the model declined to answer"
	noteUnreadable = "rules read it: the model's answer could not be read, asked twice"
)

// learn draws lessons from a session. An error means that the session should be
// retried.
func (w *work) learn(ctx context.Context, e worker.Event, s extract.Session) (lessons, error) {
	switch {
	case w.config.MaxExtractions == 0:
		return lessons{note: noteOff}, nil
	case len(s.Lines) == 0:
		return lessons{note: noteEmpty}, nil
	case w.consult == nil:
		return w.byRules(s, noteNoModel), nil
	}
	l, err := w.byModel(ctx, s)
	switch {
	case err == nil:
		return l, nil
	case errors.Is(err, store.ErrBudget):
		return w.byRules(s, noteBudget), nil
	case errors.Is(err, errDeclined):
		return w.byRules(s, noteDeclined), nil
	case errors.Is(err, extract.ErrUnparseable):
		return w.byRules(s, noteUnreadable), nil
	case errors.Is(err, llm.ErrRefused), errors.Is(err, llm.ErrAnswer):
		return w.byRules(s, "rules read it: "+err.Error()), nil
	case errors.Is(err, llm.ErrUnavailable):
		waited := w.Now().Sub(e.Stored)
		if w.retry.over(e.Attempt, waited) {
			return w.byRules(s, fmt.Sprintf("rules read it: the model was not available in %d tries", e.Attempt)), nil
		}
		return lessons{}, worker.Snooze(w.retry.pause(e.Attempt, llm.After(err)), err)
	}
	return lessons{}, err
}

// byRules draws lessons without a model. The rules' sentences go through the
// same check as a model's words.
func (w *work) byRules(s extract.Session, note string) lessons {
	l := lessons{distiller: extract.RulesVersion, note: note}
	return l.with(extract.Judge(s, rules.Extract(s, w.config.MaxExtractions)))
}

// with adds the lessons that the session proves.
func (l lessons) with(verdicts []extract.Verdict) lessons {
	for _, v := range verdicts {
		if v.Kept == nil {
			l.ungrounded++
		} else {
			l.kept = append(l.kept, *v.Kept)
		}
	}
	return l
}
