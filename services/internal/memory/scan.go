package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// TokenClass is the class of a token.
type TokenClass uint8

// The classes of tokens.
const (
	TokenWord   TokenClass = iota
	TokenNumber            // a number or version; Value has it without unit, sign of currency or leading v
	TokenIdent             // an identifier, path, file, flag, call, hash or package name
	TokenURL
	TokenDate  // one date of one or more words; Value is 2026-02-05, 2026-02 or --02-05
	TokenArrow // →, -> or =>
)

// Token is one word of a text with its context. Start and End are byte offsets of
// the word without the punctuation around it.
type Token struct {
	Class      TokenClass
	Value      string // canonical: lower case, a number without its unit
	Unit       string // of a number: the suffix without a blank, such as % or ms
	Start, End int
	Sep        byte // the strongest separator before the token: one of 0 , ; : . ( and newline
	Code       bool // in backticks
	Quote      int  // number of the surrounding quotation, from 1; 0 outside
	Call       bool // an identifier written as a call
	Upper      bool // begins with a capital letter
	Caps       bool // two letters or more, all of them capitals
}

// WordSet returns the words of the lists, which blanks and line ends separate. It makes
// the word lists of the house, which stand in the code as text so that they can be read.
func WordSet(lists ...string) map[string]bool {
	words := make(map[string]bool)
	for _, list := range lists {
		for w := range strings.FieldsSeq(list) {
			words[w] = true
		}
	}
	return words
}

// Scan splits a text into tokens. Markdown emphasis, brackets and quotation marks
// are not tokens; identifiers, paths, flags and URLs stay whole. Scan is linear in
// the length of the text and never fails.
func Scan(text string) []Token { return ScanInto(make([]Token, 0, len(text)/6+2), text) }

// ScanInto is [Scan] into the memory of tokens, whose contents it replaces.
func ScanInto(tokens []Token, text string) []Token {
	s := scanner{text: text, tokens: tokens[:0]}
	for s.pos < len(text) {
		if n := s.blank(); n > 0 {
			s.pos += n
			continue
		}
		end := s.pos
		for end < len(text) {
			if c := text[end]; c > ' ' && c < utf8.RuneSelf {
				end++
				continue
			}
			r, n := utf8.DecodeRuneInString(text[end:])
			if unicode.IsSpace(r) {
				break
			}
			end += n
		}
		s.chunk(s.pos, end)
		s.pos = end
	}
	return mergeDates(s.tokens)
}

type scanner struct {
	text   string
	pos    int
	tokens []Token
	sep    byte
	code   bool
	quote  int  // current quotation, 0 outside
	closer rune // the rune that ends the current quotation
	quotes int
}

// blank consumes one white-space rune. A line break ends code spans and
// quotations, so that one stray backtick does not turn the rest of the text into
// code.
func (s *scanner) blank() int {
	switch c := s.text[s.pos]; {
	case c == ' ':
		return 1
	case c > ' ' && c < utf8.RuneSelf:
		return 0
	}
	r, n := utf8.DecodeRuneInString(s.text[s.pos:])
	if !unicode.IsSpace(r) {
		return 0
	}
	if r == '\n' {
		s.sep, s.code, s.quote = '\n', false, 0
	}
	return n
}

// separate records the strongest punctuation before the next token.
func (s *scanner) separate(c byte) {
	const order = ",(:;.\n"
	if strings.IndexByte(order, c) > strings.IndexByte(order, s.sep) || s.sep == 0 {
		s.sep = c
	}
}

// chunk emits the tokens of the text between two blanks.
func (s *scanner) chunk(start, end int) {
	if isArrow(s.text[start:end]) {
		s.emit(Token{Class: TokenArrow, Value: "→", Start: start, End: end})
		return
	}
	start = s.lead(start, end)
	if start >= end {
		return
	}
	stop := s.trail(start, end)
	s.piece(start, stop)
	short := stop < end && s.text[stop] == '.' && s.shortened(start, stop, end)
	for i, r := range s.text[stop:end] {
		if i > 0 || !short {
			s.close(r)
		}
	}
}

// shortened reports that the full stop behind a chunk ends no sentence: "Dr. Haas", and in
// German "am 5. des Monats".
func (s *scanner) shortened(start, stop, end int) bool {
	body := s.text[start:stop]
	if len(body) < 5 && shortForms[strings.ToLower(body)] {
		return true
	}
	if strings.EqualFold(body, "no") && end+1 < len(s.text) && s.text[end] == ' ' && isDigit(s.text[end+1]) {
		return true // "sensor no. 11"
	}
	if len(body) > 2 || strings.Trim(body, "0123456789") != "" {
		return false
	}
	if stop+1 < end {
		return s.text[stop+1] == ','
	}
	return end+1 < len(s.text) && s.text[end] == ' ' && s.text[end+1] >= 'a' && s.text[end+1] <= 'z'
}

var shortForms = WordSet(`dr prof mr mrs ms nr st ca vs bzw inkl ggf approx`)

// lead consumes the punctuation before a token and returns the token's start.
func (s *scanner) lead(start, end int) int {
	for start < end {
		if isASCIILetter(s.text[start]) {
			return start
		}
		r, n := utf8.DecodeRuneInString(s.text[start:end])
		next, _ := utf8.DecodeRuneInString(s.text[start+n : end])
		switch {
		case r == '`':
			s.code = !s.code
		case r == '"' || r == '“' || r == '„' || r == '«' || r == '\'' || r == '‘' || r == '‚' || r == '”':
			s.open(r)
		case r == '(' || r == '[' || r == '{':
			s.separate('(')
		case r == '<' || r == '>' || r == '~' || r == '≈' || r == '≤' || r == '≥' || r == '|' || r == '=':
			if r == '~' && next == '/' {
				return start
			}
		case r == '*':
			if next == '.' || next == '/' {
				return start
			}
		case r == '_':
			if end-start < 3 || s.text[end-1] != '_' {
				return start
			}
		case r == '-':
			if next == '-' || unicode.IsLetter(next) || unicode.IsDigit(next) {
				return start
			}
			s.separate(':')
		case r == '–' || r == '—':
			s.separate(':')
		case r == '•' || r == '…' || r == '·':
			s.separate('.')
		case r == ',' || r == ';' || r == ':' || r == '!' || r == '?' || r == '.':
			if r == '.' && (unicode.IsLetter(next) || next == '/' || next == '.') {
				return start
			}
			s.close(r)
		case r == '#' && unicode.IsDigit(next), r == '$', r == '@', r == '/', r == '+':
			return start
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.IsSymbol(r):
			return start
		}
		start += n
	}
	return start
}

// trail returns the end of the token that begins at start.
func (s *scanner) trail(start, end int) int {
	for end > start {
		if isASCIILetter(s.text[end-1]) {
			return end
		}
		r, n := utf8.DecodeLastRuneInString(s.text[start:end])
		body := s.text[start:end]
		switch r {
		case ')':
			if strings.Count(body, "(") >= strings.Count(body, ")") {
				return end
			}
		case ']', '}':
			if strings.ContainsAny(body, "[{") {
				return end
			}
		case '`', '"', '”', '“', '»', '\'', '’', '‘', '*', '~', ',', '.', ';', ':', '!', '?', '…', '|', '>', '—', '–', '=', '(', '{', '[':
		case '_':
			if !strings.HasPrefix(body, "_") && end-start > 1 {
				return end
			}
		default:
			return end
		}
		end -= n
	}
	return end
}

// open begins a quotation unless one is open.
func (s *scanner) open(r rune) {
	if s.quote != 0 {
		s.close(r)
		return
	}
	s.quotes++
	s.quote = s.quotes
	s.closer = closers[r]
}

var closers = map[rune]rune{'"': '"', '“': '”', '”': '”', '„': '“', '«': '»', '\'': '\'', '‘': '’', '‚': '‘'}

// close consumes one rune of punctuation after a token.
func (s *scanner) close(r rune) {
	switch r {
	case '`':
		s.code = !s.code
	case ',', ';', ':':
		s.separate(byte(r))
	case '.', '!', '?', '…':
		s.separate('.')
	case ')', ']', '}':
		s.separate(',')
	case '—', '–':
		s.separate(':')
	}
	if s.quote != 0 && (r == s.closer || s.closer == '”' && r == '"' || s.closer == '“' && r == '”') {
		s.quote = 0
	}
}

// piece emits the tokens of one stripped chunk, usually one token. An assignment,
// a call with arguments or words joined by a slash are several tokens.
func (s *scanner) piece(start, end int) {
	body := s.text[start:end]
	if body == "" {
		return
	}
	if !plain(body) {
		if s.compound(start, end) {
			return
		}
	}
	if i := strings.IndexByte(body, '/'); i > 0 && i < len(body)-1 && !s.code && isWordSlash(body) {
		s.piece(start, start+i)
		s.piece(start+i+1, end)
		return
	}
	s.emitClass(start, end, false)
}

// plain reports whether a chunk has none of the bytes that [scanner.compound]
// searches for. Nearly every chunk of a text is plain.
func plain(body string) bool {
	for i := range len(body) {
		switch body[i] {
		case '`', ':', '=', '(', '>', 0xE2, '.':
			return false
		}
	}
	return true
}

// compound emits the tokens of a chunk that is a URL or has several tokens, and
// reports whether it did.
func (s *scanner) compound(start, end int) bool {
	body := s.text[start:end]
	if i := strings.IndexByte(body, '`'); i > 0 { // `flag`-like, or `a`/`b`
		s.piece(start, start+i)
		s.code = !s.code
		s.chunk(start+i+1, end)
		return true
	}
	if strings.Contains(body, "://") || strings.HasPrefix(body, "www.") {
		s.emit(Token{Class: TokenURL, Value: strings.TrimSuffix(strings.ToLower(body), "/"), Start: start, End: end})
		return true
	}
	for _, arrow := range []string{"→", "->", "=>"} {
		if i := strings.Index(body, arrow); i > 0 && i+len(arrow) < len(body) {
			s.piece(start, start+i)
			s.emit(Token{Class: TokenArrow, Value: "→", Start: start + i, End: start + i + len(arrow)})
			s.chunk(start+i+len(arrow), end)
			return true
		}
	}
	if i := strings.IndexAny(body, "=("); i > 0 {
		call := body[i] == '('
		s.emitClass(start, start+i, call && isCallee(body[:i]))
		s.separate(',')
		s.chunk(start+i+1, end)
		return true
	}
	return false
}

func (s *scanner) emitClass(start, end int, call bool) {
	t := classify(s.text[start:end], s.code, call)
	if t.Class == TokenIdent && !s.code {
		// "chr1's suffix" is about chr1.
		for _, genitive := range []string{"'s", "’s"} {
			if rest, ok := strings.CutSuffix(s.text[start:end], genitive); ok && rest != "" {
				end = start + len(rest)
				t = classify(rest, false, call)
			}
		}
	}
	t.Start, t.End = start, end
	s.emit(t)
}

func (s *scanner) emit(t Token) {
	t.Sep, t.Code, t.Quote = s.sep, s.code, s.quote
	s.sep = 0
	s.tokens = append(s.tokens, t)
}

func isArrow(chunk string) bool {
	return chunk == "→" || chunk == "->" || chunk == "=>" || chunk == "➜"
}
