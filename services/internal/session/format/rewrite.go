package format

// rewriter applies [Options].Rewrite. A text that comes twice in a row, as a
// shell's command does, is rewritten once.
type rewriter struct {
	how        func(string) string
	said, writ string
}

func (w *rewriter) text(s string) string {
	if w.how == nil || s == "" {
		return s
	}
	if s != w.said {
		w.said, w.writ = s, w.how(s)
	}
	return w.writ
}

// splits reports whether a text may be emitted in two parts: rewritten
// separately, the parts equal the whole rewritten.
func (w *rewriter) splits(s string, at int) bool {
	return w.how == nil || w.how(s) == w.how(s[:at])+w.how(s[at:])
}

// line returns a text about the session as it is stored: one line of at most
// 200 runes.
func (r *Reader) line(s string) string { return oneLine(r.rewrite.text(clean(s)), 200) }
