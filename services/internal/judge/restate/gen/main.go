// Command gen makes the table of synonyms and antonyms of package restate from the files
// of WordNet 3.1: the folder with index.sense, data.verb, data.noun, data.adj and data.adv
// is its argument, the table goes to standard output.
//
// It keeps what is common: words of the vocabulary of the static table, in their first
// senses.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"

	"github.com/winnowhq/winnow/services/internal/language"
)

// maxSense is the last sense of a word, by frequency, that counts.
const maxSense = 4

func main() {
	if err := generate(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sense is a word in one part of speech and meaning.
type sense struct {
	word   string
	class  byte // of index.sense: 1 noun, 2 verb, 3 adjective, 4 adverb, 5 satellite
	offset string
}

func generate(dir string, out io.Writer) error {
	usual, err := senses(filepath.Join(dir, "index.sense"))
	if err != nil {
		return err
	}
	var groups, opposites []string
	for _, file := range []struct{ name, classes string }{{"data.noun", "1"}, {"data.verb", "2"}, {"data.adj", "35"}, {"data.adv", "4"}} {
		err := lines(filepath.Join(dir, file.name), func(fields []string) {
			words, antonyms := synset(fields)
			kept := func(w string) bool {
				for i := range len(file.classes) {
					if usual[sense{w, file.classes[i], fields[0]}] {
						return true
					}
				}
				return false
			}
			var group []string
			for _, w := range words {
				if kept(w) {
					group = append(group, stem(w))
				}
			}
			slices.Sort(group)
			if group = slices.Compact(group); len(group) > 1 {
				groups = append(groups, strings.Join(group, " "))
			}
			for _, a := range antonyms {
				if kept(words[a.from]) {
					opposites = append(opposites, stem(words[a.from])+"\x00"+file.name+a.offset+"\x00"+strconv.Itoa(a.to))
				}
			}
		})
		if err != nil {
			return err
		}
	}
	pairs, err := resolve(dir, opposites)
	if err != nil {
		return err
	}
	slices.Sort(groups)
	for _, g := range slices.Compact(groups) {
		fmt.Fprintln(out, g)
	}
	fmt.Fprintln(out)
	for _, p := range pairs {
		fmt.Fprintln(out, p)
	}
	return nil
}

// senses returns the first senses of common words.
func senses(file string) (map[sense]bool, error) {
	out := make(map[sense]bool)
	err := lines(file, func(f []string) {
		word, rest, ok := strings.Cut(f[0], "%")
		if n, err := strconv.Atoi(f[2]); ok && err == nil && n <= maxSense && len(word) > 2 && plain(word) && (f[3] != "0" || language.Known(word)) && !language.Function(word, language.Open) {
			out[sense{word, rest[0], f[1]}] = true
		}
	})
	return out, err
}

// plain reports a single word in small letters.
func plain(w string) bool {
	return !strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' })
}

// antonym is a pointer from a word of a synset to a word of another.
type antonym struct {
	from, to int
	offset   string
}

// synset reads a line of a data file.
func synset(f []string) (words []string, antonyms []antonym) {
	n, err := strconv.ParseInt(f[3], 16, 32)
	if err != nil {
		return nil, nil
	}
	at := 4
	for range n {
		w, _, _ := strings.Cut(strings.ToLower(f[at]), "(")
		words = append(words, w)
		at += 2
	}
	pointers, err := strconv.Atoi(f[at])
	if err != nil {
		return words, nil
	}
	for range pointers {
		p := f[at+1 : at+5]
		at += 4
		if p[0] != "!" {
			continue
		}
		from, _ := strconv.ParseInt(p[3][:2], 16, 32)
		to, _ := strconv.ParseInt(p[3][2:], 16, 32)
		if from > 0 && to > 0 {
			antonyms = append(antonyms, antonym{int(from) - 1, int(to) - 1, p[1]})
		}
	}
	return words, antonyms
}

// resolve finds the words that the antonyms point to.
func resolve(dir string, opposites []string) ([]string, error) {
	wanted := make(map[string]string)
	for _, name := range []string{"data.noun", "data.verb", "data.adj", "data.adv"} {
		if err := lines(filepath.Join(dir, name), func(f []string) {
			words, _ := synset(f)
			for i, w := range words {
				wanted[name+f[0]+"\x00"+strconv.Itoa(i)] = w
			}
		}); err != nil {
			return nil, err
		}
	}
	var out []string
	for _, o := range opposites {
		word, target, _ := strings.Cut(o, "\x00")
		w := wanted[target]
		if w == "" || !plain(w) || language.Function(w, language.Open) {
			continue
		}
		a, b := word, stem(w)
		if a > b {
			a, b = b, a
		}
		if a != b {
			out = append(out, a+" "+b)
		}
	}
	slices.SortFunc(out, cmp.Compare[string])
	return slices.Compact(out), nil
}

// lines calls read with the fields of each line that is not of the licence.
func lines(file string, read func(fields []string)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // read only
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if line := s.Text(); !strings.HasPrefix(line, "  ") {
			line, _, _ = strings.Cut(line, " | ")
			read(strings.Fields(line))
		}
	}
	return s.Err()
}

func stem(w string) string {
	env := snowballstem.NewEnv(w)
	english.Stem(env)
	return env.Current()
}
