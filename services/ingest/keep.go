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

// kept is a session as it will be stored, before it has a place.
type kept struct {
	session trace.Session // without its turns
	chunks  [][]byte
	hash    string
	bytes   int64

	turns, skipped       int
	external, redactions int
	language             string // empty where the words do not tell

	// tracker knows the words from outside that were heard.
	tracker *trust.Tracker
}

// keep reads a session to its end: every turn gets the origin of its words and
// goes into the transcript. Its memory is that of the compressed transcript and
// of the words from outside, which are bounded. The reader has redacted what it
// returns. Errors are those of [trace.Reader.Next].
func keep(r *format.Reader, o trust.Options) (kept, error) {
	k := kept{}
	o.Format = r.Session().Format
	k.tracker = trust.NewTracker(o)
	w := transcript.NewWriter()
	var words sample
	for {
		turn, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return kept{}, err
		}
		span := k.tracker.Add(turn)
		if span.Cause != "" {
			k.external++ // counted even if it cannot be written: the tracker heard it
		}
		if err := w.Add(transcript.Line{Turn: turn, Span: span}); err != nil {
			// One turn that cannot be written does not lose the session.
			k.skipped++
			continue
		}
		k.turns++
		k.redactions += redact.Count(turn.Text)
		words.add(turn)
	}
	k.session = r.Session()
	k.skipped += k.session.Report.Skipped
	k.language = search.Language(words.String())
	var err error
	k.chunks, k.hash, k.bytes, err = w.Close()
	return k, err
}

// sample gathers words of people and agents, which tell the language of a
// session; what tools print is English anywhere.
type sample struct{ strings.Builder }

// enough is the size of a sample in bytes.
const enough = 8 << 10

func (s *sample) add(t trace.Turn) {
	if s.Len() >= enough || t.Calls() || t.Role != trace.RoleUser && t.Role != trace.RoleAssistant {
		return
	}
	// A single long turn must not be all of it.
	s.WriteString(t.Text[:min(len(t.Text), enough/4)])
	s.WriteByte('\n')
}

// persons calls yield for every turn of a person in what was kept, until it
// returns false. The error is transcript.ErrCorrupt.
func (k *kept) persons(yield func(text string, origin memory.Origin) bool) error {
	err := k.each(func(l transcript.Line) error {
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

// evidence is the session as the judge of what was recorded in it.
func (k *kept) evidence() *trust.Evidence { return trust.NewEvidence(k.tracker, k.persons) }

// errEnough ends a reading early.
var errEnough = errors.New("enough")
