package local

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/types/known/timestamppb"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// SessionOptions holds what a person, or a hook, knows about the sessions to
// publish. Empty fields are derived.
type SessionOptions struct {
	Scope   string
	Project string
	Outcome string
	Format  string
	// SessionID and Dir are the publisher's own name of the session and the folder
	// the working folder, as the trace or the caller says
	SessionID, Dir string
	// Glance reads only the beginning of a file, for a caller short of time.
	// The intake derives the rest.
	Glance bool
}

// Validate returns an error that names every invalid option.
func (o SessionOptions) Validate() error {
	if o.Scope != "" {
		if _, err := memory.ParseScope(o.Scope); err != nil {
			return err
		}
	}
	if _, err := trace.ParseFormat(o.Format); err != nil {
		return err
	}
	switch o.Outcome {
	case "", string(trace.OutcomeSuccess), string(trace.OutcomeFailure), string(trace.OutcomeUnknown):
		return nil
	}
	return fmt.Errorf("outcome %q: want success, failure or unknown, or leave it out to have it inferred", o.Outcome)
}

// SessionFile is a file that holds a session.
type SessionFile struct {
	File    string `json:"file"`
	Format  string `json:"format"`
	Scope   string `json:"scope"`
	Project string `json:"project,omitempty"`
	Session string `json:"session,omitempty"` // the publisher's own name of it
	EventID string `json:"event"`
	Turns   int    `json:"turns,omitempty"`
	Skipped int    `json:"skipped,omitempty"` // records that cannot be read
	Bytes   int64  `json:"bytes"`             // of the trace: the file with its subagents' lines
	Place   uint64 `json:"-"`                 // of its event in the stream, once it is published

	Subagents Subagents `json:"subagents,omitzero"`

	dir    string                     // that was worked in, as the trace or the caller says
	event  *winnowv1.SessionCompleted // without its trace
	digest [sha256.Size]byte          // of the trace when it was read
}

// ReadSession builds the session.completed event of a file and of its
// subagents' files. The same bytes in the same scope always give the same event
// id, so publishing them again has no further effect. The error is one line
// with the remedy.
func ReadSession(name string, o SessionOptions) (SessionFile, error) {
	f, err := openTranscript(name, trace.Format(o.Format))
	if err != nil {
		return SessionFile{}, errors.New(notOpened(err))
	}
	defer f.Close()
	read := measured{sum: sha256.New()}
	said, err := readTrace(io.TeeReader(f, &read), o)
	if err != nil {
		return SessionFile{}, err
	}
	if _, err := io.Copy(&read, f); err != nil { // the rest, which the reader did not need
		return SessionFile{}, errors.New(notOpened(err))
	}
	s := SessionFile{
		File: name, Format: string(said.Format), Session: cmp.Or(o.SessionID, said.ID), Bytes: read.size,
		Turns: said.turns, Skipped: said.Report.Skipped, Subagents: f.subagents(), dir: cmp.Or(o.Dir, said.Dir),
	}
	read.sum.Sum(s.digest[:0])
	if s.Scope, s.Project, err = whose(name, said, o); err != nil {
		return SessionFile{}, err
	}
	s.EventID = sessionEventID(s.Scope, s.digest)
	s.event = &winnowv1.SessionCompleted{
		Id: s.EventID, SessionId: s.Session, Scope: s.Scope, Project: s.Project, Outcome: o.Outcome, Format: s.Format,
	}
	if said.EndedAt.IsZero() && !o.Glance {
		// Without times in the trace, the session's end is the file's last
		// change.
		s.event.EndedAt = timestamppb.New(f.info.ModTime())
	}
	return s, nil
}

// measured computes the digest and the length of what is written to it.
type measured struct {
	sum  hash.Hash
	size int64
}

// Write implements [io.Writer]; it never fails.
func (m *measured) Write(p []byte) (int, error) {
	m.size += int64(len(p))
	return m.sum.Write(p)
}

// traceSaid is a session with the number of its turns in place of the turns.
type traceSaid struct {
	trace.Session
	turns int
}

func readTrace(r io.Reader, o SessionOptions) (traceSaid, error) {
	if o.Glance {
		head := make([]byte, glanced)
		n, err := io.ReadFull(r, head)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return traceSaid{}, errors.New(notOpened(err))
		}
		format, err := format.Detect(head[:n])
		return traceSaid{Session: trace.Session{Format: format}}, err
	}
	reader, err := format.Open(r, trace.Options{Format: trace.Format(o.Format)})
	if err != nil {
		return traceSaid{}, err
	}
	for n := 0; ; n++ {
		_, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return traceSaid{reader.Session(), n}, nil
		}
		if err != nil {
			return traceSaid{}, err
		}
	}
}

// whose returns the scope and the project of a session: as stated, else by the
// folder worked in, else by the folder of the file, else as the trace itself
// names its project.
func whose(name string, said traceSaid, o SessionOptions) (scope, project string, err error) {
	worked := cmp.Or(o.Dir, said.Dir)
	place, err := placeOf(worked)
	if err == nil && place == (Place{}) {
		// A folder of traces is seldom named like a project, so only git or a
		// ProjectFile counts.
		if place, err = placeOf(filepath.Dir(name)); !place.Stated {
			place = Place{}
		}
	}
	if err != nil {
		return "", "", err
	}
	project = cmp.Or(o.Project, place.Project, said.Project)
	scope = cmp.Or(o.Scope, place.Scope, scopeOfProject(project), DefaultScope)
	_, err = memory.ParseScope(scope)
	return scope, project, err
}

// placeOf returns what a folder belongs to; the zero value for a missing
// folder.
func placeOf(dir string) (Place, error) {
	if info, err := os.Stat(dir); dir == "" || err != nil || !info.IsDir() {
		return Place{}, nil //nolint:nilerr // a missing folder belongs to nothing
	}
	return FindPlace(dir)
}

// scopeOfProject returns the scope of a project's sessions; empty without a
// project. Letters that a scope's id may not have become hyphens.
func scopeOfProject(project string) string {
	if project == "" {
		return ""
	}
	id := strings.Map(func(r rune) rune {
		if _, err := memory.ParseScope("project:" + string(r)); err != nil {
			return '-'
		}
		return r
	}, project)
	return "project:" + id[:min(len(id), memory.MaxScopeID)]
}

// sessionEventID returns the same id for the same bytes in the same scope.
func sessionEventID(scope string, digest [sha256.Size]byte) string {
	sum := sha256.Sum256(append([]byte(scope+"\n"), digest[:]...))
	return "file_" + hex.EncodeToString(sum[:20])
}
