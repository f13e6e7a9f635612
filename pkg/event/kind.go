package event

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// Major is the major version of every event that this build reads and writes.
// It stands in the type (memory.proposal.created.v1), never in the subject: a
// new major is a new type, published beside the old one.
const Major = 1

// kind is what the contract says about one bare subject.
type kind struct {
	message       protoreflect.MessageType
	fromPrincipal bool
	toReviewer    bool // two more tokens name the tenant and the reviewer
}

// kinds is the table of all events, by bare subject. It is read-only.
var kinds = map[string]kind{
	SubjectSessionCompleted: {message: messageType(&winnowv1.SessionCompleted{}), fromPrincipal: true},
	SubjectProposalCreated:  {message: messageType(&winnowv1.ProposalCreated{}), fromPrincipal: true},
	SubjectDigestReply:      {message: messageType(&winnowv1.DigestReply{}), fromPrincipal: true},

	SubjectSessionIngested:        {message: messageType(&winnowv1.SessionIngested{})},
	SubjectProposalDecided:        {message: messageType(&winnowv1.ProposalDecided{})},
	SubjectMemoryRecorded:         {message: messageType(&winnowv1.MemoryRecorded{})},
	SubjectMemoryArchived:         {message: messageType(&winnowv1.MemoryArchived{})},
	SubjectSignalRecorded:         {message: messageType(&winnowv1.SignalRecorded{})},
	SubjectConsolidationRequested: {message: messageType(&winnowv1.ConsolidationRequested{})},
	SubjectConsolidationPlanned:   {message: messageType(&winnowv1.ConsolidationPlanned{})},
	SubjectConsolidationCompleted: {message: messageType(&winnowv1.ConsolidationCompleted{})},
	SubjectDigestDue:              {message: messageType(&winnowv1.DigestDue{})},
	SubjectDigestTriage:           {message: messageType(&winnowv1.DigestTriage{}), toReviewer: true},
	SubjectDigestAnswered:         {message: messageType(&winnowv1.DigestAnswered{}), toReviewer: true},
}

// subjects is the reverse table, by the message's full name.
var subjects = func() map[protoreflect.FullName]string {
	m := make(map[protoreflect.FullName]string, len(kinds))
	for s, k := range kinds {
		m[k.message.Descriptor().FullName()] = s
	}
	return m
}()

func messageType(m proto.Message) protoreflect.MessageType { return m.ProtoReflect().Type() }

// SubjectOf returns the bare subject that msg is published on. The error is
// ErrSubject: the message is not an event.
func SubjectOf(msg proto.Message) (string, error) {
	name := msg.ProtoReflect().Descriptor().FullName()
	s, ok := subjects[name]
	if !ok {
		return "", fmt.Errorf("%w: %s is not an event", ErrSubject, name)
	}
	return s, nil
}

// Internal reports whether only Winnow itself publishes on a bare subject.
func Internal(bare string) bool {
	k, ok := kinds[bare]
	return ok && !k.fromPrincipal
}

// NewMessage returns an empty message of the kind that is published on a bare
// subject. The error is ErrSubject: the subject is unknown.
func NewMessage(bare string) (proto.Message, error) {
	k, ok := kinds[bare]
	if !ok {
		return nil, fmt.Errorf("%w: %q is not a subject of Winnow", ErrSubject, bare)
	}
	return k.message.New().Interface(), nil
}

// TypeFor returns the ce-type of the events on a bare subject, such as
// memory.proposal.created.v1.
func TypeFor(bare string) string { return bare + ".v" + strconv.Itoa(Major) }

// SplitType splits a type into the bare subject and the major version. The
// error is ErrVersion: the type does not end in .v and a number from 1.
func SplitType(typ string) (bare string, major int, err error) {
	dot := strings.LastIndex(typ, ".v")
	if dot > 0 {
		digits := typ[dot+2:]
		// Atoi alone would accept a sign, which no version has.
		if n, err := strconv.Atoi(digits); err == nil && n > 0 && digits[0] != '+' && digits[0] != '0' {
			return typ[:dot], n, nil
		}
	}
	return "", 0, fmt.Errorf("%w: ce-type %q does not end in a major version; send <subject>.v%d, or leave it out", ErrVersion, typ, Major)
}

// checkType says whether typ is the type of the events on bare.
func checkType(typ, bare string) error {
	named, major, err := SplitType(typ)
	switch {
	case err != nil:
		return err
	case named != bare:
		return fmt.Errorf("%w: ce-type %q was published on %s; send %s", ErrVersion, typ, bare, TypeFor(bare))
	case major != Major:
		return fmt.Errorf("%w: ce-type %q; this build reads %s", ErrVersion, typ, TypeFor(bare))
	}
	return nil
}
