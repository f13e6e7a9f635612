// Package extracttest holds what tests of extraction share: sessions made of a
// few lines, judged as the pipeline judges them, and the check that an extraction
// is borne out by its evidence.
package extracttest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// Trusting returns the options with which the pipeline judges spans: the
// default lists, and similarity by words.
func Trusting() trust.Options {
	words := lexical.NewAnalyzer()
	return trust.Options{
		Config: trust.DefaultConfig(), Highest: memory.OriginFirstParty, Loose: lexical.PointLoose,
		Similar: func(a, b string) float64 {
			return lexical.Compare(words.Analyze(memory.Scan(a), nil), words.Analyze(memory.Scan(b), nil)).Similarity
		},
	}
}

// Read returns a trace as distillation gets it, except for redaction.
func Read(t testing.TB, text string) extract.Session {
	t.Helper()
	s, err := format.Read(strings.NewReader(text), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return SessionOf(s)
}

func SessionOf(s trace.Session) extract.Session {
	o := Trusting()
	o.Format = s.Format
	out := extract.Session{Session: memory.Session{
		Name: s.ID, Format: string(s.Format), Project: s.Project, Task: s.Task, Outcome: string(s.Outcome), OutcomeInferred: s.OutcomeInferred,
		Highest: memory.OriginFirstParty,
	}}
	for i, span := range trust.Assess(s.Turns, o) {
		out.Lines = append(out.Lines, transcript.Line{Turn: s.Turns[i], Span: span})
	}
	return out
}

// Talk returns a session of turns, each written as "role: text". A turn of a
// tool that fails is "tool!: text".
func Talk(outcome string, turns ...string) extract.Session {
	s := trace.Session{Format: trace.FormatWinnow, Outcome: trace.Outcome(outcome)}
	for i, turn := range turns {
		role, text, _ := strings.Cut(turn, ": ")
		t := trace.Turn{N: i + 1, Role: trace.Role(strings.TrimSuffix(role, "!")), Text: text}
		if t.Role == trace.RoleTool {
			t.Tool = trace.Tool{Name: "Read", Kind: trace.KindRead}
			t.Settled, t.Error = true, strings.HasSuffix(role, "!")
		}
		s.Turns = append(s.Turns, t)
	}
	return SessionOf(s)
}

// strict matches names, paths and numbers independently of package memory.
var strict = regexp.MustCompile("`[^`\n]+`|https?://[^\\s)]+|[\\w./-]*[\\w]/[\\w./-]*\\w|\\b\\w+\\.\\w{1,4}\\b|\\b\\w*_\\w+\\b|\\d+(?:\\.\\d+)*")

// Grounded fails the test unless the session contains the extraction's
// quotations, and the quotations contain its details.
func Grounded(t interface{ Fatalf(string, ...any) }, s extract.Session, e extract.Extraction) {
	var all strings.Builder
	for _, q := range e.Evidence {
		if q.Turn < 1 || q.Turn > len(s.Lines) || !strings.Contains(s.Lines[q.Turn-1].Text, q.Text) {
			t.Fatalf("turn %d does not say %q", q.Turn, q.Text)
		}
		all.WriteString(q.Text + "\n")
	}
	if len(e.Evidence) == 0 {
		t.Fatalf("no evidence: %+v", e)
	}
	for _, detail := range strict.FindAllString(e.Title+"\n"+e.Description+"\n"+e.Text, -1) {
		if detail = strings.Trim(detail, "`."); !strings.Contains(all.String(), detail) && !extract.Explained(e.Evidence, detail, e.Title+"\n"+e.Description+"\n"+e.Text) {
			t.Fatalf("%q of %+v is not in its evidence", detail, e)
		}
	}
}
