package weekly

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// letters are those of aliases: no vowels, so that no alias is a word, and none that look
// alike. Their number is a prime, which makes the check letter find every single wrong
// letter and every exchange of two neighbours.
const letters = "bcdfghjkmnpqrstvwxz"

// aliasLetters is the length of an alias without its check letter: 2.4 million aliases.
const aliasLetters = 5

// aliases gives every memory a short name for the model; the key is the id.
//
// A model that writes 26 characters of an id by heart makes mistakes, and numbers from 1
// on are confused with each other and with numbers in the text. An alias follows from the
// memory's id and not from its position: an answer that was stored before the list
// changed never means another memory. Two memories with the same alias get the next one,
// in the order of their ids.
func aliases(memories []memory.Memory) map[string]string {
	ids := make([]string, 0, len(memories))
	for i := range memories {
		ids = append(ids, memories[i].ID)
	}
	slices.Sort(ids)
	byID, taken := make(map[string]string, len(ids)), make(map[string]bool, len(ids))
	for _, id := range ids {
		for n := 0; byID[id] == ""; n++ {
			a := aliasOf(fmt.Sprintf("%s %d", id, n))
			if !taken[a] {
				byID[id], taken[a] = a, true
			}
		}
	}
	return byID
}

func aliasOf(seed string) string {
	sum := sha256.Sum256([]byte(seed))
	n := binary.BigEndian.Uint64(sum[:8])
	var b strings.Builder
	check := uint64(0)
	for i := range uint64(aliasLetters) {
		l := n % uint64(len(letters))
		n /= uint64(len(letters))
		check += (i + 1) * l
		b.WriteByte(letters[l])
	}
	b.WriteByte(letters[check%uint64(len(letters))])
	return b.String()
}
