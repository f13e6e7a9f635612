package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/winnowhq/winnow/services/internal/judge"
)

// DiffLine is one line of a comparison: Op is "-" for a line of the first text
// alone, "+" for one of the second alone, " " for one of both.
type DiffLine struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// DiffPolicies compares the meaning of two policies. It ignores comments and the
// order of rules, which has no meaning.
func DiffPolicies(a, b string) ([]DiffLine, error) {
	left, err := normal(a)
	if err != nil {
		return nil, fmt.Errorf("first policy: %w", err)
	}
	right, err := normal(b)
	if err != nil {
		return nil, fmt.Errorf("second policy: %w", err)
	}
	return diffLines(left, right), nil
}

// normal returns a policy as lines, each setting in a fixed position, rules in
// the order in which they run. Rules that this binary does not know come last,
// so that policies of other versions can be compared.
func normal(text string) ([]string, error) {
	var p judge.Policy
	if err := yaml.Unmarshal([]byte(text), &p); err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i, r := range judge.Rules() {
		at[r.ID] = i - len(judge.Rules())
	}
	slices.SortFunc(p.Rules, func(x, y string) int { return cmp.Or(cmp.Compare(at[x], at[y]), strings.Compare(x, y)) })
	out, err := yaml.Marshal(p)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n"), nil
}

// diffLines is the shortest edit from a to b by the longest common subsequence.
// Policies are a page long, so the table is small.
func diffLines(a, b []string) []DiffLine {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var out []DiffLine
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, DiffLine{" ", a[i]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, DiffLine{"-", a[i]})
			i++
		default:
			out = append(out, DiffLine{"+", b[j]})
			j++
		}
	}
	return out
}
