package topic

import "fmt"

// Signals of a topic that a summary would help (S2.24).
const (
	dueMemories = 15
	dueSessions = 2 // where it is known which sessions brought them
)

// Due returns why a topic's summary should be written or renewed, empty where it
// should not. summarised says that the topic has a summary, footer that the summary
// says from how many memories (count) it was written.
func Due(memories, sessions int, summarised, footer bool, count int) string {
	switch {
	case memories < MinMemories:
		return ""
	case summarised && !footer:
		return "the summary does not say from how many memories it was written"
	case summarised && Stale(count, memories):
		return fmt.Sprintf("the summary was written from %d memories, now there are %d", count, memories)
	case !summarised && memories >= dueMemories && (sessions >= dueSessions || sessions == 0):
		if sessions == 0 {
			return fmt.Sprintf("%d memories and no summary", memories)
		}
		return fmt.Sprintf("%d memories of %d sessions and no summary", memories, sessions)
	}
	return ""
}
