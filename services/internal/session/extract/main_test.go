package extract_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// trusting is how the pipeline judges spans: the shipped lists, and likeness by
// words.
func trusting() trust.Options {
	words := lexical.NewAnalyzer()
	return trust.Options{
		Config: trust.DefaultConfig(), Highest: memory.OriginFirstParty, Loose: lexical.PointLoose,
		Similar: func(a, b string) float64 {
			return lexical.Compare(words.Analyze(memory.Scan(a), nil), words.Analyze(memory.Scan(b), nil)).Similarity
		},
	}
}

// read is a trace as distillation gets it, but for redaction.
func read(t testing.TB, text string) extract.Session {
	t.Helper()
	s, err := format.Read(strings.NewReader(text), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return sessionOf(s)
}

func sessionOf(s trace.Session) extract.Session {
	o := trusting()
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

// talk is a session of turns, each written as "role: text". A turn of the tool's
// that fails is "tool!: text".
func talk(outcome string, turns ...string) extract.Session {
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
	return sessionOf(s)
}
