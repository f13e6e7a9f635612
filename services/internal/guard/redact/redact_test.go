package redact_test

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// S7: every rule of ours finds its secrets. The rule named in the table may
// lose the naming to a more specific one, but the secret is gone in any case.
func TestSecretsAreReplaced(t *testing.T) {
	t.Parallel()
	fired := map[string]bool{}
	for _, tc := range []struct {
		file string
		pii  bool
	}{{"secrets.tsv", false}, {"personal.tsv", true}} {
		r := redactor(t, tc.pii)
		for _, line := range testenv.Table(t, "testdata/"+tc.file) {
			cols := strings.SplitN(line, "\t", 3)
			text := strings.ReplaceAll(cols[2], `\n`, "\n")
			out, findings := r.Text("acme", text)
			if strings.Contains(out, cols[1]) {
				t.Errorf("%s: %q still holds the secret: %q", cols[0], text, out)
			}
			for _, f := range findings {
				fired[f.Rule] = true
				if f.Start < 0 || f.End > len(text) || f.Start >= f.End {
					t.Errorf("%s: span %d-%d outside the text", f.Rule, f.Start, f.End)
				}
				if want := "⟨secret:" + f.Rule + ":" + f.Tag + "⟩"; !strings.Contains(out, want) {
					t.Errorf("finding %+v has no placeholder in %q", f, out)
				}
			}
		}
	}
	rules, err := redact.Rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		// TestEndlessChains is about the one that no line can show.
		if rule.Source != redact.SourceLibrary && rule.ID != "chained" && !fired[rule.ID] {
			t.Errorf("no line of the tables is named by %s", rule.ID)
		}
	}
}

// S7: what identifies and does not authorise survives.
func TestHarmlessTextSurvives(t *testing.T) {
	t.Parallel()
	r := redactor(t, true)
	for _, text := range testenv.Table(t, "testdata/survive.txt") {
		if out, findings := r.Text("acme", text); out != text {
			t.Errorf("%q became %q (%v)", text, out, findings)
		}
	}
}

// Personal data stays unless asked for.
func TestPersonalDataIsOptIn(t *testing.T) {
	t.Parallel()
	r := redactor(t, false)
	for _, line := range testenv.Table(t, "testdata/personal.tsv") {
		text := strings.SplitN(line, "\t", 3)[2]
		if out, _ := r.Text("acme", text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}

// S7: the same secret reads the same in a tenant, whatever rule found it, and
// differently in another tenant or under another key.
func TestTagsAreStablePerTenant(t *testing.T) {
	t.Parallel()
	r := redactor(t, false)
	_, a := r.Text("acme", "password = hunter2")
	_, b := r.Text("acme", "see postgres://app:hunter2@db/app")
	_, c := r.Text("globex", "password = hunter2")
	if len(a) != 1 || len(b) != 1 || len(c) != 1 {
		t.Fatalf("findings: %v %v %v", a, b, c)
	}
	if a[0].Tag != b[0].Tag {
		t.Errorf("same secret, tags %s and %s", a[0].Tag, b[0].Tag)
	}
	if a[0].Tag == c[0].Tag {
		t.Error("two tenants share a tag")
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(a[0].Tag) {
		t.Errorf("tag %q", a[0].Tag)
	}
	other, err := redact.New(redact.Config{Key: []byte("another key")})
	if err != nil {
		t.Fatal(err)
	}
	if _, d := other.Text("acme", "password = hunter2"); len(d) != 1 || d[0].Tag == a[0].Tag {
		t.Errorf("tag does not depend on the key: %v", d)
	}
}

func TestKeyIsRequired(t *testing.T) {
	t.Parallel()
	if _, err := redact.New(redact.Config{}); !errors.Is(err, redact.ErrNoKey) {
		t.Fatalf("got %v, want ErrNoKey", err)
	}
}

// A secret recognised by its label is replaced where it stands alone as well.
func TestRepeatsAreReplaced(t *testing.T) {
	t.Parallel()
	r := redactor(t, false)
	out, findings := r.Text("acme", "API_KEY=q7w8e9r0t1y2u3 worked once; later q7w8e9r0t1y2u3 was refused")
	if strings.Contains(out, "q7w8e9") || len(findings) != 2 || findings[0].Tag != findings[1].Tag {
		t.Errorf("got %q, %v", out, findings)
	}
}

// A comment by which gitleaks users silence it must not silence us.
func TestAllowCommentIsIgnored(t *testing.T) {
	t.Parallel()
	r := redactor(t, false)
	if out, _ := r.Text("acme", `key = "ghp_x7Kd92LmQp4Rt8Wz1Yb6Xc3Vn5Hg0JfSaE2i" # gitleaks:allow`); strings.Contains(out, "x7Kd92") {
		t.Errorf("kept: %q", out)
	}
}

// S7: redacting twice changes nothing, for every text of the tables.
func TestIdempotent(t *testing.T) {
	t.Parallel()
	r := redactor(t, true)
	var all []string
	for _, name := range []string{"secrets.tsv", "personal.tsv", "survive.txt"} {
		all = append(all, testenv.Table(t, "testdata/"+name)...)
	}
	for _, text := range append(all, strings.Join(all, "\n"), strings.Join(all, " ")) {
		once, _ := r.Text("acme", text)
		if twice, again := r.Text("acme", once); twice != once {
			t.Errorf("second pass changed %q to %q (%v)", once, twice, again)
		}
	}
}

// Run with -race: one Redactor serves all workers.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	r := redactor(t, true)
	texts := testenv.Table(t, "testdata/secrets.tsv")
	want := make([]string, len(texts))
	for i, text := range texts {
		want[i], _ = r.Text("acme", text)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, text := range texts {
				if got, _ := r.Text("acme", text); got != want[i] {
					t.Errorf("got %q, want %q", got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

// The rule table feeds the generated documentation.
func TestRulesAreDescribed(t *testing.T) {
	t.Parallel()
	rules, err := redact.Rules()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, r := range rules {
		if r.ID == "" || r.Description == "" || r.Source == "" {
			t.Errorf("incomplete: %+v", r)
		}
		if seen[r.ID] != "" {
			t.Errorf("id %s of %s and %s", r.ID, seen[r.ID], r.Source)
		}
		seen[r.ID] = r.Source
	}
	if len(rules) < 230 {
		t.Errorf("%d rules, want the library's and ours", len(rules))
	}
}

// FuzzFixedPoint: no rule matches its own output, whatever the text.
func FuzzFixedPoint(f *testing.F) {
	for _, s := range []string{
		"password = hunter2 postgres://a:b1c2d3@h/db", "Authorization: Bearer a8Fk2Lq9Zx7Pw3Nd",
		"⟨secret:jwt:0123abcd⟩ key=⟨secret:x:hunter2⟩", "Cookie: sid=0a1b2c3d4e5f6071; x=y", "\xff\xfetoken=\x00a1b2c3d4",
	} {
		f.Add(s)
	}
	r := redactor(f, true)
	f.Fuzz(func(t *testing.T, text string) {
		once, findings := r.Text("acme", text)
		if len(findings) == 0 && once != text {
			t.Fatalf("changed without a finding: %q", once)
		}
		if twice, again := r.Text("acme", once); twice != once {
			t.Fatalf("second pass changed %q to %q (%v)", once, twice, again)
		}
		last := 0
		for _, fd := range findings {
			if fd.Start < last || fd.End <= fd.Start || fd.End > len(text) {
				t.Fatalf("finding %+v out of order or bounds", fd)
			}
			last = fd.End
		}
	})
}
