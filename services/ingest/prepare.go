package ingest

import (
	"errors"
	"io"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// prepared is a session ready to be stored, before it has an id and a scope.
type prepared struct {
	session trace.Session // without its turns
	chunks  [][]byte
	hash    string
	bytes   int64

	turns, skipped       int
	external, redactions int
	language             string // empty where the words do not determine it

	// tracker holds the words from outside that were heard.
	tracker *trust.Tracker
}

// prepare reads a session to its end: every turn gets the origin of its words
// and goes into the transcript. Its memory is that of the compressed transcript
// and of the words from outside, which are bounded. The reader's turns are
// already redacted. Errors are those of [trace.Reader.Next].
func prepare(r *format.Reader, o trust.Options) (prepared, error) {
	prep := prepared{}
	o.Format = r.Session().Format
	prep.tracker = trust.NewTracker(o)
	w := transcript.NewWriter()
	var words sample
	for {
		turn, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return prepared{}, err
		}
		span := prep.tracker.Add(turn)
		if span.Cause != "" {
			prep.external++ // counted even if it cannot be written, because the tracker assessed it
		}
		if err := w.Add(transcript.Line{Turn: turn, Span: span}); err != nil {
			// One turn that cannot be written must not lose the session.
			prep.skipped++
			continue
		}
		prep.turns++
		prep.redactions += redact.Count(turn.Text)
		words.add(turn)
	}
	prep.session = r.Session()
	prep.skipped += prep.session.Report.Skipped
	prep.language = search.Language(words.String())
	var err error
	prep.chunks, prep.hash, prep.bytes, err = w.Close()
	return prep, err
}

// sample collects words of people and agents, which determine the language of a
// session; the output of tools is English everywhere.
type sample struct{ strings.Builder }

// enough is the size of a sample in bytes.
const enough = 8 << 10

func (s *sample) add(t trace.Turn) {
	if s.Len() >= enough || t.Calls() || t.Role != trace.RoleUser && t.Role != trace.RoleAssistant {
		return
	}
	// A single long turn must not fill the sample.
	s.WriteString(t.Text[:min(len(t.Text), enough/4)])
	s.WriteByte('\n')
}

// persons calls yield for every prepared turn of a person, until yield returns
// false. The error is transcript.ErrCorrupt.
func (prep *prepared) persons(yield func(text string, origin memory.Origin) bool) error {
	err := prep.each(func(l transcript.Line) error {
		if l.Span.Origin >= memory.OriginFirstParty && !yield(l.Text, l.Span.Origin) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// evidence returns the session as the judge of what was recorded in it.
func (prep *prepared) evidence() *trust.Evidence {
	return trust.NewEvidence(prep.tracker, prep.persons)
}

// errEnough stops a reading early.
var errEnough = errors.New("enough")
