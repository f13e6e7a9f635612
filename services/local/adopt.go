package local

import (
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// AdoptOptions say what of this machine is looked at.
type AdoptOptions struct {
	Home Home
	// Dirs restricts it to what was worked on in these folders and below; empty
	// is everywhere.
	Dirs   []string
	Person string // in whose name everything is
	PII    bool
	Trust  trust.Config // which tools bring words from outside
	// Embedder is what triage compares meaning with; nil compares words.
	Embedder embed.Embedder
	// Progress is told how many of the transcripts are read. It may be nil and is
	// called from several goroutines.
	Progress func(done, total int)
}

// Adoption is what a person's own history would teach.
type Adoption struct {
	Sessions  int `json:"sessions"`
	Turns     int `json:"turns"`
	Secrets   int `json:"secrets"` // taken out before anything was looked at
	Lessons   int `json:"lessons"`
	Questions int `json:"questions"`
	// Repeated are lessons that say again what others say, Withheld those that
	// triage turned away: of strangers' making, of the moment, or of no use.
	Repeated int `json:"repeated"`
	Withheld int `json:"withheld"`
	Entries  int `json:"entries"` // of memory files
	Parts    int `json:"parts"`   // transcripts that are a part of another session
	Empty    int `json:"empty"`   // transcripts in which nothing was said

	Projects   []AdoptedProject `json:"projects"`
	Unreadable []UnreadableKind `json:"unreadable"`

	files []SessionFile
}

// AdoptedProject is what one scope would get.
type AdoptedProject struct {
	Scope     string          `json:"scope"`
	Sessions  int             `json:"sessions"`
	Lessons   []AdoptedLesson `json:"lessons"`
	Questions []AdoptedLesson `json:"questions"`
	Memories  []AdoptedFile   `json:"memory_files"`
}

// AdoptedLesson is one thing that would be learned or asked.
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

// Reading is what the file says; nil where it could not be read.
func (f AdoptedFile) Reading() *Reading { return f.reading }

// UnreadableKind counts the transcripts of one agent that cannot be read.
type UnreadableKind struct {
	Agent   string `json:"agent"`
	Files   int    `json:"files"`
	Problem string `json:"problem"` // of the first
	First   string `json:"first"`
}
