package postgres

import "github.com/winnowhq/winnow/services/internal/memory"

// hashOf is the hash by which a row is found by its words, null where none are
// left.
func hashOf(text string) []byte {
	if h := memory.HashText(text); h != (memory.TextHash{}) {
		return h[:]
	}
	return nil
}
