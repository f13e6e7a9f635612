package extract

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// shownTurn is a turn as a model sees it. JSON preserves the roles as
// structure: a line end in a text cannot begin a turn.
type shownTurn struct {
	Turn  int    `json:"turn,omitempty"`
	Role  string `json:"role,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Error bool   `json:"error,omitempty"`
	Text  string `json:"text,omitempty"`
	// Omitted counts the turns that were left out at this position.
	Omitted int `json:"omitted_turns,omitempty"`
}

// write returns one line of the trace.
func write(t shownTurn) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // < and > cost a model six characters each, and neutral has seen to them
	if err := enc.Encode(t); err != nil {
		return "{}" // strings and numbers always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// show returns a turn with at most so many bytes of text. A longer text loses
// its middle.
func show(l transcript.Line, most int, nonce string) string {
	return write(shownTurn{
		Turn: l.N, Role: string(l.Role), Tool: neutral(l.Tool.Name, nonce), Error: l.Error, Text: neutral(Middle(l.Text, most), nonce),
	})
}

var (
	// lookAlike matches runs of brackets in any script that resemble the fence
	// of the prompt.
	lookAlike = regexp.MustCompile(`[<＜‹«《⟨≪〈⟪˂]{2,}|[>＞›»》⟩≫〉⟫˃]{2,}`)
	// controlTokens matches how the chat formats of models mark who speaks.
	controlTokens = regexp.MustCompile(`(?i)<[|｜][^|｜>\n]{1,40}[|｜]>|\[/?INST\]|</?(?:s|system|assistant|user|human|tool_result|function_results|trace|session|transcript|instructions?)>`)
	// fenceWord matches the word of the prompt's fence, with any nonce.
	fenceWord = regexp.MustCompile(`\bTRACE\b`)
)

// neutral breaks what resembles the fence, a model's control tokens or the
// nonce. It only puts blanks between letters, and blanks do not count in a
// quotation, so a quotation of the text is still found.
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

// spaced returns s with a blank between all characters.
func spaced(s string) string { return strings.Join(strings.Split(s, ""), " ") }
