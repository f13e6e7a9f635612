package event_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// all is every subject of SPEC §4, and whether others publish there.
var all = map[string]bool{
	"session.completed":              true,
	"memory.proposal.created":        true,
	"memory.digest.reply":            true,
	"memory.session.ingested":        false,
	"memory.proposal.decided":        false,
	"memory.recorded":                false,
	"memory.archived":                false,
	"memory.signal.recorded":         false,
	"memory.consolidation.requested": false,
	"memory.consolidation.planned":   false,
	"memory.consolidation.completed": false,
	"memory.digest.due":              false,
	"memory.digest.triage":           false,
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	seen := map[protoreflect.FullName]string{}
	for bare, outside := range all {
		msg, err := event.NewMessage(bare)
		if err != nil {
			t.Error(err)
			continue
		}
		if back, err := event.SubjectOf(msg); err != nil || back != bare {
			t.Errorf("%s comes back as %q, %v", bare, back, err)
		}
		name := msg.ProtoReflect().Descriptor().FullName()
		if other, ok := seen[name]; ok {
			t.Errorf("%s on both %s and %s", name, other, bare)
		}
		seen[name] = bare

		full, err := event.SubjectFor(bare, "ci-bot")
		if outside != (err == nil) {
			t.Errorf("%s with a principal: %v", bare, err)
		}
		if outside {
			if b, p, err := event.SplitSubject(full); b != bare || p != "ci-bot" || err != nil {
				t.Errorf("%s splits into %q %q %v", full, b, p, err)
			}
		}
		if plain, err := event.SubjectFor(bare, ""); plain != bare || err != nil {
			t.Errorf("%s without a principal: %q %v", bare, plain, err)
		}
		if b, major, err := event.SplitType(event.TypeFor(bare)); b != bare || major != event.Major || err != nil {
			t.Errorf("type of %s: %q %d %v", bare, b, major, err)
		}
	}
}

func TestSubjectForRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"memory.unknown", ""}, {created, "a.b"}, {created, "*"}, {created, ">"}, {created, "a b"}, {created, strings.Repeat("a", 65)},
		{"memory.recorded", "a"},
	} {
		if s, err := event.SubjectFor(c[0], c[1]); !errors.Is(err, event.ErrSubject) || s != "" {
			t.Errorf("%v: %q %v", c, s, err)
		}
	}
	if _, err := event.SubjectOf(&winnowv1.Evidence{}); !errors.Is(err, event.ErrSubject) {
		t.Error(err)
	}
	if _, err := event.NewMessage("memory.unknown"); !errors.Is(err, event.ErrSubject) {
		t.Error(err)
	}
}

func TestValidPrincipal(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"a": true, "A-z_09": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "a.b": false, "*": false, ">": false, "ü": false, "a\n": false, " a": false,
	} {
		if event.ValidPrincipal(s) != want {
			t.Errorf("%q: want %v", s, want)
		}
	}
}
