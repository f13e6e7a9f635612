package extract

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	// heading matches the line that begins a memory (S4.10).
	heading = regexp.MustCompile(`(?i)^#{1,6}\s*\**\s*memory\b[^\n]*$`)
	// label matches the beginning of a field: **Title**: …, **Title:** …,
	// Title: …
	label = regexp.MustCompile(`(?i)^\s*(?:[-*]\s+)?\**(kind|title|description|content|tags|outcome|evidence)\**\s*:\s*\**\s*(.*)$`)
	// cited matches one line of evidence: turn 4: "…".
	cited = regexp.MustCompile(`(?i)^(?:[-*]\s+)?\[?turn\s*#?(\d{1,9})\]?\s*[:,–-]?\s*(.*)$`)
)

// parseMarkdown parses the seed's format. Lines before the first heading are
// prose; a line without a label continues the field above it.
func parseMarkdown(answer string) []draft {
	var drafts []draft
	var field string
	for line := range strings.SplitSeq(answer, "\n") {
		if heading.MatchString(strings.TrimSpace(line)) {
			drafts = append(drafts, draft{})
			field = ""
			continue
		}
		if len(drafts) == 0 || strings.HasPrefix(strings.TrimSpace(line), "```") && field != "content" {
			continue
		}
		d := &drafts[len(drafts)-1]
		if m := label.FindStringSubmatch(line); m != nil {
			field, line = strings.ToLower(m[1]), m[2]
		}
		d.append(field, line)
	}
	return drafts
}

// append adds a line to a field.
func (d *draft) append(field, line string) {
	switch field {
	case "kind":
		d.Kind = joinLine(d.Kind, line)
	case "title":
		d.Title = joinLine(d.Title, strings.Trim(line, "*\" "))
	case "description":
		d.Description = joinLine(d.Description, line)
	case "content":
		d.Content = strings.TrimLeft(d.Content+"\n"+line, "\n")
	case "tags":
		d.Tags = append(d.Tags, strings.Split(line, ",")...)
	case "outcome":
		d.Outcome = joinLine(d.Outcome, strings.Trim(line, "*.` "))
	case "evidence":
		d.cite(line)
	}
}

func joinLine(a, b string) string { return strings.TrimSpace(a + " " + strings.TrimSpace(b)) }

// cite parses a line of evidence. A quotation without a turn is looked up in
// all turns.
func (d *draft) cite(line string) {
	line = strings.TrimSpace(line)
	q := Quote{Text: line}
	if m := cited.FindStringSubmatch(line); m != nil {
		q.Turn, _ = strconv.Atoi(m[1]) // nine digits at most
		q.Text = m[2]
	}
	if q.Text = strings.Trim(strings.TrimSpace(q.Text), "\"“”„"); q.Text != "" {
		d.Evidence = append(d.Evidence, q)
	}
}
