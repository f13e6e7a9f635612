package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// A speech in plain text is cut into several turns of one speaker, so that a log
// without speakers needs little memory.
const (
	maxPassage = 32 << 10
	// ahead is how much of what follows is known where a passage is cut: more
	// than any secret of several lines has.
	ahead = 16 << 10
	// maxSpeech is where a speech is cut wherever that is.
	maxSpeech = 8 * maxPassage
)

// textSource reads plain text. Speakers are recognised by a label at the start
// of a line; before the first label speaks the assistant, because nothing says
// that a person did.
type textSource struct {
	in    *bufio.Reader
	below *counted
	line  int
	first int // line where the current passage begins
	role  trace.Role
	text  strings.Builder
	tried int // length up to which no place for a cut was found
}

// speakerLabel is a role at the start of a line, plain or as Markdown writes it.
var speakerLabel = regexp.MustCompile(`(?i)^(?:#{1,4}\s+|>\s*)?(?:\*\*|__)?(?:\[)?(user|human|you|nutzer(?:in)?|benutzer(?:in)?|mensch|assistant|ai|agent|claude|chatgpt|gpt|bot|assistent|ki|system|tool|tool result|output|werkzeug|ausgabe)(?:\])?(?:\*\*|__)?\s*(?::(?:\*\*|__)?\s*|$)`)

var speakers = map[string]trace.Role{
	"user": trace.RoleUser, "human": trace.RoleUser, "you": trace.RoleUser, "nutzer": trace.RoleUser, "nutzerin": trace.RoleUser,
	"benutzer": trace.RoleUser, "benutzerin": trace.RoleUser, "mensch": trace.RoleUser,
	"system": trace.RoleSystem,
	"tool":   trace.RoleTool, "tool result": trace.RoleTool, "output": trace.RoleTool, "werkzeug": trace.RoleTool, "ausgabe": trace.RoleTool,
}

func (s *textSource) next(r *Reader) error {
	line, err := s.in.ReadSlice('\n')
	if s.below.err != nil {
		return s.below.err
	}
	whole := !errors.Is(err, bufio.ErrBufferFull)
	if err != nil && whole && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read trace: %w", err)
	}
	s.line++
	s.hear(r, string(line))
	if errors.Is(err, io.EOF) {
		s.flush(r)
		return io.EOF
	}
	return nil
}

func (s *textSource) hear(r *Reader, line string) {
	text := strings.TrimRight(line, "\r\n")
	if m := label(text); m != nil {
		s.flush(r)
		s.first = s.line
		s.role = trace.RoleAssistant
		if role, ok := speakers[strings.ToLower(text[m[2]:m[3]])]; ok {
			s.role = role
		}
		s.text.WriteString(text[m[1]:] + "\n")
		return
	}
	if s.text.Len() >= max(maxPassage, s.tried)+ahead {
		s.cut(r)
	}
	if s.text.Len() == 0 {
		s.first = s.line
	}
	s.text.WriteString(line)
}

// label finds a speaker at the start of a line. A bare word on a line of its own
// is one only in Markdown, as a heading or in bold.
func label(line string) []int {
	m := speakerLabel.FindStringSubmatchIndex(line[:min(len(line), 64)])
	if m == nil || !strings.Contains(line[:m[1]], ":") && !strings.ContainsAny(line[:1], "#*_[") {
		return nil
	}
	return m
}

// cut tells the beginning of a long speech, at the end of a paragraph, a line or
// a word. What may not be kept is found in the whole as in its parts, or the cut
// waits for a better place.
func (s *textSource) cut(r *Reader) {
	text := s.text.String()
	at := passageEnd(text[:len(text)-ahead])
	if len(text) < maxSpeech && !r.rewrite.splits(text, at) {
		s.tried = 2*len(text) - ahead
		return
	}
	s.text.Reset()
	s.text.WriteString(text[at:])
	s.tried = 0
	s.tell(r, text[:at])
	s.first += strings.Count(text[:at], "\n")
}

// passageEnd is where a text is best cut, beyond its first half.
func passageEnd(text string) int {
	for _, end := range []string{"\n\n", "\n", " "} {
		if at := strings.LastIndex(text, end); at > len(text)/2 {
			return at + len(end)
		}
	}
	at := len(text)
	for at > 0 && !utf8.RuneStart(text[at-1]) {
		at--
	}
	return max(at-1, 1)
}

func (s *textSource) flush(r *Reader) {
	text := s.text.String()
	s.text.Reset()
	s.tried = 0
	s.tell(r, text)
}

func (s *textSource) tell(r *Reader, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	role := s.role
	if role == "" {
		role = trace.RoleAssistant
	}
	r.session.Report.Records++
	r.emit(trace.Turn{Role: role, Text: text, Line: s.first})
}
