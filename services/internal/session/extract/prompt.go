package extract

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// SchemaName is the name of the answer's schema in a request to a model.
const SchemaName = "memories"

// PromptOptions says how much of a session a model is shown.
type PromptOptions struct {
	// Nonce is the random word of the fence, new for every call, so that the
	// author of the trace cannot know it. Letters and digits, 16 or more.
	Nonce string
	// Tokens is the budget of the trace, at four characters per token (D27). 0
	// shows all of it.
	Tokens int
	// Max is how many memories are asked for, 0–3.
	Max int
}

// Question is what a model is asked.
type Question struct {
	System string
	User   string
	Schema json.RawMessage
	// Version identifies the wording. It changes with every letter of a
	// template, and not with the session or the nonce.
	Version string
}

//go:embed template
var templates embed.FS

// PromptVersion is [Question.Version] of every question of this build.
var PromptVersion = promptVersion()

// template returns one of the embedded files.
func template(name string) string {
	text, err := templates.ReadFile("template/" + name)
	if err != nil {
		return "" // tests check that every template exists
	}
	return string(text)
}

func promptVersion() string {
	h := sha256.New()
	for _, name := range []string{"system.txt", "success.txt", "failure.txt", "unknown.txt", "format.txt", "schema.json", "mend.txt"} {
		text := template(name)
		fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
	}
	return "distill-" + hex.EncodeToString(h.Sum(nil))[:12]
}

// Prompt builds the question for a session (S4.9): what the outcome asks for,
// the trace inside its fence, and how to answer. The instructions stand before
// and after the trace, so that the last words are never the trace's.
func Prompt(s Session, o PromptOptions) Question {
	variant := "unknown.txt"
	switch s.Outcome {
	case OutcomeSuccess, OutcomeFailure:
		variant = s.Outcome + ".txt"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Session outcome: %s\n", outcomeName(s.Session))
	fmt.Fprintf(&b, "Session trace, one turn a line:\n\n<<<TRACE %s\n", o.Nonce)
	for _, line := range shown(s, o) {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "TRACE %s>>>\n\n", o.Nonce)
	b.WriteString(template(variant))
	b.WriteByte('\n')
	fmt.Fprintf(&b, template("format.txt"), min(max(o.Max, 0), MaxMemories))
	return Question{
		System: template("system.txt"), User: b.String(),
		Schema: json.RawMessage(template("schema.json")), Version: PromptVersion,
	}
}

// outcomeName returns an outcome's name, which distinguishes a stated one from
// a guess.
func outcomeName(s memory.Session) string {
	switch s.Outcome {
	case OutcomeSuccess, OutcomeFailure:
		if s.OutcomeInferred {
			return s.Outcome + " (inferred)"
		}
		return s.Outcome
	}
	return "unknown"
}
