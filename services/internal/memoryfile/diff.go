package memoryfile

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Changes are the differences between two readings of a file.
type Changes struct {
	Added   []Entry // in the order of the file after
	Removed []Entry // in the order of the file before
	Changed []Change
}

// Change is an entry that was reworded, or moved to another section.
type Change struct {
	Before, After Entry
}

// Empty reports that nothing changed.
func (c Changes) Empty() bool { return len(c.Added)+len(c.Removed)+len(c.Changed) == 0 }

const (
	// similar is the least share of common words (Dice, 0–1) at which a text counts as
	// another one reworded. Below it, the one was removed and the other is new; both
	// interpretations give the same file, and only the history of the memory differs.
	similar = 0.5
	// maxPairs bounds the comparisons within one section. A section with more changes
	// was written anew, and none of them is an edit.
	maxPairs = 1 << 20
)

// Diff returns what changed from before to after. The order of entries, blanks at the
// ends of lines and lines outside of entries do not count. An entry in another section
// has changed; an entry with other words in the same section has changed when the words
// are similar enough. Equal entries count as often as they occur.
func Diff(before, after File) Changes {
	old, now := rest(before.Entries, after.Entries, func(e Entry) string { return e.Section + "\x00" + trimmed(e.Text) })
	var c Changes
	old, now, c.Changed = moved(old, now)
	old, now, reworded := reworded(old, now)
	c.Changed = append(c.Changed, reworded...)
	slices.SortFunc(c.Changed, func(a, b Change) int { return cmp.Compare(a.After.Line, b.After.Line) })
	c.Removed, c.Added = old, now
	return c
}

// trimmed returns a text without blanks at the ends of its lines.
func trimmed(text string) string {
	if !strings.Contains(text, " \n") && !strings.Contains(text, "\t\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	return strings.Join(lines, "\n")
}

// rest removes from both lists the entries that they have in common by key.
func rest(before, after []Entry, key func(Entry) string) (old, now []Entry) {
	count := map[string]int{}
	for _, e := range before {
		count[key(e)]++
	}
	for _, e := range after {
		if k := key(e); count[k] > 0 {
			count[k]--
		} else {
			now = append(now, e)
		}
	}
	// What is left over is taken from the end, where copies are added.
	for _, e := range slices.Backward(before) {
		if k := key(e); count[k] > 0 {
			count[k]--
			old = append(old, e)
		}
	}
	slices.Reverse(old)
	return old, now
}

// moved pairs entries with the same words in different sections.
func moved(old, now []Entry) (left, right []Entry, pairs []Change) {
	at := map[string][]int{}
	for i, e := range now {
		at[trimmed(e.Text)] = append(at[trimmed(e.Text)], i)
	}
	taken := make([]bool, len(now))
	for _, e := range old {
		k := trimmed(e.Text)
		if len(at[k]) == 0 {
			left = append(left, e)
			continue
		}
		pairs = append(pairs, Change{e, now[at[k][0]]})
		taken[at[k][0]] = true
		at[k] = at[k][1:]
	}
	return left, untaken(now, taken), pairs
}

// reworded pairs the remaining entries within their sections, the most similar first.
func reworded(old, now []Entry) (left, right []Entry, pairs []Change) {
	type match struct {
		score    float64
		old, now int
	}
	bySection := map[string][]int{}
	for j, e := range now {
		bySection[e.Section] = append(bySection[e.Section], j)
	}
	inSection := map[string]int{}
	for _, e := range old {
		inSection[e.Section]++
	}
	bags := make([]bag, len(now))
	for j, e := range now {
		bags[j] = bagOf(e.Text)
	}
	var found []match
	for i, e := range old {
		if inSection[e.Section]*len(bySection[e.Section]) > maxPairs {
			continue
		}
		mine := bagOf(e.Text)
		for _, j := range bySection[e.Section] {
			if s := mine.overlap(bags[j]); s >= similar {
				found = append(found, match{s, i, j})
			}
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(a.old, b.old), cmp.Compare(a.now, b.now))
	})
	oldTaken, nowTaken := make([]bool, len(old)), make([]bool, len(now))
	for _, m := range found {
		if !oldTaken[m.old] && !nowTaken[m.now] {
			oldTaken[m.old], nowTaken[m.now] = true, true
			pairs = append(pairs, Change{old[m.old], now[m.now]})
		}
	}
	return untaken(old, oldTaken), untaken(now, nowTaken), pairs
}

func untaken(list []Entry, taken []bool) []Entry {
	var out []Entry
	for i, e := range list {
		if !taken[i] {
			out = append(out, e)
		}
	}
	return out
}

// bag counts the words of a text.
type bag struct {
	words map[string]int
	size  int
}

func bagOf(text string) bag {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	b := bag{words: make(map[string]int, len(words)), size: len(words)}
	for _, w := range words {
		b.words[w]++
	}
	return b
}

// overlap returns the share of words that two texts have in common, 0–1. Texts without
// words have none.
func (a bag) overlap(b bag) float64 {
	if a.size+b.size == 0 {
		return 0
	}
	both := 0
	for w, n := range a.words {
		both += min(n, b.words[w])
	}
	return 2 * float64(both) / float64(a.size+b.size)
}
