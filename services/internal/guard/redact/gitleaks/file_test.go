package gitleaks

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

const module = "github.com/zricethezav/gitleaks/v8"

// The file is the release's, letter by letter, and the constants say which.
func TestFileIsThatOfTheRelease(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte(file))
	if got := hex.EncodeToString(sum[:]); got != SHA256 {
		t.Errorf("gitleaks.toml has hash %s, SHA256 says %s", got, SHA256)
	}
	if file != config.DefaultConfig {
		t.Errorf("gitleaks.toml is not the file of %s in go.mod", module)
	}
	mod, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(mod), module+" "+Version+"\n") {
		t.Errorf("Version is %s, go.mod has another", Version)
	}
}

// What is read here is what the program reads from the same file.
func TestRulesAreThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	ours, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	theirs := d.Config
	if len(ours.Rules) != len(theirs.Rules) {
		t.Fatalf("%d rules, the program has %d", len(ours.Rules), len(theirs.Rules))
	}
	sameLists(t, "all rules", ours.Allow, theirs.Allowlists)
	for _, r := range ours.Rules {
		want, ok := theirs.Rules[r.ID]
		if !ok {
			t.Errorf("the program has no rule %s", r.ID)
			continue
		}
		if r.Description != want.Description || r.Group != want.SecretGroup || r.Entropy != want.Entropy ||
			!slices.Equal(r.Keywords, want.Keywords) || written(r.Expr) != written(want.Regex) {
			t.Errorf("rule %s: got %+v, the program has %+v", r.ID, r, want)
		}
		if want.SkipReport || len(want.RequiredRules) > 0 {
			t.Errorf("rule %s has a condition that this package does not know", r.ID)
		}
		sameLists(t, r.ID, r.Allow, want.Allowlists)
	}
}

func written(r *regexp.Regexp) string {
	if r == nil {
		return ""
	}
	return r.String()
}

// sameLists compares the conditions, and asks both about words that meet them.
func sameLists(t *testing.T, rule string, ours []*Allowlist, theirs []*config.Allowlist) {
	t.Helper()
	if len(ours) != len(theirs) {
		t.Errorf("%s: %d allowlists, the program has %d", rule, len(ours), len(theirs))
		return
	}
	for i, a := range ours {
		b := theirs[i]
		if a.Target != b.RegexTarget || a.all != (b.MatchCondition == config.AllowlistMatchAnd) ||
			a.place != (len(b.Commits)+len(b.Paths) > 0) || len(a.Regexes) != len(b.Regexes) {
			t.Errorf("%s: allowlist %d is %+v, the program's %+v", rule, i, a, b)
		}
		var texts []string
		for j, re := range b.Regexes {
			if re.String() != a.Regexes[j] {
				t.Errorf("%s: allowlist %d: %q, the program has %q", rule, i, a.Regexes[j], re)
			}
			texts = append(texts, a.Regexes[j])
		}
		for _, w := range b.StopWords {
			texts = append(texts, w, strings.ToUpper(w), "x7"+w+"Q", w[1:])
		}
		texts = append(texts, "", "null", "NULL", "example", "aaaaaaaa", "$HOME", "${{ secrets.TOKEN }}", "x7Kd92LmQp4Rt8Wz1Yb6", "\u212aey")
		for _, text := range texts {
			word, _ := b.ContainsStopWord(text)
			if got := a.words != nil && a.words.Any(strings.ToLower(text)); got != word {
				t.Errorf("%s: allowlist %d: stop word in %q: %v, the program says %v", rule, i, text, got, word)
			}
			if got := a.expr != nil && text != "" && a.expr.MatchString(text); got != b.RegexAllowed(text) {
				t.Errorf("%s: allowlist %d: expression on %q: %v, the program says otherwise", rule, i, text, got)
			}
		}
	}
}

// A list whose conditions must all hold needs each of them, and the place of the
// text is never known.
func TestAllowlistConditions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		list allowlist
		want bool
	}{
		"either":            {allowlist{Regexes: []string{"^none$"}, StopWords: []string{"demo"}}, true},
		"both, one fails":   {allowlist{Condition: "and", Regexes: []string{"^none$"}, StopWords: []string{"demo"}}, false},
		"both":              {allowlist{Condition: "AND", Regexes: []string{"Demo"}, StopWords: []string{"demo"}}, true},
		"and in a file":     {allowlist{Condition: "AND", Paths: []string{`\.md$`}, StopWords: []string{"demo"}}, false},
		"or in a file":      {allowlist{Paths: []string{`\.md$`}, StopWords: []string{"demo"}}, true},
		"only a file":       {allowlist{Paths: []string{`\.md$`}}, false},
		"the match":         {allowlist{RegexTarget: "match", Regexes: []string{"^key="}}, true},
		"the line":          {allowlist{RegexTarget: "line", Regexes: []string{"^export key="}}, true},
		"the secret itself": {allowlist{Regexes: []string{"^key="}}, false},
	} {
		a, err := c.list.compile()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := a.Allows("aDemo1", "key=aDemo1", "export key=aDemo1"); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	for _, bad := range []allowlist{{}, {Condition: "xor", Regexes: []string{"a"}}, {RegexTarget: "file", Regexes: []string{"a"}}, {Regexes: []string{"("}}} {
		if _, err := bad.compile(); err == nil {
			t.Errorf("%+v compiles", bad)
		}
	}
}
