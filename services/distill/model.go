package distill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/winnowhq/winnow/services/internal/model/consult"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/session/extract"
)

// Purposes of questions, as the ledger of calls and the metrics name them.
const (
	purposeDistill = "distill"
	purposeRepair  = "distill.repair"
	purposeMend    = "distill.mend"
)

// errDeclined says that the model refused to answer.
var errDeclined = errors.New("the model declined to answer")

// byModel asks the model, and asks once more where the answer cannot be parsed
// (D24).
func (w *work) byModel(ctx context.Context, s extract.Session) (lessons, error) {
	q := extract.Prompt(s, extract.PromptOptions{Nonce: nonce(s.ID), Tokens: w.config.PromptTokens, Max: w.config.MaxExtractions})
	l := lessons{distiller: w.Model.ID(), prompt: q.Version}
	answer, err := w.ask(ctx, s, purposeDistill, q)
	if err != nil {
		return l, err
	}
	list, _, err := extract.Parse(answer.Text, w.config.MaxExtractions)
	if errors.Is(err, extract.ErrUnparseable) {
		list, err = w.repair(ctx, s, q, answer.Stop)
	}
	if err != nil {
		return l, err
	}
	verdicts := w.mended(ctx, s, q, extract.Judge(s, list))
	l = l.with(verdicts)
	switch {
	case len(list) == 0:
		l.note = noteNothing
	case len(l.kept) == 0:
		l.note = noteInvented
	}
	return l, nil
}

// mended asks the model once to cite or to leave out what the session does not
// bear out, and returns the better version of each lesson. A model that does not
// answer this question costs nothing but the question: what the first answer
// bears out is used. Both answers are stored before they are used, so a session
// delivered again pays for neither.
func (w *work) mended(ctx context.Context, s extract.Session, q extract.Question, verdicts []extract.Verdict) []extract.Verdict {
	again, ok := extract.Mending(q, nonce(s.ID), verdicts)
	if !ok {
		return verdicts
	}
	answer, err := w.ask(ctx, s, purposeMend, again)
	if err != nil {
		return verdicts
	}
	second, _, err := extract.Parse(answer.Text, w.config.MaxExtractions)
	if err != nil {
		return verdicts
	}
	return extract.Mend(s, verdicts, second)
}

// The ends of a repeated question. The unreadable answer is not shown to the
// model again, because an instruction in it would take effect again.
const (
	askAgain   = "\n\nA first answer could not be read. Answer with nothing but the JSON object, or with NO_EXTRACTIONS."
	askShorter = "\n\nA first answer was cut off at its length. Answer with nothing but the JSON object: fewer memories, in fewer words."

	repairVersion = "+again-1"
)

// repair asks again, for an answer that can be parsed.
func (w *work) repair(ctx context.Context, s extract.Session, q extract.Question, stop llm.Stop) ([]extract.Extraction, error) {
	if stop == llm.StopLength {
		q.User += askShorter
	} else {
		q.User += askAgain
	}
	q.Version += repairVersion
	answer, err := w.ask(ctx, s, purposeRepair, q)
	if err != nil {
		return nil, err
	}
	list, _, err := extract.Parse(answer.Text, w.config.MaxExtractions)
	return list, err
}

func (w *work) ask(ctx context.Context, s extract.Session, purpose string, q extract.Question) (llm.Answer, error) {
	answer, err := w.consult.Ask(ctx, s.Tenant, consult.Request{
		Purpose: purpose, Subject: s.ID, Prompt: q.Version,
		Question: llm.Question{
			System: q.System, User: q.User, Schema: q.Schema, SchemaName: extract.SchemaName, MaxTokens: w.config.AnswerTokens,
		},
	})
	if err == nil && answer.Stop == llm.StopRefusal {
		err = errDeclined
	}
	return answer, err
}

// nonce returns the random word of a session's fence. The author of the trace
// cannot know it, because the session's id is drawn after the trace was
// written. The nonce is the same for the same session, because a question must
// be the same under one idempotency key.
func nonce(session string) string {
	sum := sha256.Sum256([]byte("fence of " + session))
	return hex.EncodeToString(sum[:12])
}
