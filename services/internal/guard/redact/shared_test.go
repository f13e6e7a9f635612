package redact_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// redactor makes a Redactor with a fixed key.
func redactor(t testing.TB, pii bool) *redact.Redactor {
	t.Helper()
	r, err := redact.New(redact.Config{PII: pii, Key: []byte("a key for tests")})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type secretCase struct {
	ID, Rule, Label, Text string
	Secrets               []string
}

// S7 asks for 95 % of the labelled secrets; all of them are gone from the output, and one
// that comes back is a loss that the share would hide. A clean line does not trigger the
// rule it was written against.
func TestSecretRecallOnSharedCases(t *testing.T) {
	t.Parallel()
	r := redactor(t, false)
	var secrets, kept, clean, wrong int
	for _, c := range testenv.Lines[secretCase](t, testenv.Shared(t, "security/secrets_gitleaks_cases.jsonl")) {
		out, findings := r.Text("acme", c.Text)
		for _, s := range c.Secrets {
			secrets++
			if strings.Contains(out, s) {
				kept++
				t.Logf("kept %s: %q", c.Rule, c.Text)
			}
		}
		if c.Label != "clean" {
			continue
		}
		clean++
		for _, f := range findings {
			if f.Rule == c.Rule {
				wrong++
				t.Logf("false positive %s: %q", c.Rule, c.Text)
			}
		}
	}
	t.Logf("secrets %d, kept %d; clean lines %d, false positives %d", secrets, kept, clean, wrong)
	if kept > 0 {
		t.Errorf("kept %d of %d secrets", kept, secrets)
	}
	if wrong*50 > clean {
		t.Errorf("%d of %d clean lines triggered their rule, want at most 2 %%", wrong, clean)
	}
}

// Ordinary developer notes stay as they are.
func TestBenignTextSurvives(t *testing.T) {
	t.Parallel()
	type note struct{ Title, Text string }
	r := redactor(t, false)
	for _, name := range []string{
		"triage/triage_memories.jsonl", "triage/triage_proposals.jsonl", "consolidation/entries.jsonl",
		"consolidation/distractors.jsonl", "duplicates/nl2bash_clusters.jsonl",
	} {
		total, changed := 0, 0
		for _, n := range testenv.Lines[note](t, testenv.Shared(t, name)) {
			total++
			text := n.Title + "\n" + n.Text
			if _, findings := r.Text("acme", text); len(findings) > 0 {
				changed++
				for _, f := range findings {
					t.Logf("%s %s: %q", name, f.Rule, text[max(0, f.Start-40):min(len(text), f.End+20)])
				}
			}
		}
		t.Logf("%s: %d of %d redacted", name, changed, total)
		if changed*100 > total {
			t.Errorf("%s: %d of %d benign texts redacted, want at most 1 %%", name, changed, total)
		}
	}
}
