package static

import (
	"strings"
	"unicode/utf8"
)

const (
	// longestWord is in characters. The reference gives no token to a longer word; most
	// are base64 and hashes.
	longestWord = 100
	// unknown stands for a word that the vocabulary cannot spell.
	unknown = -1
)

// vocabulary maps tokens to rows. It is read-only once made.
type vocabulary struct {
	first   map[string]int32 // tokens that begin a word
	next    map[string]int32 // tokens that go on with one, without their ##
	longest int              // bytes of the longest token
}

// newVocabulary parses one token a line; its number is its row.
func newVocabulary(text string) *vocabulary {
	n := strings.Count(text, "\n")
	v := &vocabulary{first: make(map[string]int32, n), next: make(map[string]int32, n/4)}
	row := int32(0)
	for token := range strings.Lines(text) {
		token = strings.TrimSuffix(token, "\n")
		// "##" itself is a token of the vocabulary that begins a word.
		if rest, ok := strings.CutPrefix(token, "##"); ok && rest != "" {
			v.next[rest] = row
			token = rest
		} else {
			v.first[token] = row
		}
		v.longest = max(v.longest, len(token))
		row++
	}
	return v
}

// size returns the number of tokens.
func (v *vocabulary) size() int { return len(v.first) + len(v.next) }

// spell appends the rows of a word's tokens, each the longest that fits: "pgx" is pg
// and ##x. A word that cannot be spelt to its end becomes [unknown] as a whole, because
// the tokens of half a word have another meaning.
func (v *vocabulary) spell(word []byte, rows []int32) []int32 {
	if len(word) > longestWord && utf8.RuneCount(word) > longestWord {
		return append(rows, unknown)
	}
	known, in := len(rows), v.first
	for len(word) > 0 {
		end := min(len(word), v.longest)
		for end > 0 {
			if row, ok := in[string(word[:end])]; ok {
				rows = append(rows, row)
				break
			}
			end--
		}
		if end == 0 {
			return append(rows[:known], unknown)
		}
		word, in = word[end:], v.next
	}
	return rows
}
