package memory

import "strings"

// Tags that mean something to Winnow beside [TagConsolidated] and [TagWorkflow].
const (
	// TagPinned marks a memory that a person wants loaded at any value.
	TagPinned = "pinned"
	// TagSuperseded marks a memory that a consolidation replaced.
	TagSuperseded = "superseded"
)

// ReservedTag reports a tag that Winnow alone sets (SPEC §1). Case and spaces around
// it do not matter, so that no spelling of a reserved tag comes from a publisher.
func ReservedTag(tag string) bool {
	switch tag = strings.ToLower(strings.TrimSpace(tag)); {
	case tag == TagPinned, tag == TagConsolidated, tag == TagSuperseded, strings.HasPrefix(tag, TagWorkflow):
		return true
	}
	return false
}

// OwnTags returns the tags that a publisher may set, in their order, and how many of
// the given ones it may not. The result shares no memory with tags.
func OwnTags(tags []string) (own []string, reserved int) {
	own = make([]string, 0, len(tags))
	for _, tag := range tags {
		if ReservedTag(tag) {
			reserved++
			continue
		}
		own = append(own, tag)
	}
	return own, reserved
}
