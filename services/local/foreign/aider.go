package foreign

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// AiderFile is the file in a project's folder in which Aider writes its chats, and
// aiderInput the one in which it writes only what a person typed.
const (
	AiderFile  = ".aider.chat.history.md"
	aiderInput = ".aider.input.history"
)

// aider reads the chats of a folder: Markdown, in which "#### " begins what was typed, ">"
// what the program printed, and the rest is the model's. A model can write "#### " too, so
// a text is a person's only where the second file has it.
func aider(name string) ([]byte, bool, error) {
	text, err := readFile(name)
	if err != nil {
		return nil, true, err
	}
	folder, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return nil, true, err
	}
	a := &aiderChat{typed: aiderTyped(filepath.Join(filepath.Dir(name), aiderInput))}
	a.w.add(line{Agent: "aider", Dir: folder})
	for raw := range bytes.Lines(text) {
		a.line(strings.TrimRight(string(raw), "\r\n"))
	}
	a.flush("")
	return a.w.text()
}

// aiderTyped returns the words of what a person typed: lines that begin with "+", of one
// entry after the other.
func aiderTyped(name string) map[string]bool {
	typed := map[string]bool{}
	text, err := readFile(name)
	if err != nil {
		return typed // without it nothing is known to be a person's
	}
	var entry []string
	flush := func() {
		if words := plain(strings.Join(entry, "\n")); words != "" {
			typed[words] = true
		}
		entry = nil
	}
	for raw := range bytes.Lines(text) {
		said, ok := strings.CutPrefix(strings.TrimRight(string(raw), "\r\n"), "+")
		if !ok {
			flush()
			continue
		}
		entry = append(entry, said)
	}
	flush()
	return typed
}

type aiderChat struct {
	w     writer
	typed map[string]bool
	at    string
	kind  string // of the lines held: user, assistant or tool
	held  []string
}

func (a *aiderChat) line(text string) {
	if begun, ok := strings.CutPrefix(text, "# aider chat started at "); ok {
		a.flush("")
		a.at = ""
		if at, err := time.ParseInLocation(time.DateTime, strings.TrimSpace(begun), time.Local); err == nil {
			a.at = at.UTC().Format(time.RFC3339)
		}
		return
	}
	said, typed := strings.CutPrefix(text, "#### ")
	printed, prints := strings.CutPrefix(text, ">")
	switch {
	case typed:
		a.flush(user)
		a.held = append(a.held, strings.TrimRight(said, " "))
	case prints:
		a.flush(tool)
		a.held = append(a.held, strings.TrimSpace(printed))
	case strings.TrimSpace(text) == "" && a.kind != assistant:
		a.flush("")
	default:
		a.flush(assistant)
		a.held = append(a.held, text)
	}
}

// flush writes the lines held, unless the next one is of the same kind.
func (a *aiderChat) flush(next string) {
	if a.kind == next {
		return
	}
	text := strings.TrimSpace(strings.Join(a.held, "\n"))
	switch {
	case a.kind == user && strings.HasPrefix(text, "/") && a.typed[plain(text)]:
		// A command of the program; what follows a question is said.
		if verb, rest, ok := strings.Cut(text, " "); ok && (verb == "/ask" || verb == "/code" || verb == "/architect") {
			a.w.add(line{Role: user, Text: rest, At: a.at})
		}
	case a.kind == user && a.typed[plain(text)]:
		a.w.add(line{Role: user, Text: text, At: a.at})
	case a.kind == user:
		a.w.add(line{Role: assistant, Text: text, At: a.at})
	case a.kind == tool && text != "":
		a.w.add(line{Role: tool, Tool: "aider", Text: text, At: a.at})
	default:
		a.w.add(line{Role: assistant, Text: text, At: a.at})
	}
	a.kind, a.held = next, nil
}

// AiderIn returns the file of Aider's chats in a folder; empty without one.
func AiderIn(folder string) string {
	name := filepath.Join(folder, AiderFile)
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return ""
	}
	return name
}
