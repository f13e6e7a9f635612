package subject

import "github.com/winnowhq/winnow/services/internal/memory"

// Entry is a text as [OtherEntry] reads it: one line of a table. It is a memory of its own
// that [Entry.Read] fills anew, because many stored texts are read for one new one. The zero
// value is that of a text without words.
type Entry struct {
	tokens []memory.Token // without stamps and the dates that say when
	stems  []string       // of the plain words among them, else empty
	verb   int            // place of the finite verb, 0 without one; unread before it is asked for
}

// unread marks a verb that nobody has looked for.
const unread = -1

// Read takes a scanned text; stamps marks its tokens that only say when it was observed.
func (e *Entry) Read(text string, tokens []memory.Token, stamps []bool) {
	e.tokens, e.stems, e.verb = appendEntry(e.tokens[:0], text, tokens, stamps), e.stems[:0], unread
	if len(e.tokens) > maxEntry {
		return
	}
	for i := range e.tokens {
		stem := ""
		if t := &e.tokens[i]; t.Class == memory.TokenWord && !t.Code {
			stem = memory.Stem(t.Value)
		}
		e.stems = append(e.stems, stem)
	}
}

// finite returns the place of the finite verb, 0 where none is found: nothing stands
// before it then.
func (e *Entry) finite(german bool) int {
	if e.verb == unread {
		r := reader{tokens: e.tokens, stamps: unstamped[:len(e.tokens)], german: german}
		e.verb = 0
		end := r.end()
		if v := r.verb(end); v < end {
			e.verb = v
		}
	}
	return e.verb
}

// unstamped says of the words of an entry that none is a stamp.
var unstamped [maxEntry]bool

// stem returns the stem of the token at i, whatever it is.
func (e *Entry) stem(i int) string {
	if e.stems[i] != "" {
		return e.stems[i]
	}
	return memory.Stem(e.tokens[i].Value)
}

// alignEntries appends the pairs of positions of a longest common subsequence.
func alignEntries(a, b *Entry, pairs [][2]int) [][2]int {
	x, y := a.tokens, b.tokens
	var same [maxEntry]uint64 // by word of x, the places of y that have it
	for i := range x {
		for j := range y {
			if sameWord(a, b, i, j) {
				same[i] |= 1 << j
			}
		}
	}
	var length [maxEntry + 1][maxEntry + 1]uint8
	for i := len(x) - 1; i >= 0; i-- {
		row, next := &length[i], &length[i+1]
		for j := len(y) - 1; j >= 0; j-- {
			if same[i]>>j&1 != 0 {
				row[j] = next[j+1] + 1
			} else {
				row[j] = max(next[j], row[j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case same[i]>>j&1 != 0:
			pairs = append(pairs, [2]int{i, j})
			i++
			j++
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// sameWord reports one word, in any form of it, or one name or number as it is written.
func sameWord(a, b *Entry, i, j int) bool {
	if s, t := a.stems[i], b.stems[j]; s != "" && t != "" {
		return s == t
	}
	x, y := &a.tokens[i], &b.tokens[j]
	return x.Value == y.Value && x.Unit == y.Unit && (x.Class == memory.TokenNumber) == (y.Class == memory.TokenNumber)
}
