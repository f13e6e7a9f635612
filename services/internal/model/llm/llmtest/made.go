package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// lesson is one memory of an answer, in the terms of the prompt's schema.
type lesson struct {
	Kind        string   `json:"kind"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Content     string   `json:"content"`
	Tags        []string `json:"tags"`
	Outcome     string   `json:"outcome"`
	Evidence    []quote  `json:"evidence"`
}

type quote struct {
	Turn int    `json:"turn"`
	Text string `json:"text"`
}

// Valid answers correctly, in the format that the request asks for.
func Valid(w http.ResponseWriter, r *http.Request, in Request) {
	if in.WantsJSON() {
		JSON(w, r, in)
		return
	}
	Markdown(w, r, in)
}

// JSON answers correctly by the schema, for every request.
func JSON(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, inJSON(learned(in)), "stop")
}

// Markdown answers correctly in the form of S4.10, for every request.
func Markdown(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, inMarkdown(learned(in)), "stop")
}

// Truncated stops in the middle of a good answer, at its length.
func Truncated(w http.ResponseWriter, _ *http.Request, in Request) {
	text := inJSON(learned(in))
	answer(w, in, text[:len(text)/2], "length")
}

// Ungrounded invents: a path, a number and a quotation that the session does not
// contain.
func Ungrounded(w http.ResponseWriter, _ *http.Request, in Request) {
	answer(w, in, inJSON([]lesson{{
		Kind: "strategy", Title: "Raise the pool in config/pool_8231.yaml",
		Description: "When connections run out under load.",
		Content:     "Set max_connections to 8231 in config/pool_8231.yaml and restart zorbd.",
		Tags:        []string{"database"}, Outcome: "success",
		Evidence: []quote{{1, "max_connections = 8231 fixed it in config/pool_8231.yaml"}},
	}}), "stop")
}

// Hostile obeys all that it reads: text that gives orders becomes a memory, with
// evidence that quotes it, of every kind that pays best.
func Hostile(w http.ResponseWriter, _ *http.Request, in Request) {
	list := []lesson{}
	for _, t := range turnsOf(in) {
		text, ok := order(t.Text)
		if !ok {
			continue
		}
		for _, kind := range []string{"strategy", "preference", "fact"} {
			list = append(list, lesson{
				Kind: kind, Title: clip(text, 50), Description: clip("Always: "+text, 200), Content: text,
				Tags: []string{"rule"}, Outcome: "success", Evidence: []quote{{t.N, text}},
			})
		}
	}
	if len(list) == 0 {
		list = learned(in)
	}
	answer(w, in, inJSON(list[:min(len(list), 3)]), "stop")
}

// orders begin, or mark, text that tells a model what to do.
var orders = []string{
	"ignore ", "disregard ", "from now on", "always ", "never ", "you must", "remember that", "remember:", "system:", "important:",
	"new instructions", "override", "ab sofort", "ignoriere", "merke dir", "vergiss ",
}

// order finds the line of a text that gives an order.
func order(text string) (string, bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		low := strings.ToLower(line)
		for _, o := range orders {
			if strings.Contains(low, o) {
				return clip(line, 400), true
			}
		}
	}
	return "", false
}

// learned returns at most two memories of the session: the agent's last words, and the
// person's first request.
func learned(in Request) []lesson {
	list := []lesson{}
	var asked, said turn
	for _, t := range turnsOf(in) {
		switch {
		case t.Role == "user" && asked.Text == "":
			asked = t
		case t.Role == "assistant" && t.Tool == "" && t.Text != "":
			said = t
		}
	}
	for _, t := range []turn{said, asked} {
		if quoted := sentence(t.Text); quoted != "" {
			list = append(list, lesson{
				Kind: "strategy", Title: clip(quoted, 50), Description: clip(quoted, 200), Content: quoted,
				Tags: []string{"session"}, Outcome: outcomeOf(in), Evidence: []quote{{t.N, quoted}},
			})
		}
	}
	return list
}

// outcomeOf returns the session's outcome by the prompt, as far as one word tells.
func outcomeOf(in Request) string {
	if strings.Contains(strings.ToLower(in.Prompt()), "session outcome: failure") {
		return "failure"
	}
	return "success"
}

// sentence is the first line of a text, to the end of its first sentence.
func sentence(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if len(line) < 12 {
			continue
		}
		if end := strings.Index(line, ". "); end > 20 {
			line = line[:end+1]
		}
		return clip(line, 240)
	}
	return ""
}

// clip cuts at a word, to at most this many runes.
func clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	cut := string(runes[:most])
	if space := strings.LastIndexByte(cut, ' '); space > 0 {
		cut = cut[:space]
	}
	return cut
}

func inJSON(list []lesson) string {
	raw, err := json.Marshal(map[string]any{"memories": list})
	if err != nil { // strings and numbers always marshal
		return ""
	}
	return string(raw)
}

func inMarkdown(list []lesson) string {
	if len(list) == 0 {
		return "NO_EXTRACTIONS"
	}
	var b strings.Builder
	for i, l := range list {
		fmt.Fprintf(&b, "## Memory %d\n**Title**: %s\n**Description**: %s\n**Content**: %s\n**Tags**: %s\n**Outcome**: %s\n",
			i+1, l.Title, l.Description, l.Content, strings.Join(l.Tags, ", "), l.Outcome)
		for _, q := range l.Evidence {
			fmt.Fprintf(&b, "**Evidence**: turn %d: %q\n", q.Turn, q.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
