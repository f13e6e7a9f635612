package merge

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// detailsKept heads the sentences that were appended word for word (D12).
const detailsKept = "Details kept"

// keysOf returns the specifics of a text as keys that are equal for equal details. A
// number has its unit when the unit changes its meaning.
func keysOf(s *memory.Specifics) []string {
	var out []string
	for _, d := range s.Values {
		out = append(out, valueKey(d))
	}
	for _, list := range [][]memory.Detail{s.Idents, s.URLs, s.Quotes} {
		for _, d := range list {
			out = append(out, d.Text)
		}
	}
	for _, word := range s.Negations() {
		out = append(out, negationKey(word))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func valueKey(d memory.Detail) string {
	if d.Unit == "" || d.Unit == "date" || !memory.IsMeasure(d.Unit) {
		return d.Text
	}
	return d.Text + " " + d.Unit
}

// negationKey is written as people read it in a report.
func negationKey(word string) string { return "not " + word }

// said is what a text has of details.
type said struct {
	keys  map[string]bool
	words map[string]bool
	plain string // in lower case, to find a name letter by letter
}

// saidBy reads a merged text with its title and description.
func (r *reader) saidBy(texts ...string) said {
	s := said{keys: map[string]bool{}, words: map[string]bool{}}
	var plain strings.Builder
	for _, text := range texts {
		for _, u := range split(text) {
			u.read = r.texts.Text(u.text)
			for _, key := range keysOf(u.details()) {
				s.keys[key] = true
			}
			for _, t := range u.read.Tokens {
				s.words[t.Value] = true
				if t.Class == memory.TokenWord {
					s.words[memory.Stem(t.Value)] = true
				}
			}
		}
		plain.WriteString(strings.ToLower(text))
		plain.WriteByte('\n')
	}
	s.plain = plain.String()
	return s
}

// has reports whether the text has a detail: as one, as a plain word ("`redis`" and
// redis), or letter by letter inside a longer name.
func (s said) has(key string) bool {
	if s.keys[key] || s.words[key] {
		return true
	}
	number, unit, measured := strings.Cut(key, " ")
	switch {
	case strings.HasPrefix(key, "not "):
		return false
	case measured && memory.IsMeasure(unit):
		return s.keys[number+unit]
	}
	return len(key) > 3 && !numeric(key) && strings.Contains(s.plain, key)
}

func numeric(key string) bool { return strings.Trim(key, "0123456789.,:/-–") == "" }

// missing is a source's sentence with the details that a merged text lacks.
type missing struct {
	at   int // unit of the corpus
	keys []string
}

// lacks returns the units whose details the text does not have, in the order of the
// corpus. Units that may not be carried are left out.
func (c *corpus) lacks(s said) []missing {
	var out []missing
	for i := range c.units {
		u := &c.units[i]
		if u.poison != "" || u.frame {
			continue
		}
		var keys []string
		for _, key := range keysOf(u.details()) {
			if !s.has(key) {
				keys = append(keys, key)
			}
		}
		if len(keys) > 0 {
			out = append(out, missing{i, keys})
		}
	}
	return out
}

// details returns all details of the sources' texts that may be carried, each once.
func (c *corpus) details() []string {
	var out []string
	for i := range c.units {
		if u := &c.units[i]; u.poison == "" && !u.frame {
			out = append(out, keysOf(u.details())...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// keep appends sentences with missing details word for word while the text has room,
// those with most of them for their length first. It returns the text, the appended
// sentences, and the details that have no room.
func (c *corpus) keep(text string, lack []missing, room int) (string, []string, []string) {
	covered := map[string]bool{}
	var chosen []int
	used := size(text) + size(detailsKept) + 4
	for {
		best, bestGain := -1, 0.0
		for n, m := range lack {
			cost := c.units[m.at].cost() + 1
			if slices.Contains(chosen, m.at) || used+cost > room {
				continue
			}
			fresh := 0
			for _, key := range m.keys {
				if !covered[key] {
					fresh++
				}
			}
			if gain := float64(fresh) / float64(cost); gain > bestGain {
				best, bestGain = n, gain
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, lack[best].at)
		used += c.units[lack[best].at].cost() + 1
		for _, key := range lack[best].keys {
			covered[key] = true
		}
	}
	slices.Sort(chosen)
	var kept, left []string
	for _, m := range lack {
		for _, key := range m.keys {
			if !covered[key] {
				left = append(left, key)
			}
		}
	}
	slices.Sort(left)
	left = slices.Compact(left)
	if len(chosen) == 0 {
		return text, nil, left
	}
	var b strings.Builder
	b.WriteString(strings.TrimSpace(text))
	b.WriteString("\n\n" + detailsKept + ":")
	for _, i := range chosen {
		kept = append(kept, c.units[i].bare())
		b.WriteString("\n")
		if !c.units[i].block {
			b.WriteString("- ")
		}
		b.WriteString(c.units[i].bare())
	}
	return strings.TrimSpace(b.String()), kept, left
}
