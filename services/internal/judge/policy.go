package judge

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Policy is a versioned set of rules with their thresholds.
type Policy struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`

	// Rules are the ids of the rules that run, in any order: precedence is fixed
	// (D4).
	Rules []string `yaml:"rules"`
	// Authority is the least authority that is promoted without a person: agent,
	// first_party or human. Text from outside is never promoted, under any value.
	Authority string `yaml:"authority"`
	// Points override the operating points of the calibration. Zero leaves a point as
	// it is.
	Points Points `yaml:"points"`
	// Literal switches the specifics guard off: the seed's rules word by word, for
	// backtests only.
	Literal bool `yaml:"literal"`
	// Shadow runs the policy beside the active one, without effect.
	Shadow bool `yaml:"shadow"`

	text      string
	version   string
	authority memory.Origin
}

// Version returns the content hash of the policy's YAML.
func (p *Policy) Version() string { return p.version }

// Text returns the YAML that the policy was read from.
func (p *Policy) Text() string { return p.text }

// PromoteFrom returns the least authority that is promoted without a person.
func (p *Policy) PromoteFrom() memory.Origin { return max(p.authority, memory.OriginAgent) }

// Uses reports whether the rule of this id runs under the policy.
func (p *Policy) Uses(rule string) bool { return slices.Contains(p.Rules, rule) }

// ErrPolicy is wrapped by every error about an unusable policy.
var ErrPolicy = errors.New("policy is not usable")

// ParsePolicy reads a policy strictly. An unknown key, an unknown rule and a
// threshold outside 0–1 are errors, all reported at once.
func ParsePolicy(text []byte) (*Policy, error) {
	var p Policy
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	err := dec.Decode(&p)
	var unread *yaml.TypeError
	if err != nil && !errors.Is(err, io.EOF) && !errors.As(err, &unread) {
		return nil, fmt.Errorf("%w: %w", ErrPolicy, err)
	}
	sum := sha256.Sum256(bytes.TrimSpace(text))
	p.text, p.version = string(text), hex.EncodeToString(sum[:6])
	return &p, p.validate(unread)
}

// validate joins the decoder's errors with those of the values.
func (p *Policy) validate(unread *yaml.TypeError) error {
	var errs []error
	if unread != nil {
		for _, problem := range unread.Errors {
			errs = append(errs, errors.New(strings.NewReplacer(
				"not found in type judge.Policy", "is none of a policy", "not found in type judge.Points", "is none of points",
			).Replace(problem)))
		}
	}
	if p.Name == "" {
		errs = append(errs, errors.New("name: want a name"))
	}
	if p.Authority != "" {
		var err error
		if p.authority, err = memory.ParseOrigin(p.Authority); err != nil {
			errs = append(errs, fmt.Errorf("authority: %w", err))
		} else if p.authority < memory.OriginAgent {
			errs = append(errs, fmt.Errorf("authority: %s is never promoted without a person", p.Authority))
		}
	}
	for _, id := range p.Rules {
		if _, ok := RuleByID(id); !ok {
			errs = append(errs, fmt.Errorf("rules: %q is no rule", id))
		}
	}
	for _, point := range []struct {
		name string
		at   float64
	}{{"duplicate", p.Points.Duplicate}, {"cluster", p.Points.Cluster}, {"loose", p.Points.Loose}} {
		if point.at < 0 || point.at > 1 {
			errs = append(errs, fmt.Errorf("points.%s: is %v, want 0 to 1", point.name, point.at))
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("%w: %w", ErrPolicy, errors.Join(errs...))
	}
	return nil
}

// with returns c, overridden by the policy's own thresholds.
func (p *Policy) with(c Points) Points {
	for _, o := range []struct {
		from float64
		to   *float64
	}{{p.Points.Duplicate, &c.Duplicate}, {p.Points.Cluster, &c.Cluster}, {p.Points.Loose, &c.Loose}} {
		if o.from != 0 {
			*o.to = o.from
		}
	}
	return c
}

//go:embed policies/*.yaml
var shipped embed.FS

// PolicyNames returns the policies that ship with Winnow.
func PolicyNames() []string { return []string{"standard", "personal", "strict", "seed"} }

// ShippedPolicy returns a policy that ships with Winnow, and its text.
func ShippedPolicy(name string) (*Policy, string, error) {
	text, err := shipped.ReadFile("policies/" + name + ".yaml")
	if err != nil {
		return nil, "", fmt.Errorf("%w: %q is none of %v", ErrPolicy, name, PolicyNames())
	}
	p, err := ParsePolicy(text)
	return p, string(text), err
}

// DefaultPolicyName returns the policy of a kind of scope for which none was chosen.
func DefaultPolicyName(k memory.ScopeKind) string {
	if k == memory.ScopeUser {
		return "personal"
	}
	return "standard"
}
