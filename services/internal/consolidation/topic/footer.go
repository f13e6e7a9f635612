package topic

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Footer returns the footer of a summary: how many memories its topic had when it
// was written, and when that was (S2.9). Empty for a summary without one.
func Footer(m *memory.Memory) string {
	if m.SummaryAt.IsZero() {
		return ""
	}
	return fmt.Sprintf("— Summary of the topic %q, written %s from %d memories.", m.SummaryTopic, m.SummaryAt.UTC().Format(time.DateOnly), m.SummaryCount)
}

// Stale reports whether a topic has grown or shrunk by 20 % or more since count
// memories were summarised (S2.10, D18). The comparison is of whole numbers, so 20 %
// is exact.
func Stale(count, live int) bool {
	change := live - count
	if change < 0 {
		change = -change
	}
	return change > 0 && 5*change >= count
}

// Warning returns what is appended to a summary that is not current any more (S2.11),
// empty where it is. live is how many memories the topic has now. Without a footer
// nothing can be compared, and the summary is treated as stale (D18).
func Warning(m *memory.Memory, live int) string {
	switch {
	case m.SummaryAt.IsZero():
		return "⚠ This summary does not say from how many memories it was written, so it may be out of date. " + remedy
	case Stale(m.SummaryCount, live):
		return fmt.Sprintf("⚠ This summary was written when the topic had %d memories, and it now has %d (%+d). %s",
			m.SummaryCount, live, live-m.SummaryCount, remedy)
	}
	return ""
}

const remedy = "Consider updating it with memory_consolidate."

// addition matches a line that Winnow added to a summary when it showed it: the mark
// of a fence, the footer or a warning.
var addition = regexp.MustCompile(`^(?:</?memory-[a-z0-9]+>|— Summary of the topic ".*", written \d{4}-\d\d-\d\d from \d+ memories\.|⚠ This summary .*)$`)

// Bare returns a summary without what Winnow adds when it shows one: an agent that
// pastes or extends what it read pastes that too.
func Bare(content string) string {
	lines := strings.Split(strings.ReplaceAll(content, "\r\n", "\n"), "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !addition.MatchString(strings.TrimSpace(line)) {
			kept = append(kept, line)
		}
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}
