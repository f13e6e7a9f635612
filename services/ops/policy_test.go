package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

// A name alone is the version in force, else the shipped one. An ambiguous name
// is an error that lists the versions.
func TestFindPolicy(t *testing.T) {
	t.Parallel()
	list := []ops.PolicyVersion{
		{Name: "standard", Version: "aa11", Shipped: true},
		{Name: "standard", Version: "bb22", InForce: []string{"project"}},
		{Name: "strict", Version: "cc33", Shipped: true},
		{Name: "strict", Version: "cc44"},
		{Name: "own", Version: "dd55"},
		{Name: "own", Version: "dd66"},
	}
	for ref, want := range map[string]string{
		"standard": "bb22", "standard@aa": "aa11", "standard@bb22": "bb22",
		"strict": "cc33", "strict@cc4": "cc44", "own@dd6": "dd66",
	} {
		if p, err := ops.FindPolicy(list, ref); err != nil || p.Version != want {
			t.Errorf("%s: %s, %v, want %s", ref, p.Version, err, want)
		}
	}
	for _, ref := range []string{"nothing", "standard@zz", "", "@aa"} {
		if _, err := ops.FindPolicy(list, ref); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%q: %v", ref, err)
		}
	}
	for _, ref := range []string{"own", "own@dd", "strict@cc"} {
		if _, err := ops.FindPolicy(list, ref); err == nil || !strings.Contains(err.Error(), "say which") {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func TestDiffPolicies(t *testing.T) {
	t.Parallel()
	const a = "# One.\nname: x\nauthority: agent\nrules: [fact, poison]\npoints: {duplicate: 0.9}\n"
	for _, c := range []struct {
		name, b string
		want    []string // lines that differ
	}{
		{"the same otherwise written", "rules:\n  - poison\n  - fact\npoints:\n  duplicate: 0.90\nauthority: agent\nname: x\n", nil},
		{"another threshold", strings.Replace(a, "0.9", "0.95", 1), []string{"- duplicate: 0.9", "+ duplicate: 0.95"}},
		{"a rule more", strings.Replace(a, "[fact", "[merge, fact", 1), []string{"+ - merge"}},
		{"a rule that nobody knows", strings.Replace(a, "fact", "fact, future", 1), []string{"+ - future"}},
	} {
		lines, err := ops.DiffPolicies(a, c.b)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got []string
		for _, l := range lines {
			if l.Op != " " {
				got = append(got, l.Op+" "+strings.TrimSpace(l.Text))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if _, err := ops.DiffPolicies(a, "name: [unclosed"); err == nil || !strings.HasPrefix(err.Error(), "second policy") {
		t.Errorf("broken YAML: %v", err)
	}
}
