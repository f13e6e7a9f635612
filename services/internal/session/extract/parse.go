package extract

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// NoExtractions is the answer that there is nothing to learn (S4.11).
const NoExtractions = "NO_EXTRACTIONS"

// Layout is the format of an answer.
type Layout string

// The layouts.
const (
	LayoutJSON     Layout = "json"
	LayoutMarkdown Layout = "markdown"
	LayoutNone     Layout = "none" // the answer says that there is nothing to learn
)

// Report counts what an answer contained.
type Report struct {
	Layout Layout `json:"layout"`
	Found  int    `json:"found"` // memories in the answer, accepted or not
	// Refused are the memories that were not accepted.
	Refused []Refusal `json:"refused,omitempty"`
	// Shortened counts titles and descriptions that were too long.
	Shortened int `json:"shortened,omitempty"`
}

// Refusal says why one memory of an answer was not accepted. It never quotes
// the memory.
type Refusal struct {
	N   int    `json:"n"` // from 1, in the order of the answer
	Why string `json:"why"`
}

// maxAnswer is how many bytes of an answer are read. The rest of a longer one
// does not answer the question.
const maxAnswer = 256 << 10

// draft is a memory as an answer states it, before any check.
type draft struct {
	Kind        string   `json:"kind"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Content     string   `json:"content"`
	Tags        []string `json:"tags"`
	Outcome     string   `json:"outcome"`
	Evidence    []Quote  `json:"evidence"`
	broken      string   // why it cannot be read at all
}

// Parse parses an answer: JSON that fits the schema, alone, in a code fence or
// amid prose, or the seed's Markdown. It returns at most most memories, and
// never more than [MaxMemories]. An answer without memories is no error. The
// error is [ErrUnparseable].
//
// The returned memories are well-formed but not yet verified: see [Ground].
func Parse(answer string, most int) ([]Extraction, Report, error) {
	if len(answer) > maxAnswer {
		answer = strings.ToValidUTF8(answer[:maxAnswer], "")
	}
	answer = printable(answer)
	report := Report{Layout: LayoutJSON}
	drafts, ok := parseJSON(answer)
	if !ok {
		report.Layout = LayoutMarkdown
		drafts = parseMarkdown(answer)
		if len(drafts) == 0 {
			report.Layout = LayoutNone
			if strings.Contains(answer, NoExtractions) {
				return nil, report, nil
			}
			return nil, report, ErrUnparseable
		}
	}
	report.Found = len(drafts)
	var kept []Extraction
	for i, d := range drafts {
		e, why := d.accept(&report)
		if why == "" && len(kept) >= min(most, MaxMemories) {
			why = fmt.Sprintf("more than the %d that were asked for", max(0, min(most, MaxMemories)))
		}
		if why != "" {
			report.Refused = append(report.Refused, Refusal{N: i + 1, Why: why})
			continue
		}
		kept = append(kept, e)
	}
	return kept, report, nil
}

// printable removes characters that no database stores and no person sees.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}

// accept checks a draft against the format, and returns the extraction or the
// first fault.
func (d draft) accept(report *Report) (Extraction, string) {
	if d.broken != "" {
		return Extraction{}, d.broken
	}
	e := Extraction{
		Kind: kindOf(d.Kind), Title: OneLine(d.Title), Description: OneLine(d.Description),
		Text: strings.TrimSpace(d.Content), Tags: tagsOf(d.Tags), Outcome: strings.ToLower(strings.TrimSpace(d.Outcome)), Evidence: quotesOf(d.Evidence),
	}
	switch {
	case e.Kind == "":
		return e, "its kind is none of strategy, fact, preference, convention and decision"
	case e.Text == "":
		return e, "it has no content"
	case utf8.RuneCountInString(e.Text) > MaxContent:
		return e, fmt.Sprintf("its content is longer than %d characters", MaxContent)
	case e.Outcome != "" && e.Outcome != OutcomeSuccess && e.Outcome != OutcomeFailure:
		return e, "its outcome is neither success nor failure"
	}
	if e.Kind == memory.KindStrategy {
		switch {
		case e.Title == "":
			return e, "it has no title"
		case e.Description == "":
			return e, "it has no description"
		}
		e.Title = shorten(e.Title, MaxTitle, report)
		e.Description = shorten(e.Description, MaxDescription, report)
	}
	return e, ""
}

// kindOf parses a kind. The seed's format has none: there every memory is a
// strategy.
func kindOf(s string) memory.Kind {
	switch k := memory.Kind(strings.ToLower(strings.TrimSpace(s))); k {
	case "":
		return memory.KindStrategy
	case memory.KindStrategy, memory.KindFact, memory.KindPreference, memory.KindConvention, memory.KindDecision:
		return k
	}
	return ""
}

// shorten cuts a text at a word and marks the cut: a truncated description must
// not look complete.
func shorten(s string, most int, report *Report) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	if report != nil {
		report.Shortened++
	}
	return Ellipsis(s, most)
}

// Ellipsis returns at most so many characters of a text, whole words and a
// mark.
func Ellipsis(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	cutAt := string(runes[:most-1])
	if i := strings.LastIndexByte(cutAt, ' '); i > len(cutAt)/2 {
		cutAt = cutAt[:i]
	}
	return strings.TrimRight(cutAt, " ,;:–-") + "…"
}

// OneLine joins a text's lines.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func tagsOf(list []string) []string {
	var tags []string
	for _, tag := range list {
		tag = strings.ToLower(strings.Trim(OneLine(tag), "#`\"'[]"))
		if tag != "" && utf8.RuneCountInString(tag) <= maxTag && len(tags) < maxTags {
			tags = append(tags, tag)
		}
	}
	return tags
}

func quotesOf(list []Quote) []Quote {
	var quotes []Quote
	for _, q := range list {
		q.Text = strings.TrimSpace(q.Text)
		if q.Text != "" && utf8.RuneCountInString(q.Text) <= MaxQuote && len(quotes) < MaxQuotes {
			quotes = append(quotes, q)
		}
	}
	return quotes
}
