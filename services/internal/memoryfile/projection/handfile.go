package projection

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memoryfile"
)

// MaxEntry is the longest entry in bytes: triage accepts no longer text.
const MaxEntry = 16 << 10

// ReadHand parses a file that a person changed, with its content before. Entries that
// cannot be stored are refused here, with the remedy, because later stages cannot reach
// the person.
func ReadHand(before memoryfile.File, after []byte) (memoryfile.File, error) {
	file, err := memoryfile.Parse(after)
	if err != nil {
		return file, err
	}
	known := map[string]bool{}
	for _, e := range before.Entries {
		known[e.Text] = true
	}
	for _, e := range file.Entries {
		if len(e.Text) > MaxEntry && !known[e.Text] {
			return file, fmt.Errorf("line %d: an entry of %d KiB, at most %d; shorten it, or move it to a file of its own beside this one",
				e.Line, (len(e.Text)+1023)>>10, MaxEntry>>10)
		}
	}
	return file, nil
}
