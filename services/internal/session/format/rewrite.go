package format

// rewriter applies [Options].Rewrite, once to a text that comes twice in a row,
// as the command of a shell does.
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

// splits reports that the two parts of a text may be told one by one: rewritten
// each alone, they are the whole rewritten.
func (w *rewriter) splits(s string, at int) bool {
	return w.how == nil || w.how(s) == w.how(s[:at])+w.how(s[at:])
}

// line is a text about the session as it may be kept: one line of at most 200
// runes.
func (r *Reader) line(s string) string { return oneLine(r.rewrite.text(clean(s)), 200) }
