package poison

import "unicode"

// wordState checks the letters of the current word for signs that it reads
// differently for people and for machines.
type wordState struct {
	latin, alike int  // letters of the word so far
	start        int  // where the word begins
	letter       bool // the previous visible character was a letter
	hiddenAt     int  // 1 + offset of an invisible character after it, 0 for none
}

// Fewer Latin letters beside a look-alike are formulas and units (Δt, μs).
const minLatin = 3

// see adds the next visible character.
func (w *wordState) see(r rune, at int, n *normal) {
	letter := unicode.IsLetter(r)
	if w.hiddenAt > 0 && w.letter && letter && unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek) {
		n.report(hiddenCharacters, Span{w.hiddenAt - 1, at}, "")
	}
	w.hiddenAt = 0
	if !letter {
		if w.alike > 0 && w.latin >= minLatin {
			n.report(mixedScript, Span{w.start, at}, "")
		}
		w.latin, w.alike, w.letter = 0, 0, false
		return
	}
	if !w.letter {
		w.start = at
	}
	w.letter = true
	lower := unicode.ToLower(r)
	switch _, alike := lookalikes[lower]; {
	case alike && !unicode.Is(unicode.Latin, lower):
		w.alike++
	case unicode.Is(unicode.Latin, lower):
		w.latin++
	}
}

// hide adds an invisible character. It counts only between letters: emoji and
// some scripts need joiners.
func (w *wordState) hide(at int) {
	if w.letter {
		w.hiddenAt = at + 1
	}
}

// report adds a finding of the normalisation, once per detector.
func (n *normal) report(d *detector, s Span, phrase string) {
	for _, h := range n.hidden {
		if h.Detector == d.id {
			return
		}
	}
	n.hidden = append(n.hidden, Hit{Detector: d.id, Class: d.class, Span: s, Phrase: phrase})
}

// foldLeet reads digits and signs inside words as the letters they imitate. It
// reports false when no word has any.
func foldLeet(n *normal) (*normal, bool) {
	b := []byte(n.text)
	changed := false
	for i, c := range b {
		to, ok := leet[c]
		if !ok {
			continue
		}
		// What is left of i is folded already, so runs such as "prev10us" unfold
		// from the left.
		ahead := letterAt(b, i+1) || leetAt(b, i+1)
		if letterAt(b, i-1) && ahead || boundaryAt(b, i-1) && letterAt(b, i+1) {
			b[i], changed = to, true
		}
	}
	if !changed {
		return nil, false
	}
	return &normal{text: string(b), original: n.original, offsets: n.offsets}, true
}

var leet = map[byte]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', '$': 's'}

func letterAt(s []byte, i int) bool {
	return i >= 0 && i < len(s) && ('a' <= s[i] && s[i] <= 'z')
}

func leetAt(s []byte, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	_, ok := leet[s[i]]
	return ok
}

func boundaryAt(s []byte, i int) bool { return i < 0 || s[i] == ' ' || s[i] == '\n' }
