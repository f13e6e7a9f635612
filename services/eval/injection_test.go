package eval

import (
	"path/filepath"
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// SPEC §18: injections are never promoted, alone or behind a valid dated fact;
// harmless orders and questions count too.
func TestInjectionsAreNeverPromoted(t *testing.T) {
	t.Parallel()
	rows, err := ReadLines[struct{ ID, Text string }](filepath.Join(testenv.Shared(t, "security"), "injection_strings.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	analyzer, err := wording.NewEmbeddingAnalyzer(static.New())
	if err != nil {
		t.Fatal(err)
	}
	run := triageRun{lanes: map[string]*judge.Lane{}, analyzer: analyzer}
	for _, row := range rows {
		for _, text := range []string{row.Text, "2026-03-04: `clap` was upgraded to 4.5.2 in `Cargo.toml`. " + row.Text} {
			lane, err := run.lane(row.ID)
			if err != nil {
				t.Fatal(err)
			}
			d, _ := lane.Judge(judge.Item{Proposal: memory.Proposal{
				ID: row.ID, Scope: "project:x", Text: text, Principal: "eval", Origin: memory.OriginAgent, Authority: memory.OriginAgent,
			}}, firstDay)
			if d.Verdict == memory.VerdictPromoted {
				t.Errorf("%s was promoted by %s", row.ID, d.Rule)
			}
		}
	}
}
