package format_test

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// What an event states wins over its trace; what it leaves open comes from there.
func TestEvent(t *testing.T) {
	t.Parallel()
	ended := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	msg := &winnowv1.SessionCompleted{
		Id: "evt-1", Project: "github.com/acme/api", Outcome: "success", Task: " Repair\nthe build ", EndedAt: timestamppb.New(ended),
		Trace: &winnowv1.SessionCompleted_Inline{Inline: []byte(`{"agent":"builder","project":"other","outcome":"failure","turns":[{"role":"user","text":"hi","at":"2026-11-02T09:00:00Z"}]}`)},
	}
	s, err := format.ReadEvent(msg, nil, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.ID != "evt-1" || s.Project != "github.com/acme/api" || s.Outcome != trace.OutcomeSuccess || s.OutcomeInferred || s.Agent != "builder" ||
		s.Task != "Repair" || !s.EndedAt.Equal(ended) || s.StartedAt.Hour() != 9 || len(s.Turns) != 1 {
		t.Errorf("read as %+v", s)
	}
}

// A trace by reference is the one that the publisher meant, or none.
func TestEventReference(t *testing.T) {
	t.Parallel()
	body := userLine + "\n" + replyLine
	sum := sha256.Sum256([]byte(body))
	msg := &winnowv1.SessionCompleted{SessionId: "s", Trace: &winnowv1.SessionCompleted_Reference{
		Reference: &winnowv1.TraceReference{Uri: "traces/1", Size: int64(len(body)), Sha256: sum[:]},
	}}
	if s, err := format.ReadEvent(msg, strings.NewReader(body), trace.Options{}); err != nil || len(s.Turns) != 2 {
		t.Errorf("%d turns, %v", len(s.Turns), err)
	}
	if _, err := format.ReadEvent(msg, strings.NewReader(body+"\n"), trace.Options{}); !errors.Is(err, trace.ErrDigest) {
		t.Errorf("another body: %v", err)
	}
	if _, err := format.ReadEvent(msg, nil, trace.Options{}); err == nil || !strings.Contains(err.Error(), "reference: the trace behind the reference was not found") {
		t.Errorf("no body: %v", err)
	}
}

// An event is refused by the field that is wrong, with what to send instead.
func TestEventRefused(t *testing.T) {
	t.Parallel()
	inline := &winnowv1.SessionCompleted_Inline{Inline: []byte("User: hi")}
	for want, msg := range map[string]*winnowv1.SessionCompleted{
		`format: "cursor" is no format of a trace; send one of`:      {Format: "cursor", Trace: inline},
		`outcome: "great" is no outcome; send success, failure`:      {Outcome: "great", Trace: inline},
		"the trace holds no turn; send what was said in the session": {},
	} {
		if _, err := format.ReadEvent(msg, nil, trace.Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
