package gitleaks

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/keywords"
)

// Allowlist exempts findings that are certainly no secrets. It is immutable and
// safe for concurrent use.
type Allowlist struct {
	// Regexes are the expressions as the file has them.
	Regexes []string
	// Target says what they are matched against: "" is the secret, else "match"
	// or "line".
	Target string

	all   bool // every condition must hold, not any
	place bool // it has a condition on commits or paths
	expr  *regexp.Regexp
	words *keywords.Matcher
}

// allowlist is the layout of an allowlist in the file.
type allowlist struct {
	Description string   `toml:"description"`
	Condition   string   `toml:"condition"`
	Commits     []string `toml:"commits"`
	Paths       []string `toml:"paths"`
	RegexTarget string   `toml:"regexTarget"`
	Regexes     []string `toml:"regexes"`
	StopWords   []string `toml:"stopwords"`
}

func (a allowlist) compile() (*Allowlist, error) {
	out := &Allowlist{Regexes: a.Regexes, place: len(a.Commits)+len(a.Paths) > 0}
	switch strings.ToUpper(a.Condition) {
	case "", "OR", "||":
	case "AND", "&&":
		out.all = true
	default:
		return nil, fmt.Errorf("condition %q", a.Condition)
	}
	switch a.RegexTarget {
	case "", "secret":
	case "match", "line":
		out.Target = a.RegexTarget
	default:
		return nil, fmt.Errorf("regexTarget %q", a.RegexTarget)
	}
	if len(a.Regexes) > 0 {
		// One expression of all, joined as gitleaks does: a flag such as (?i)
		// in one also holds for those after it.
		expr, err := regexp.Compile("(?:" + strings.Join(a.Regexes, "|") + ")")
		if err != nil {
			return nil, err
		}
		out.expr = expr
	}
	if len(a.StopWords) > 0 {
		words := make([]string, len(a.StopWords))
		for i, w := range a.StopWords {
			words[i] = strings.ToLower(w)
		}
		out.words = keywords.New(words)
	}
	if out.expr == nil && out.words == nil && !out.place {
		return nil, errors.New("no condition")
	}
	return out, nil
}

// Allows reports whether a finding is exempt. match is the text that the rule's
// expression matched, secret the part of match that would be replaced, and line
// the lines that contain match. There is neither commit nor path, so conditions
// on them fail.
func (a *Allowlist) Allows(secret, match, line string) bool {
	if a.all && a.place {
		return false
	}
	target := secret
	switch a.Target {
	case "match":
		target = match
	case "line":
		target = line
	}
	byRegex := a.expr != nil && target != "" && a.expr.MatchString(target)
	if byRegex && !a.all {
		return true
	}
	byWord := a.words != nil && a.words.Any(strings.ToLower(secret))
	if !a.all {
		return byWord
	}
	return (a.expr == nil || byRegex) && (a.words == nil || byWord)
}
