package norm_test

import (
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge/norm"
	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

func read(text string) norm.Reading {
	tokens := memory.Scan(text)
	return norm.Of(tokens, memory.Stamps(text, tokens), language.Of(tokens) == language.German)
}

// Each sign is found where it stands, and speaks for its side.
func TestSigns(t *testing.T) {
	t.Parallel()
	for text, sign := range map[string]string{
		"Fixtures live next to the test.":                                    "places",
		"Branches carry the ticket.":                                         "any-artefact",
		"Every endpoint has an owner.":                                       "universal",
		"Reviewers look at the schema first.":                                "people",
		"We spell names in full.":                                            "we",
		"The scheduler picks the oldest job.":                                "definite",
		"Timestamps are stored in UTC.":                                      "shaped",
		"Class names are PascalCase.":                                        "form",
		"Generated files are not touched.":                                   "denied",
		"New tables need an approval.":                                       "approval",
		"Images go out only after the self-test.":                            "only-after",
		"CI fails any PR with a raw query.":                                  "gate",
		"Dates are ISO, never local.":                                        "contrast",
		"A branch lives three days at most.":                                 "limit",
		"One class per file.":                                                "per",
		"The seed is a good start for fixtures.":                             "praise",
		"Karpenter starts a node.":                                           "named",
		"The watcher triggers three builds.":                                 "acts",
		"Every host has a fan.":                                              "has",
		"A release without notes is no release.":                             "without",
		"Customer names have no place in fixtures.":                          "ban",
		"It pays to read the plan first.":                                    "worth",
		"If the cache is cold, flip the order.":                              "order",
		"Bei uns heißen Rechner nach Flüssen.":                               "here",
		"Tables are plural (agreed in spring).":                              "agreed",
		"Log levels: info for states, warn for retries.":                     "scheme",
		"In June the old queue gets switched off.":                           "planned",
		"The exporter wrote no header.":                                      "past",
		"Deploys stopped, because the disk was full.":                        "past-later",
		"Nodes get twice the load since the change.":                         "since",
		"The probe waits 40 ms.":                                             "measure",
		"The pool holds 12 connections.":                                     "number",
		"Messages are forwarded to the archive.":                             "processed",
		"The device can store two images.":                                   "ability",
		"The worker reads `a.yaml` and `b.yaml`.":                            "codes",
		"Hook scripts lose their mode. It was seen. It was bad. It is over.": "story",
		"The queue was full. Fixtures live next to the test.":                "later",
		"Die Regel, dass jeder Merge zwei Augen braucht, galt bis.":          "definite",
		"A missing header will make the file bounce.":                        "defect",
		"Die Proben sind vor der Messung zu kühlen.":                         "due-in-german",
		"Long imports are best started before lunch.":                        "worth",
		"Buoy names are short, agreed on 3 May.":                             "agreed-on",
		"Only the shift leader drains the nodes.":                            "only-by",
		"The pistol is used by the watch leader alone.":                      "only-by",
		"Totals change through corrections, never by hand.":                  "by-hand",
		"Runs are labelled after their day.":                                 "called",
		"Before every race the line is measured.":                            "before-each",
		"Heavy rolls are lifted by two people.":                              "by-two",
		"Entries without a number are sent back.":                            "refused",
		"Every fender is checked, without exception.":                        "no-exception",
		"The gate opens at six according to the log.":                        "sourced",
		"Wherever possible avoid the north pier.":                            "order",
		"In tracks we put the latitude first.":                               "we",
		"Changes need two signatures.":                                       "approval",
	} {
		if r := read(text); !slices.Contains(r.Signs, sign) {
			t.Errorf("%q: %v, want %s", text, r.Signs, sign)
		}
	}
}

// What is said of one thing, of the past or of what people know obliges nobody.
func TestDescriptionsObligeNobody(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"The service order-api-03 listens on port 8003.",
		"Nobody knows what the flux does.",
		"Wer das Modul ohne Lizenz startet, bekommt einen Fehler.",
		"Migrations were numbered until the move.",
		"The importer reads the first sheet.",
		"Explored how to keep the context.",
		"Der Fehler ist im Log nicht zu sehen.", "Die Schrift ist kaum zu lesen.", "Die Tür ist vom Hof aus zu sehen.",
		"To avoid seams the stitcher feathers the edges.",
		"Wer den Ausweis vergisst, kommt an der Pforte trotzdem durch.",
		"Only the harbour master's key opens the lock.", "Only the north gate opens outwards.",
		"The fee is 3 €, agreed with the vendor.", "In winter only the outer buoy sends.",
		"`keep` is best described as a threshold.",
		"Pressing F5 in the review tool submits the comment twice.",
		"", ".", "(", "(a", "a (b", "x, dass", "die (", "e.g. (x)", "Only", "no (",
	} {
		if r := read(text); r.Norm() {
			t.Errorf("%q obliges by %v (%.2f)", text, r.Signs, r.Score)
		}
	}
}

// Whatever the text, reading ends, and twice it gives the same.
func FuzzOf(f *testing.F) {
	for _, text := range []string{"Before any merge, run the tests (all, twice).", "Die Regel, dass (a, b", "a: b, (c; d. e", "When , x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := memory.Scan(text)
		stamps := memory.Stamps(text, tokens)
		for _, german := range []bool{false, true} {
			a, b := norm.Of(tokens, stamps, german), norm.Of(tokens, stamps, german)
			if a.Score != b.Score || !slices.Equal(a.Signs, b.Signs) {
				t.Errorf("%q: %v, then %v", text, a, b)
			}
			if len(tokens) > 0 {
				_ = norm.Past(tokens, german)
				_ = norm.Says(tokens, german)
			}
		}
	})
}
