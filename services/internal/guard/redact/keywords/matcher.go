package keywords

// Matcher finds every occurrence of its words in a text. It is immutable after
// New and safe for concurrent use.
type Matcher struct {
	words []string
	// class maps a byte to its column in next. Bytes that occur in no word share
	// column 0, which keeps the table small enough to stay in the cache.
	class   [256]uint8
	classes int
	// next holds the automaton: next[state*classes+class] is the following state.
	next []int32
	// ends[state] is the first word that ends in state, or -1; chain links the
	// other words that end there (proper suffixes, and equal words).
	ends  []int32
	chain []link
}

// link is one element of the list of words that end in the same state.
type link struct {
	word int32
	next int32 // index into Matcher.chain, -1 at the end
}

// New builds a matcher. The index of a word in words is the id that Each
// reports. Empty words never match; equal words are each reported.
func New(words []string) *Matcher {
	m := &Matcher{words: make([]string, len(words))}
	for i, w := range words {
		m.words[i] = lower(w)
	}
	m.assignClasses()
	m.build()
	return m
}

// Each calls hit for every occurrence with the word's id and the byte offsets
// of the occurrence, in the order in which occurrences end.
func (m *Matcher) Each(text string, hit func(word, start, end int)) {
	state := 0
	for i := 0; i < len(text); i++ {
		state = int(m.next[state*m.classes+int(m.class[text[i]])])
		for l := m.ends[state]; l >= 0; l = m.chain[l].next {
			w := int(m.chain[l].word)
			hit(w, i+1-len(m.words[w]), i+1)
		}
	}
}

// Any reports whether the text has any of the words.
func (m *Matcher) Any(text string) bool {
	state := 0
	for i := 0; i < len(text); i++ {
		state = int(m.next[state*m.classes+int(m.class[text[i]])])
		if m.ends[state] >= 0 {
			return true
		}
	}
	return false
}

// assignClasses gives each byte that occurs in a word its own column, upper
// and lower case sharing one.
func (m *Matcher) assignClasses() {
	m.classes = 1
	for _, w := range m.words {
		for i := 0; i < len(w); i++ {
			if c := w[i]; m.class[c] == 0 {
				m.class[c] = uint8(m.classes)
				m.classes++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		m.class[c-'a'+'A'] = m.class[c]
	}
}

// build fills the trie and then turns it into a complete automaton, breadth
// first, so that a state's failure state is finished before the state itself.
func (m *Matcher) build() {
	m.addState()
	for id, w := range m.words {
		m.insert(id, w)
	}
	fail := make([]int32, len(m.ends))
	queue := make([]int32, 0, len(m.ends))
	for c := range m.classes {
		if s := m.next[c]; s > 0 {
			queue = append(queue, s)
		} else {
			m.next[c] = 0
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		m.inherit(s, fail[s])
		for c := range m.classes {
			at := int(s)*m.classes + c
			viaFail := m.next[int(fail[s])*m.classes+c]
			if t := m.next[at]; t > 0 {
				fail[t] = viaFail
				queue = append(queue, t)
			} else {
				m.next[at] = viaFail
			}
		}
	}
}

// insert adds one word's path to the trie.
func (m *Matcher) insert(id int, w string) {
	if w == "" {
		return
	}
	state := int32(0)
	for i := 0; i < len(w); i++ {
		at := int(state)*m.classes + int(m.class[w[i]])
		if m.next[at] <= 0 {
			m.next[at] = m.addState()
		}
		state = m.next[at]
	}
	m.chain = append(m.chain, link{word: int32(id), next: m.ends[state]})
	m.ends[state] = int32(len(m.chain) - 1)
}

// inherit appends the words of the failure state to those of s. The failure
// state is complete already, so its list can be shared and not copied.
func (m *Matcher) inherit(s, fail int32) {
	if m.ends[s] < 0 {
		m.ends[s] = m.ends[fail]
		return
	}
	last := m.ends[s]
	for m.chain[last].next >= 0 {
		last = m.chain[last].next
	}
	m.chain[last].next = m.ends[fail]
}

func (m *Matcher) addState() int32 {
	m.ends = append(m.ends, -1)
	for range m.classes {
		m.next = append(m.next, -1)
	}
	return int32(len(m.ends) - 1)
}

// lower folds ASCII letters only: a byte automaton must not change lengths.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
