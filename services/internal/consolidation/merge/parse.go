package merge

import (
	"errors"
	"fmt"
	"strings"
)

// Answer is a model's answer by its fields (S4.46).
type Answer struct {
	Title       string
	Content     string
	Tags        []string
	Outcome     string // success, failure or empty
	Attribution string
}

// ErrForm is wrapped by the errors of [Parse].
var ErrForm = errors.New("the answer has not the agreed form")

// fields in the order in which they are asked for.
var fields = []string{"TITLE", "CONTENT", "TAGS", "OUTCOME", "SOURCE_ATTRIBUTION"}

// Parse reads an answer: each field once, at the beginning of a line, in any order, and
// nothing before the first. The names may be bold, and the whole answer may stand in a
// fenced block, because models do that. The error wraps [ErrForm] and says what is
// wrong.
func Parse(text string) (Answer, error) {
	values := map[string]string{}
	current := ""
	for line := range strings.SplitSeq(unfenced(text), "\n") {
		name, rest := field(line)
		switch {
		case name != "":
			if _, twice := values[name]; twice {
				return Answer{}, fmt.Errorf("%w: %s stands there twice", ErrForm, name)
			}
			current, values[name] = name, rest
		case current != "":
			values[current] += "\n" + line
		case strings.TrimSpace(line) != "":
			return Answer{}, fmt.Errorf("%w: it begins with other words than TITLE", ErrForm)
		}
	}
	for _, name := range fields {
		if _, ok := values[name]; !ok {
			return Answer{}, fmt.Errorf("%w: %s is missing", ErrForm, name)
		}
	}
	a := Answer{
		Title: oneLine(values["TITLE"]), Content: strings.TrimSpace(values["CONTENT"]),
		Outcome: strings.ToLower(oneLine(values["OUTCOME"])), Attribution: oneLine(values["SOURCE_ATTRIBUTION"]),
	}
	switch strings.Trim(a.Outcome, ".*_") {
	case "success", "failure":
		a.Outcome = strings.Trim(a.Outcome, ".*_")
	case "", "none", "n/a", "-":
		a.Outcome = ""
	default:
		return Answer{}, fmt.Errorf("%w: OUTCOME is %q, want success, failure or none", ErrForm, clip(a.Outcome, 40))
	}
	switch {
	case a.Title == "":
		return Answer{}, fmt.Errorf("%w: TITLE is empty", ErrForm)
	case a.Content == "":
		return Answer{}, fmt.Errorf("%w: CONTENT is empty", ErrForm)
	}
	for tag := range strings.SplitSeq(oneLine(values["TAGS"]), ",") {
		if tag = strings.Trim(tag, " \t#`[]\"'"); tag != "" {
			a.Tags = append(a.Tags, tag)
		}
	}
	return a, nil
}

// field returns the name of the field that a line begins, and what follows it.
func field(line string) (name, rest string) {
	plain := strings.TrimLeft(strings.TrimSpace(line), "*_# ")
	for _, f := range fields {
		r, ok := strings.CutPrefix(plain, f)
		if !ok {
			continue
		}
		r = strings.TrimLeft(r, "*_ ")
		if r, ok = strings.CutPrefix(r, ":"); ok {
			return f, strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(r), "*_"))
		}
	}
	return "", ""
}

// unfenced strips a fenced block around the whole answer.
func unfenced(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if !strings.HasPrefix(text, fence) || !strings.HasSuffix(text, fence) || len(text) < 2*len(fence)+1 {
		return text
	}
	_, inner, ok := strings.Cut(strings.TrimSuffix(text, fence), "\n")
	if !ok {
		return text
	}
	return inner
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
