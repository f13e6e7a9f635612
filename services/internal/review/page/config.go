package page

import (
	"errors"
	"fmt"
	"time"
)

// The bounds of a digest. S3.18 gives the items; the words are two minutes of
// reading (S3.22) with time left to answer.
const (
	fewestItems, mostItems = 5, 10
	// fewestWords fits the longest single question beside all fixed text, so that no
	// question is too long for every digest.
	fewestWords, defaultWords, mostWords = 260, 320, 2000
)

// LocalReviewer is the principal of the person at a laptop. An empty Reviewer means
// that person in every process.
const LocalReviewer = "local"

// Config says for whom a digest is made, and its size.
type Config struct {
	Zone        string        `koanf:"zone" help:"IANA time zone of the schedule and of the dates in the digest, such as Europe/Berlin."`
	Reviewer    string        `koanf:"reviewer" help:"Principal who gets what no registered reviewer has; empty is local, the person at a laptop."`
	Language    string        `koanf:"language" help:"Language of the digest where a reviewer names none: en or de."`
	MaxItems    int           `koanf:"max_items" help:"Questions in one digest, 5 to 10; the rest waits and is counted."`
	MaxWords    int           `koanf:"max_words" help:"Words in one digest, 260 to 2000; 320 are two minutes of reading."`
	ExpireAfter time.Duration `koanf:"expire_after" help:"After how long a question that nobody answered expires. It is counted and never promoted."`
	UndoWithin  time.Duration `koanf:"undo_within" help:"How long the answer undo takes an answer back."`
	ReviewURL   string        `koanf:"review_url" help:"Address of the review page, written below the digest; empty leaves it out."`
}

// DefaultConfig returns the settings of a two-minute digest in English.
func DefaultConfig() Config {
	return Config{
		Zone: "UTC", Language: LanguageEnglish,
		MaxItems: mostItems, MaxWords: defaultWords,
		ExpireAfter: 28 * 24 * time.Hour, UndoWithin: 24 * time.Hour,
	}
}

// Validate reports every invalid value.
func (c Config) Validate() error {
	var problems []error
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if _, err := time.LoadLocation(c.Zone); err != nil || c.Zone == "" {
		wrong("zone: %q is no time zone; write an IANA name, such as Europe/Berlin", c.Zone)
	}
	if _, known := languages[c.Language]; !known {
		wrong("language: %q is none of %v", c.Language, Languages())
	}
	if c.MaxItems < fewestItems || c.MaxItems > mostItems {
		wrong("max_items: %d items; give %d to %d", c.MaxItems, fewestItems, mostItems)
	}
	if c.MaxWords < fewestWords || c.MaxWords > mostWords {
		wrong("max_words: %d words; give %d to %d", c.MaxWords, fewestWords, mostWords)
	}
	if c.ExpireAfter < 24*time.Hour {
		wrong("expire_after: %s; give a day or more, such as 672h", c.ExpireAfter)
	}
	if c.UndoWithin < 0 {
		wrong("undo_within: %s; give zero or more, such as 24h", c.UndoWithin)
	}
	return errors.Join(problems...)
}
