package local

import (
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/session/foresight"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// AdoptOptions says which files of this machine an adoption reads.
type AdoptOptions struct {
	Home Home
	// Dirs restricts the adoption to sessions in these folders and below; empty
	// means everywhere.
	Dirs   []string
	Person string // the principal that the adoption acts for
	PII    bool
	Trust  trust.Config // which tools bring words from outside
	// Embedder lets triage compare meaning; nil compares words only.
	Embedder embed.Embedder
	// Progress gets the number of transcripts read. It may be nil and is called
	// from several goroutines.
	Progress func(done, total int)
}

// Adoption is what a person's own history would teach.
type Adoption struct {
	Sessions  int `json:"sessions"`
	Turns     int `json:"turns"`
	Secrets   int `json:"secrets"` // replaced before any further step
	Lessons   int `json:"lessons"`
	Questions int `json:"questions"`
	// Repeated counts lessons that repeat others. Withheld counts those that
	// triage turned away: from outside, transient, or of no use.
	Repeated int `json:"repeated"`
	Withheld int `json:"withheld"`
	Entries  int `json:"entries"` // of memory files
	Parts    int `json:"parts"`   // transcripts that are a part of another session
	Empty    int `json:"empty"`   // transcripts in which nothing was said

	// Foresight is which errors of later sessions an earlier one had solved, and what
	// would have been shown of them.
	Foresight foresight.Report `json:"foresight"`

	Projects   []AdoptedProject `json:"projects"`
	Unreadable []UnreadableKind `json:"unreadable"`

	files []SessionFile
}

// AdoptedProject is what one scope would receive.
type AdoptedProject struct {
	Scope     string          `json:"scope"`
	Sessions  int             `json:"sessions"`
	Lessons   []AdoptedLesson `json:"lessons"`
	Questions []AdoptedLesson `json:"questions"`
	Memories  []AdoptedFile   `json:"memory_files"`
}

// AdoptedLesson is one lesson that would be learned or asked about.
type AdoptedLesson struct {
	Kind    string `json:"kind"`
	Title   string `json:"title,omitempty"`
	Text    string `json:"text"` // redacted
	Rule    string `json:"rule"`
	Reason  string `json:"reason"`
	Session string `json:"session"` // file
	Turn    int    `json:"turn"`    // of the first evidence
}

// AdoptedFile is a memory file that would be imported.
type AdoptedFile struct {
	FoundMemories
	Entries int    `json:"entries"`
	Problem string `json:"problem,omitempty"`

	reading *Reading
}

// Reading returns the content of the file; nil where it could not be read.
func (f AdoptedFile) Reading() *Reading { return f.reading }

// UnreadableKind counts the transcripts of one agent that cannot be read.
type UnreadableKind struct {
	Agent   string `json:"agent"`
	Files   int    `json:"files"`
	Problem string `json:"problem"` // of the first
	First   string `json:"first"`
}
