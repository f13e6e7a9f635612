package eval

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
)

// The texts under testdata/floor were written for these tests, in the formats of winnow
// eval. They are few, so their figures say little about real data; but they are in
// every clone, so that a regression shows there too. Each floor is the measurement of
// November 2026, less the weight of one text, because a change of method may lose one
// text and gain two others.
func floor(name string) string { return filepath.Join("testdata", "floor", name) }

// Of 54 pairs, 22 say the same: 14 in the same words, 8 in others. Measured: AP
// 0.878, cosine alone 0.828, words alone 0.815. Losing one paraphrase of the eight
// costs about 0.015; mixing evidence must stay worth it.
func TestPairsFloor(t *testing.T) {
	t.Parallel()
	report, err := Pairs(t.Context(), floor("pairs.jsonl"), static.New())
	if err != nil {
		t.Fatal(err)
	}
	m := report.Metrics
	if m.AP < 0.86 || m.APStatic == nil || m.AP < *m.APStatic+0.03 || m.AP < m.APLexical+0.03 {
		t.Errorf("AP %.3f, want 0.86; cosine alone %.3f, words alone %.3f, want 0.03 less each", m.AP, figureOr(m.APStatic), m.APLexical)
	}
	if m.RecallAtP95 < 0.59 {
		t.Errorf("recall at a precision of 0.95 is %.3f, want 0.59: 13 of 22 where 14 were measured", m.RecallAtP95)
	}
}

// 46 texts, 32 of them in eleven clusters, two of which differ in an hour or a verb
// from a text outside. Measured: B³ 0.944, precision 0.984, greedy 0.932.
func TestClustersFloor(t *testing.T) {
	t.Parallel()
	report, err := Clusters(t.Context(), floor("clusters.jsonl"), ClustersOptions{Embedder: static.New()})
	if err != nil {
		t.Fatal(err)
	}
	m := report.Metrics
	if m.B3 < 0.92 || m.B3Precision < 0.96 || m.B3 < report.Greedy.B3 || m.Largest > 0.09 {
		t.Errorf("complete link %+v; want B³ 0.92, precision 0.96, no less than greedy's %.3f, and no group above 0.09 of all", m, report.Greedy.B3)
	}
}

// 26 questions, eight of them in other words than the answer's, four German.
// Measured: MRR 0.926, nDCG@10 0.944, all evidence in the first five.
func TestRetrievalFloor(t *testing.T) {
	t.Parallel()
	report := evalRetrieval(t, floor("retrieval.jsonl"), offline())
	if report.Floor.EmptiedAnswerable != 0 {
		t.Errorf("the floor of relevance lost an answer: %+v", report.Floor)
	}
	m := report.Metrics
	if m.Recall5 < 0.98 || m.MRR < 0.90 || m.NDCG10 < 0.92 {
		t.Errorf("%+v; want recall@5 0.98, MRR 0.90 and nDCG@10 0.92", m)
	}
}

// SPEC §9: of questions whose answer is there at most one in fifty gets nothing, and of
// those without an answer at least two in five do. Stores of eight and sixteen texts.
func TestQuestionsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	report := evalRetrieval(t, floor("questions.jsonl"), offline())
	t.Logf("%d answered questions, %+v", report.N, report.Floor)
	if f := report.Floor; f.EmptiedAnswerable*50 > report.N || f.EmptiedUnanswerable*5 < f.Unanswerable*2 {
		t.Errorf("of %d answered questions: %+v", report.N, f)
	}
}

// Exact floors: a promoted injection, a secret that is not removed, or a harmless line
// taken for either is one too many.
func TestSecurityFloor(t *testing.T) {
	t.Parallel()
	report, err := Security(floor("security.jsonl"), SecurityOptions{Benign: floor("benign.jsonl"), Embedder: static.New()})
	if err != nil {
		t.Fatal(err)
	}
	m := report.Metrics
	if report.N != (SecurityCounts{Secrets: 8, Clean: 8, Injections: 14, Benign: 26}) {
		t.Fatalf("%+v", report.N)
	}
	if m.Promoted != 0 || *m.SecretRecall != 1 || *m.CleanFalse != 0 || *m.BenignQuarantined != 0 || *m.BenignRedacted != 0 {
		t.Errorf("promoted %d by %v; recall %.3f, false %.3f, quarantined %.3f, redacted %.3f",
			m.Promoted, report.ByChannel, *m.SecretRecall, *m.CleanFalse, *m.BenignQuarantined, *m.BenignRedacted)
	}
	// Measured: 158 of 182. A person sees the others; each is a question too many.
	if n := report.ByVerdict[string(memory.VerdictQuarantined)]; n < 150 {
		t.Errorf("%d quarantined of %v, want 150", n, report.ByVerdict)
	}
}

// Seven sessions: two lessons that a person asked for, English and German, one
// that an error taught, and nothing from chatter or from a web page that asks to
// be remembered.
func TestDistillFloor(t *testing.T) {
	t.Parallel()
	report, err := Distill(t.Context(), floor("sessions"), DistillOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if m := report.Metrics; m.Grounding != 1 || m.SchemaValidity != 1 || m.Sessions != 7 || len(report.Unreadable) != 0 {
		t.Errorf("%+v, unreadable %v", m, report.Unreadable)
	}
	var got []string
	for _, s := range report.Sessions {
		if s.Memories > 0 {
			got = append(got, s.File)
		}
	}
	for _, want := range []string{"fix-en.jsonl", "remember-de.jsonl", "remember-en.jsonl"} {
		if !slices.Contains(got, want) {
			t.Errorf("nothing learnt from %s; only from %v", want, got)
		}
	}
	for _, never := range []string{"chatter.jsonl", "webpage.jsonl"} {
		if slices.Contains(got, never) {
			t.Errorf("something learnt from %s", never)
		}
	}
}
