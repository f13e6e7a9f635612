package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// maxPassage is where a speech in plain text is cut into several turns of one
// speaker, so that a log without speakers needs no more memory than one.
const maxPassage = 32 << 10

// textSource reads plain text. Speakers are recognised by a label at the start
// of a line; before the first label speaks the assistant, because nothing says
// that a person did.
type textSource struct {
	in    *bufio.Reader
	below *counted
	line  int
	first int // line where the current passage begins
	role  Role
	text  strings.Builder
}

// speakerLabel is a role at the start of a line, plain or as Markdown writes it.
var speakerLabel = regexp.MustCompile(`(?i)^(?:#{1,4}\s+|>\s*)?(?:\*\*|__)?(?:\[)?(user|human|you|nutzer(?:in)?|benutzer(?:in)?|mensch|assistant|ai|agent|claude|chatgpt|gpt|bot|assistent|ki|system|tool|tool result|output|werkzeug|ausgabe)(?:\])?(?:\*\*|__)?\s*(?::(?:\*\*|__)?\s*|$)`)

var speakers = map[string]Role{
	"user": RoleUser, "human": RoleUser, "you": RoleUser, "nutzer": RoleUser, "nutzerin": RoleUser,
	"benutzer": RoleUser, "benutzerin": RoleUser, "mensch": RoleUser,
	"system": RoleSystem,
	"tool":   RoleTool, "tool result": RoleTool, "output": RoleTool, "werkzeug": RoleTool, "ausgabe": RoleTool,
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
		s.role = RoleAssistant
		if role, ok := speakers[strings.ToLower(text[m[2]:m[3]])]; ok {
			s.role = role
		}
		s.text.WriteString(text[m[1]:] + "\n")
		return
	}
	if s.text.Len() > 0 && s.text.Len()+len(line) > maxPassage || s.text.Len() > maxPassage/2 && strings.TrimSpace(text) == "" {
		s.flush(r)
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

func (s *textSource) flush(r *Reader) {
	if s.text.Len() == 0 {
		return
	}
	role := s.role
	if role == "" {
		role = RoleAssistant
	}
	text := s.text.String()
	s.text.Reset()
	if strings.TrimSpace(text) == "" {
		return
	}
	r.session.Report.Records++
	r.emit(Turn{Role: role, Text: text, Line: s.first})
}
