package merge

// Check puts a text through the gate that somebody else wrote for the sources: a model
// that was asked about many memories at once (S1.10). It asks nobody. A text that does not
// stand gives what Merge gives without a model, with Fallback set and the reasons in
// Dropped; the caller decides whether it wants that.
//
// The error is a *[Refusal].
func Check(sources []Source, text string, o Options) (Merged, error) {
	c := shared.read(sources)
	c.achieved = o.Achieved
	if r := c.refuse(); r != nil {
		return Merged{}, r
	}
	var m Merged
	c.label(&m)
	q := asking{corpus: c, o: o}
	if !q.accept(&m, q.examine(Answer{Content: text})) {
		m.Fallback = true
		c.join(&m, o)
	}
	return m, nil
}
