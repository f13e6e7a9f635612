package clients

import (
	"fmt"
	"strings"
)

// around is the number of equal lines on each side of a difference.
const around = 3

// diff returns the difference of two texts for a person, or "" for equal texts.
// An edit changes one contiguous part, so the equal lines before and after it
// are omitted.
func diff(before, after string) string {
	if before == after {
		return ""
	}
	a, b := lines(before), lines(after)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out strings.Builder
	from := max(0, head-around)
	fmt.Fprintf(&out, "@@ line %d @@\n", from+1)
	show := func(sign string, part []string) {
		for _, line := range part {
			out.WriteString(sign + line + "\n")
		}
	}
	show("  ", a[from:head])
	show("- ", a[head:len(a)-tail])
	show("+ ", b[head:len(b)-tail])
	show("  ", a[len(a)-tail:len(a)-tail+min(tail, around)])
	return out.String()
}

func lines(text string) []string {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
