package search

// Words is how many words are remembered.
func (m *Matcher) Words() int {
	l := m.lexicon.Load()
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.words)
}
