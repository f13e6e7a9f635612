package page

import "strings"

// cursor iterates over the tokens of one line.
type cursor struct {
	line   string
	tokens []token
	at     int
}

func (c *cursor) peek(ahead int) token {
	if i := c.at + ahead; i < len(c.tokens) {
		return c.tokens[i]
	}
	return token{kind: tokenEnd, start: len(c.line), end: len(c.line)}
}

func (c *cursor) next() token {
	t := c.peek(0)
	c.at++
	return t
}

// line parses the pieces of one line. It returns the reason and the byte at which it
// stopped, or an empty reason.
func (p *parser) line(line string) (Why, int) {
	c := &cursor{line: line, tokens: lex(line)}
	for c.peek(0).kind != tokenEnd {
		start := c.peek(0)
		if why := p.piece(c); why != "" {
			return why, start.start
		}
	}
	return "", 0
}

func (p *parser) piece(c *cursor) Why {
	t := c.next()
	switch {
	case t.kind == tokenNumber:
		return p.numbered(c, t, p.answers, "")
	case t.word == wordSpot:
		if n := c.next(); n.kind == tokenNumber {
			return p.numbered(c, n, p.spots, "p")
		}
	case t.word == wordOK:
		return p.setBase(BaseRecommended)
	case t.word == wordAll:
		switch c.next().word {
		case wordYes:
			return p.setBase(BaseYes)
		case wordNo:
			return p.setBase(BaseNo)
		}
		return WhyNoChoice
	case t.word == wordExcept && p.base != BaseNone && !p.except && !p.plain:
		p.except = true
		return ""
	case t.word == wordAnd:
		return ""
	case t.word == wordLater:
		p.later = true
		return p.saw("later")
	case t.word == wordUndo:
		p.undo = true
		return p.saw("undo")
	}
	return WhyUnknown
}

func (p *parser) saw(piece string) Why {
	p.understood = append(p.understood, piece)
	return ""
}

func (p *parser) setBase(b Base) Why {
	if p.base != BaseNone && p.base != b {
		return WhyContradiction
	}
	p.base = b
	return p.saw(string(b))
}

// numbered parses what follows a number: a range, a choice or a new text.
func (p *parser) numbered(c *cursor, first token, into map[int]Answer, prefix string) Why {
	from, to := first.number, first.number
	if c.peek(0).kind == tokenDash && c.peek(1).kind == tokenNumber {
		c.next()
		to = c.next().number
	}
	if from < 1 || to > maxNumber || from > to {
		return WhyRange
	}
	if c.peek(0).kind == tokenColon {
		colon := c.next()
		if !choiceAhead(c) {
			if from != to || prefix != "" {
				return WhyUnknown
			}
			return p.newText(c, from, colon)
		}
	}
	choice := No
	switch c.next().word {
	case wordYes:
		choice = Yes
	case wordNo:
	default:
		return WhyNoChoice
	}
	if prefix == "" {
		p.excepted = p.excepted || p.except
		p.plain = p.plain || !p.except
	}
	for n := from; n <= to; n++ {
		if why := p.answer(into, prefix, Answer{Number: n, Choice: choice}); why != "" {
			return why
		}
	}
	return ""
}

// choiceAhead distinguishes "1: y, 2: n" from "1: no comments in code": after a choice
// comes another number, or nothing.
func choiceAhead(c *cursor) bool {
	if w := c.peek(0).word; w != wordYes && w != wordNo {
		return false
	}
	after := c.peek(1)
	return after.kind == tokenEnd || after.kind == tokenNumber || after.word == wordSpot && c.peek(2).kind == tokenNumber
}

// newText reads the rest of the line as the new text. An answer or a code at its end is
// refused, because it was hardly meant to be stored.
func (p *parser) newText(c *cursor, n int, colon token) Why {
	text := strings.TrimSpace(c.line[colon.end:])
	rest := c.tokens[c.at:]
	c.at = len(c.tokens)
	if len(rest) == 0 || len(rest) == 1 && rest[0].word != "" {
		return WhyNoChoice
	}
	if k := len(rest); k > 2 && rest[k-2].kind == tokenNumber && (rest[k-1].word == wordYes || rest[k-1].word == wordNo) {
		return WhyText
	}
	_, last := lastWord(text)
	if _, is := codeShaped(bare(last)); is && p.code == "" {
		return WhyText
	}
	if p.except {
		p.excepted = true
	}
	return p.answer(p.answers, "", Answer{Number: n, Choice: Yes, Text: text})
}

// answer adds an answer. A repeated answer counts once.
func (p *parser) answer(into map[int]Answer, prefix string, a Answer) Why {
	if said, is := into[a.Number]; is {
		if said.Choice != a.Choice || said.Text != "" && a.Text != "" && said.Text != a.Text {
			return WhyContradiction
		}
		if a.Text == "" {
			a.Text = said.Text
		}
	}
	into[a.Number] = a
	return p.saw(a.name(prefix))
}
