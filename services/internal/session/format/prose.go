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

// A speech in plain text is split into several turns of one speaker, so that a
// log without speakers needs little memory.
const (
	maxPassage = 32 << 10
	// ahead is how many bytes after a cut are known when it is made. It is more
	// than any secret of several lines has.
	ahead = 16 << 10
	// maxSpeech is the length at which a speech is cut even at a bad position.
	maxSpeech = 8 * maxPassage
)

// textSource reads plain text. Speakers are recognised by a label at the start
// of a line. Text before the first label is the assistant's, because nothing
// says that a person wrote it.
type textSource struct {
	in    *bufio.Reader
	below *counted
	line  int
	first int // line where the current passage begins
	role  trace.Role
	text  strings.Builder
	tried int // length up to which no position for a cut was found
}

// speakerLabel matches a role at the start of a line, plain or in Markdown.
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
	s.add(r, string(line))
	if errors.Is(err, io.EOF) {
		s.flush(r)
		return io.EOF
	}
	return nil
}

func (s *textSource) add(r *Reader, line string) {
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

// label returns the match of a speaker at the start of a line. A bare word on a
// line of its own is one only in Markdown, as a heading or in bold.
func label(line string) []int {
	m := speakerLabel.FindStringSubmatchIndex(line[:min(len(line), 64)])
	if m == nil || !strings.Contains(line[:m[1]], ":") && !strings.ContainsAny(line[:1], "#*_[") {
		return nil
	}
	return m
}

// cut emits the beginning of a long speech, up to the end of a paragraph, a
// line or a word. A cut is made only where redaction finds the same secrets in
// the parts as in the whole; otherwise a later position is tried.
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
	s.emit(r, text[:at])
	s.first += strings.Count(text[:at], "\n")
}

// passageEnd returns the best position for a cut, in the second half of text.
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
	s.emit(r, text)
}

func (s *textSource) emit(r *Reader, text string) {
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
