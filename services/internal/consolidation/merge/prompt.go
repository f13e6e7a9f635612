package merge

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"strings"
)

//go:embed template/*.txt
var templates embed.FS

// Languages of the prompt. Another one is two files in the folder template.
const (
	LanguageEnglish = "en"
	LanguageGerman  = "de"
)

// PromptVersion names the wording of the prompts. It changes with every letter of a
// template, and with nothing else.
var PromptVersion = promptVersion()

func promptVersion() string {
	h := sha256.New()
	for _, name := range []string{"system", "task", "repair"} {
		for _, language := range []string{LanguageEnglish, LanguageGerman} {
			text := template(name, language)
			fmt.Fprintf(h, "%s.%s %d\n%s", name, language, len(text), text)
		}
	}
	return "merge-" + hex.EncodeToString(h.Sum(nil))[:12]
}

func template(name, language string) string {
	text, err := templates.ReadFile("template/" + name + "." + language + ".txt")
	if err != nil {
		return "" // tests check that every template exists
	}
	return string(text)
}

// Prompt returns the question that [Merge] asks about the sources (S4.44–S4.45): title,
// content, tags, confidence and usage of each, inside a fence, then the tasks and the
// form of the answer.
func Prompt(sources []Source, o Options) (system, user string) {
	return shared.read(sources).prompt(o)
}

func (c *corpus) prompt(o Options) (system, user string) {
	language := c.language(o)
	var b strings.Builder
	fmt.Fprintf(&b, "<<<MEMORIES %s\n", c.nonce(o))
	for i := range c.sources {
		s := &c.sources[i]
		fmt.Fprintf(&b, "memory %d of %d\n", i+1, len(c.sources))
		b.WriteString(barred("title", s.Title))
		b.WriteString(barred("tags", strings.Join(s.Tags, ", ")))
		fmt.Fprintf(&b, "| confidence: %.2f\n| used: %d times\n", s.Confidence, max(s.Usage, 0))
		b.WriteString(barred("outcome", s.Outcome))
		b.WriteString(barred("content", s.Text))
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "MEMORIES %s>>>\n\n", c.nonce(o))
	offered := c.room(o) * askedShare / 100
	if c.short(o) {
		offered = c.room(o)
	}
	fmt.Fprintf(&b, template("task", language), offered)
	return template("system", language), b.String()
}

// askedShare is the part of the room, in percent, that a model is offered. The rest is
// for details that it leaves out.
const askedShare = 80

// barred writes a field of a memory with a bar before each line, so that no line of it
// can pass for the beginning of another memory or the end of the fence.
func barred(name, text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	if len(lines) == 1 && name != "content" {
		return "| " + name + ": " + lines[0] + "\n"
	}
	return "| " + name + ":\n|   " + strings.Join(lines, "\n|   ") + "\n"
}

// language returns the language of the prompt.
func (c *corpus) language(o Options) string {
	switch {
	case o.Language == LanguageGerman || o.Language == LanguageEnglish:
		return o.Language
	case c.german:
		return LanguageGerman
	}
	return LanguageEnglish
}

func (c *corpus) nonce(o Options) string {
	if o.Nonce != "" {
		return o.Nonce
	}
	h := sha256.New()
	for i := range c.sources {
		fmt.Fprintf(h, "%s %d\n%s", c.sources[i].ID, len(c.sources[i].Text), c.sources[i].Text)
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
}

// maxFaults bounds the faults that a second question lists.
const maxFaults = 40

// again returns the question after an answer that was not good enough.
func (c *corpus) again(user, answer string, faults []string, o Options) string {
	var b strings.Builder
	b.WriteString(user)
	b.WriteByte('\n')
	b.WriteString(template("repair", c.language(o)))
	fmt.Fprintf(&b, "\n<<<ANSWER %s\n", c.nonce(o))
	b.WriteString(barred("answer", clip(answer, 2*c.length+1000)))
	for _, f := range faults[:min(len(faults), maxFaults)] {
		b.WriteString(barred("fault", f))
	}
	fmt.Fprintf(&b, "ANSWER %s>>>\n", c.nonce(o))
	return b.String()
}

// clip cuts a text at a blank, to at most this many runes.
func clip(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	cut := string(runes[:max(most, 0)])
	if i := strings.LastIndexByte(cut, ' '); i > 0 {
		cut = cut[:i]
	}
	return cut
}
