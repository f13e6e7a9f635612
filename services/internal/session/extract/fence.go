package extract

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// shownTurn is a turn as a model sees it. JSON keeps the roles as structure: a
// line end in a text cannot begin a turn.
type shownTurn struct {
	Turn  int    `json:"turn,omitempty"`
	Role  string `json:"role,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Error bool   `json:"error,omitempty"`
	Text  string `json:"text,omitempty"`
	// Omitted counts the turns that were left out here.
	Omitted int `json:"omitted_turns,omitempty"`
}

// write is one line of the trace.
func write(t shownTurn) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // < and > cost a model six characters each, and neutral has seen to them
	if err := enc.Encode(t); err != nil {
		return "{}" // strings and numbers always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// show is a turn with at most so many bytes of text, of which the middle goes
// first.
func show(l transcript.Line, most int, nonce string) string {
	return write(shownTurn{
		Turn: l.N, Role: string(l.Role), Tool: neutral(l.Tool.Name, nonce), Error: l.Error, Text: neutral(Middle(l.Text, most), nonce),
	})
}

var (
	// lookAlike finds runs that could pass for our fence, in any alphabet's
	// brackets.
	lookAlike = regexp.MustCompile(`[<＜‹«《⟨≪〈⟪˂]{2,}|[>＞›»》⟩≫〉⟫˃]{2,}`)
	// controlTokens are how the formats of models mark who speaks.
	controlTokens = regexp.MustCompile(`(?i)<[|｜][^|｜>\n]{1,40}[|｜]>|\[/?INST\]|</?(?:s|system|assistant|user|human|tool_result|function_results|trace|session|transcript|instructions?)>`)
	// fenceWord is ours, with anything for a nonce.
	fenceWord = regexp.MustCompile(`\bTRACE\b`)
)

// neutral breaks what looks like a fence, like a model's own marks or like the
// nonce. It only puts blanks between letters: a quotation from the text is still
// found, because blanks do not count there.
func neutral(text, nonce string) string {
	text = lookAlike.ReplaceAllStringFunc(text, spaced)
	text = controlTokens.ReplaceAllStringFunc(text, func(m string) string {
		first, rest := m[:1], m[1:]
		return first + " " + rest
	})
	text = fenceWord.ReplaceAllString(text, "T RACE")
	if len(nonce) > 1 {
		text = strings.ReplaceAll(text, nonce, nonce[:1]+" "+nonce[1:])
	}
	return text
}

// spaced puts a blank between all characters.
func spaced(s string) string { return strings.Join(strings.Split(s, ""), " ") }
