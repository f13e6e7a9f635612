package jsonedit

import "bytes"

// Remove returns the text without the member at a path of names, its name and its comma
// included. Everything else stays, comments beside it too. An object in which nothing is
// left becomes {}. Where the member is missing, the text is returned as it is.
func Remove(text []byte, path ...string) ([]byte, error) {
	l, err := root(filled(text))
	if err != nil {
		return nil, err
	}
	for i, name := range path {
		there, ok, err := l.find(name)
		if err != nil || !ok {
			return text, err
		}
		if i == len(path)-1 {
			return l.without(text, there), nil
		}
		if l, ok = there.list(); !ok || !l.object {
			return text, nil
		}
	}
	return text, nil
}

// without cuts one of the list's items out of the text, with the space before it.
func (l list) without(text []byte, gone item) []byte {
	n := 0
	for l.items[n].at != gone.at {
		n++
	}
	comma, upto := -1, gone.upto
	switch {
	case n < len(l.items)-1 || l.comma:
		upto = gone.afterComma()
	case n > 0:
		// The comma before it would be the last in the list, which plain JSON does not
		// allow.
		comma = l.items[n-1].afterComma() - 1
	}
	from := len(bytes.TrimRight(text[:gone.at], " \t\r\n"))
	line, _, _ := bytes.Cut(text[upto:], []byte("\n"))
	switch {
	case len(l.items) == 1 && from == l.open+1 && len(bytes.TrimSpace(text[upto:l.close])) == 0:
		upto = l.close
	case len(bytes.TrimSpace(line)) > 0 && bytes.Contains(text[from:gone.at], []byte("\n")):
		// What follows in the line must not become a part of a comment before it.
		from = gone.at
	}
	text = splice(text, from, upto, nil)
	if comma >= 0 {
		text = splice(text, comma, comma+1, nil)
	}
	return text
}

// afterComma returns the place after the comma that follows an item.
func (i item) afterComma() int { return i.upto + len(i.value.AfterExtra) + 1 }
