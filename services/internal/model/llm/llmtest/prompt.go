package llmtest

import (
	"encoding/json"
	"strings"
)

// turn is one turn of the session in a prompt.
type turn struct {
	N    int    `json:"turn"`
	Role string `json:"role"`
	Tool string `json:"tool"`
	Text string `json:"text"`
}

// turnsOf parses the session in a prompt: every line that is a JSON object with a role
// and a text is a turn.
func turnsOf(in Request) []turn {
	var list []turn
	for _, m := range in.Messages {
		for line := range strings.Lines(m.Content) {
			line = strings.Trim(strings.TrimSpace(line), ",")
			if !strings.HasPrefix(line, "{") {
				continue
			}
			var t turn
			if json.Unmarshal([]byte(line), &t) == nil && t.Role != "" && t.Text != "" {
				list = append(list, t)
			}
		}
	}
	return list
}
