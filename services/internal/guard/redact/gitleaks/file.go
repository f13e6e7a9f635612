package gitleaks

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

const (
	// Version is the release of gitleaks that the file is from.
	Version = "v8.30.1"
	// SHA256 is the hash of gitleaks.toml, in hexadecimal digits.
	SHA256 = "e163e53b9e7e8a8511e77271e2b323ed057759542a6d988258afe3a1fa329caf"
)

//go:embed gitleaks.toml
var file string

// Config is the content of the file.
type Config struct {
	Rules []Rule       // in the order of the file
	Allow []*Allowlist // of all rules
}

// Rule finds one kind of secret. Rules about file names have no Expr or no
// Keywords.
type Rule struct {
	ID          string
	Description string // one sentence
	Expr        *regexp.Regexp
	Group       int      // capture group that holds the secret, 0 for unsaid
	Entropy     float64  // bits per symbol that a secret has more of, 0 for unsaid
	Keywords    []string // in lower case; a text without any has no finding
	Allow       []*Allowlist
}

// document is the layout of the file.
type document struct {
	Title      string     `toml:"title"`
	MinVersion string     `toml:"minVersion"`
	Allow      *allowlist `toml:"allowlist"`
	Rules      []struct {
		ID          string      `toml:"id"`
		Description string      `toml:"description"`
		Regex       string      `toml:"regex"`
		Path        string      `toml:"path"`
		SecretGroup int         `toml:"secretGroup"`
		Entropy     float64     `toml:"entropy"`
		Keywords    []string    `toml:"keywords"`
		Allow       []allowlist `toml:"allowlists"`
	} `toml:"rules"`
}

// Load reads the file and compiles its expressions. A field that this package
// does not know is an error: a condition that a newer file adds must not be
// dropped in silence.
func Load() (Config, error) {
	var d document
	if err := toml.NewDecoder(strings.NewReader(file)).DisallowUnknownFields().Decode(&d); err != nil {
		return Config{}, fmt.Errorf("gitleaks.toml: %w", err)
	}
	var out Config
	if d.Allow != nil {
		a, err := d.Allow.compile()
		if err != nil {
			return Config{}, fmt.Errorf("gitleaks.toml: allowlist: %w", err)
		}
		out.Allow = append(out.Allow, a)
	}
	for _, r := range d.Rules {
		rule := Rule{ID: r.ID, Description: r.Description, Group: r.SecretGroup, Entropy: r.Entropy}
		if r.Regex != "" {
			expr, err := regexp.Compile(r.Regex)
			if err != nil {
				return Config{}, fmt.Errorf("gitleaks.toml: rule %s: %w", r.ID, err)
			}
			if r.SecretGroup > expr.NumSubexp() {
				return Config{}, fmt.Errorf("gitleaks.toml: rule %s: no group %d", r.ID, r.SecretGroup)
			}
			rule.Expr = expr
		}
		for _, k := range r.Keywords {
			rule.Keywords = append(rule.Keywords, strings.ToLower(k))
		}
		for _, a := range r.Allow {
			compiled, err := a.compile()
			if err != nil {
				return Config{}, fmt.Errorf("gitleaks.toml: rule %s: allowlist: %w", r.ID, err)
			}
			rule.Allow = append(rule.Allow, compiled)
		}
		out.Rules = append(out.Rules, rule)
	}
	return out, nil
}
