package calibrate

import (
	"bufio"
	_ "embed" // the pairs
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kinds of pairs, from the most to the least alike. A file of pairs may have kinds of
// its own.
const (
	KindExact      = "exact"      // one text, written differently
	KindParaphrase = "paraphrase" // the same in other words
	KindEdited     = "edited"     // one value, state or negation changed
	KindHard       = "hard"       // another statement about the same thing
	KindRandom     = "random"     // nothing to do with each other
)

// Text is a pair as a person labelled it.
type Text struct {
	A, B  string
	Kind  string
	Same  bool   // they say the same
	Group string // pairs of one group share a text and are not independent
}

// groups holds one fact in each line, with texts that say the same, texts in which one
// thing was changed, and others about the same thing. All of it was invented for this
// purpose, in English and German; its projects do not exist.
//
//go:embed groups.jsonl
var groups string

type group struct {
	Lang   string   `json:"lang"`
	Text   string   `json:"text"`
	Same   []string `json:"same"`
	Edited []string `json:"edited"`
	Near   []string `json:"near"`
}

// Shipped returns the pairs that come with Winnow, always in the same order.
func Shipped() ([]Text, error) {
	byLang := map[string][]group{}
	lines := bufio.NewScanner(strings.NewReader(groups))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var g group
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			return nil, fmt.Errorf("shipped pairs, line %d: %w", n, err)
		}
		byLang[g.Lang] = append(byLang[g.Lang], g)
	}
	var out []Text
	// Languages stay apart: some facts are in both, and two of those would be no random
	// pair.
	for _, lang := range []string{"de", "en"} {
		for i := range byLang[lang] {
			out = append(out, pairsOf(byLang[lang], i)...)
		}
	}
	return out, nil
}

// pairsOf returns the pairs of one fact.
func pairsOf(all []group, i int) []Text {
	g := all[i]
	name := fmt.Sprint(g.Lang, i)
	var out []Text
	add := func(a, b, kind string) {
		same := kind == KindExact || kind == KindParaphrase
		out = append(out, Text{A: a, B: b, Kind: kind, Same: same, Group: name})
	}
	own := append([]string{g.Text}, g.Same...)
	for _, text := range append(append(append([]string{}, own...), g.Edited...), g.Near...) {
		for _, other := range jitter(text) {
			add(text, other, KindExact)
		}
	}
	for x := range own {
		for y := range x {
			add(own[y], own[x], KindParaphrase)
		}
		for _, e := range g.Edited {
			add(own[x], e, KindEdited)
		}
		for _, n := range g.Near {
			add(own[x], n, KindHard)
		}
	}
	for _, step := range []int{1, 3, 4, 6} {
		other := all[(i+step)%len(all)]
		add(g.Text, other.Text, KindRandom)
		add(g.Same[0], other.Near[0], KindRandom)
	}
	return out
}

// jitter returns variants of a text with the same meaning: what an editor, a list or
// another agent does to it.
func jitter(text string) []string {
	first, n := utf8.DecodeRuneInString(text)
	bare := strings.TrimSuffix(text, ".")
	return []string{
		"- " + bare,
		string(unicode.ToLower(first)) + bare[n:],
		strings.ReplaceAll(bare, "`", "") + " !",
	}
}
