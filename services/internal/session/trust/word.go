package trust

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command, as far as the line itself contains it.
type word struct {
	text  string // with unknown in place of what only the shell knows
	known bool   // text is the whole word
	open  bool   // the word holds a pattern, which the shell replaces by names of files
}

// unknown stands for what a word holds only when the line runs.
const unknown = "\x00"

// words expands the words of a command. A variable that the line gives one value
// is replaced by it, and falls into words as in the shell.
func (s *script) words(list []*syntax.Word) []word {
	out := make([]word, 0, len(list))
	for _, w := range list {
		one := s.word(w)
		if value, ok := s.whole(w); ok && strings.ContainsAny(value, " \t\n") {
			for _, part := range strings.Fields(value) {
				out = append(out, word{text: part, known: true})
			}
			continue
		}
		out = append(out, one)
	}
	return out
}

// whole is the value of a word that is one unquoted variable.
func (s *script) whole(w *syntax.Word) (string, bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	if !ok {
		return "", false
	}
	return s.value(p)
}

// value is that of a plain variable which the line sets once.
func (s *script) value(p *syntax.ParamExp) (string, bool) {
	if p.Param == nil || !plain(p) {
		return "", false
	}
	v, ok := s.values[p.Param.Value]
	return v, ok
}

// plain reports $x or ${x}: nothing is done to the value.
func plain(p *syntax.ParamExp) bool {
	return p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet && p.NestedParam == nil && p.Index == nil &&
		len(p.Modifiers) == 0 && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}

// word is a single word without being split.
func (s *script) word(w *syntax.Word) word {
	if w == nil {
		return word{known: true}
	}
	out := word{known: true}
	var b strings.Builder
	s.parts(&b, &out, w.Parts, false)
	out.text = b.String()
	return out
}

func (s *script) parts(b *strings.Builder, out *word, parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if !quoted && strings.ContainsAny(p.Value, "*?[{") {
				out.open = true
			}
			b.WriteString(unescaped(p.Value, quoted))
		case *syntax.SglQuoted:
			if p.Dollar && strings.Contains(p.Value, `\`) {
				out.known = false
				b.WriteString(unknown)
				continue
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			s.parts(b, out, p.Parts, true)
		case *syntax.ParamExp:
			if v, ok := s.value(p); ok {
				b.WriteString(v)
				continue
			}
			out.known = false
			b.WriteString(unknown)
		default: // commands, arithmetic, patterns
			out.known = false
			b.WriteString(unknown)
		}
	}
}

// unescaped removes backslashes as the shell does.
func unescaped(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		next := text[i+1]
		switch {
		case next == '\n':
			i++
		case quoted && !strings.ContainsRune("$`\"\\", rune(next)):
			b.WriteByte('\\')
		default:
			b.WriteByte(next)
			i++
		}
	}
	return b.String()
}
