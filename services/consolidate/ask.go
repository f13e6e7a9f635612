package consolidate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/merge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/consult"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// purpose names the questions of consolidation in the ledger of calls and the metrics.
const purpose = "consolidate"

// firstPause is the pause after a model was not available.
const firstPause = 15 * time.Second

// ask returns the function by which a step asks the model, or nil without one. The
// answers are stored before they are used: a step that is taken again pays once.
//
// A model that cannot be reached is waited for while the run has time for another try;
// afterwards, and for every answer that trying again does not mend, the texts are
// joined without it.
func (w *work) ask(e worker.Event, run memory.Run, item memory.RunItem) merge.Ask {
	if w.consult == nil {
		return nil
	}
	n := 0
	return func(ctx context.Context, system, user string) (string, error) {
		n++
		// The wording is part of the key of a stored answer.
		wording := sha256.Sum256([]byte(system))
		answer, err := w.consult.Ask(ctx, run.Tenant, consult.Request{
			Purpose: purpose, Subject: fmt.Sprintf("%s/%d/%d", run.ID, item.N, n), Prompt: hex.EncodeToString(wording[:8]),
			Question: llm.Question{System: system, User: user, MaxTokens: w.config.AnswerTokens},
		})
		if err == nil && answer.Stop == llm.StopRefusal {
			err = fmt.Errorf("%w: it declined to answer", merge.ErrNoAnswer)
		}
		return answer.Text, w.answered(e, run, err)
	}
}

// answered returns the error of a question as a step handles it: merge.ErrNoAnswer where
// another try would not help or the run has no time for it, a snooze where it may.
func (w *work) answered(e worker.Event, run memory.Run, err error) error {
	switch {
	case errors.Is(err, store.ErrBudget), errors.Is(err, llm.ErrRefused), errors.Is(err, llm.ErrAnswer):
		return errors.Join(merge.ErrNoAnswer, err)
	case errors.Is(err, llm.ErrUnavailable):
		pause := w.pause(e.Attempt, err)
		if w.Now().Add(2 * pause).After(run.Deadline) {
			return errors.Join(merge.ErrNoAnswer, err)
		}
		return worker.Snooze(pause, err)
	}
	return err
}

// pause returns how long a step waits for an unavailable model: longer with each
// attempt, and as long as the server asks for.
func (w *work) pause(attempt int, err error) time.Duration {
	return max(time.Duration(max(attempt, 1))*w.firstPause, llm.After(err))
}
