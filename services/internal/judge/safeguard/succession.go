package safeguard

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// succeeded returns the words by which a sentence tells that a package lives on under another
// name or at another place: "`fastjson` is unmaintained, its successor on crates.io is
// `fast-json-rs`". Who waits for such a sentence to be believed chooses the name, so names that
// have nothing in common are no less suspicious. A team that exchanges one library for another
// in its own files tells no such story: "`golint` was replaced by `staticcheck` in `Makefile`".
func (s *sentence) succeeded() string {
	if !s.ofWords(lineage) {
		return ""
	}
	kept, names, supplied := "", 0, false
	var first string
	for i := range s.tokens {
		t := &s.tokens[i]
		switch {
		case supplies[t.Value]:
			supplied = true
		case s.packaged(i):
			supplied = supplied || strings.ContainsAny(t.Value, ":@")
			if name := letters(t.Value); names == 0 {
				names, first = 1, name
			} else if name != first {
				names++
			}
		}
		if kept == "" && lineage[t.Value] {
			kept = t.Value
		}
	}
	if !supplied || names < 2 {
		return ""
	}
	return kept
}

func (s *sentence) ofWords(of map[string]bool) bool {
	for i := range s.tokens {
		if of[s.tokens[i].Value] {
			return true
		}
	}
	return false
}

// packaged reports the name of a package or an image: a piece of code that is one word, no
// file, setting or call.
func (s *sentence) packaged(i int) bool {
	t := &s.tokens[i]
	if t.Call || strings.ContainsAny(t.Value, "()$.#=") {
		return false
	}
	if t.Code {
		return t.Start > 0 && s.text[t.Start-1] == '`' && t.End < len(s.text) && s.text[t.End] == '`'
	}
	return t.Class == memory.TokenIdent
}

// letters leaves out of a name what a registry does not tell apart.
func letters(name string) string {
	return strings.TrimSuffix(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return -1
		}
		return r
	}, name), "s")
}

var (
	// lineage are the words of a story about who keeps a package up.
	lineage = memory.WordSet(`renamed continued continues successor unmaintained abandoned archived withdrawn deprecated maintained maintainers lives superseded supersedes fork forked rebranded
		relocated orphaned discontinued removed pulled official umbenannt fortgeführt nachfolger abgelöst verwaist aufgegeben zurückgezogen eingestellt gepflegt weitergeführt entfernt ersatz ersetzt archiviert`)
	// supplies are where packages come from, and what they are called there.
	supplies = memory.WordSet(`pypi npm crates.io registry crate crates gem rubygems packagist nuget maven hub ghcr quay dockerhub github gitlab package packages paket pakete toolkit library
		bibliothek wheel wheels image images chart module fork plugin extension upstream distributions`)
)
