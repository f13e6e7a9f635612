package topic

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The guards of S2.18 and S2.19. Both are inclusive: ten memories and 200 tokens are
// enough.
const (
	MinMemories = 10
	MinTokens   = 200
	// MaxTokens is eight times the recommended length of 300–500 tokens (S2.4): a
	// longer text is no summary.
	MaxTokens = 4000
)

// ErrRefused says that a summary is not stored as given. The message names what is
// missing and the remedy.
var ErrRefused = errors.New("no summary was stored")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrRefused, fmt.Sprintf(format, args...))
}

// Tokens estimates the tokens of a text: ceil(characters / 4) (S2.19, D27).
func Tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

// enough checks how many memories the topic has (S2.18, S2.25).
func enough(topic string, count int) error {
	if count >= MinMemories {
		return nil
	}
	return refuse("the topic %q has %d memories, at least %d are needed; a topic this small is read whole with memory_search, topic %q",
		topic, count, MinMemories, topic)
}

// substantial checks how long the summary is (S2.19).
func substantial(content string) error {
	switch n := Tokens(content); {
	case n < MinTokens:
		return refuse("the content has %d tokens (characters divided by 4), at least %d are needed: say what the topic is and why it exists, "+
			"its current state and key decisions, the major solved problems, and the open questions", n, MinTokens)
	case n > MaxTokens:
		return refuse("the content has %d tokens, at most %d are stored; 300 to 500 are best", n, MaxTokens)
	}
	return nil
}

// listed joins names, the first few of a long list.
func listed(names []string, most int) string {
	if extra := len(names) - most; extra > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), extra)
	}
	return strings.Join(names, ", ")
}
