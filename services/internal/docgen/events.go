package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/pkg/event"
)

// message is one message of the contract, with its comments.
type message struct {
	name   string
	doc    string
	fields []field
}

type field struct {
	name, typ string
	doc       string
}

var (
	messageLine = regexp.MustCompile(`^message (\w+) \{$`)
	fieldLine   = regexp.MustCompile(`^((?:repeated |optional )?(?:map<[\w., ]+>|[\w.]+)) (\w+) = \d+;$`)
)

// parse reads the messages of one .proto file. The contract is formatted by buf with
// one declaration a line, so lines are all the grammar that is needed. It has no
// declarations that lines do not show (enums, services).
func parse(text string) []message {
	var (
		out     []message
		comment []string
		open    bool
	)
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch m, f := messageLine.FindStringSubmatch(line), fieldLine.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "//"):
			comment = append(comment, strings.TrimSpace(strings.TrimPrefix(line, "//")))
			continue
		case m != nil:
			out = append(out, message{name: m[1], doc: strings.Join(comment, " ")})
			open = true
		case f != nil && open:
			last := &out[len(out)-1]
			last.fields = append(last.fields, field{name: f[2], typ: f[1], doc: strings.Join(comment, " ")})
		case line == "}":
			open = false
		}
		comment = nil
	}
	return out
}

// events returns docs/events.md.
func events(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.proto"))
	if err != nil {
		return "", err
	}
	byName := map[string]message{}
	var parts []string // messages that are parts of events
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		for _, m := range parse(string(text)) {
			byName[m.name] = m
			parts = append(parts, m.name)
		}
	}

	var b strings.Builder
	fmt.Fprintf(&b, notice, "the comments in proto/winnow/v1/*.proto")
	b.WriteString(`# Events

What travels on the bus. Payloads are protobuf or JSON (` + "`ce-datacontenttype`" + `, else
` + "`Content-Type`" + `, tells which), attributes are CloudEvents headers in binary mode,
read without regard to case. A bare JSON body without any header is served.

Subjects marked * end in the publisher's principal as one more token:
` + "`memory.proposal.created.ci-bot`" + `. Publish permissions on that token are what makes
it an identity. Without it the configured default principal applies.

An event is known again by its principal and its id together, so two principals may use
one id. The id is ` + "`ce-id`" + `, else ` + "`Nats-Msg-Id`" + `, else the payload's ` + "`id`" + `, else the place
and the time at which the stream stored the message: without an id each message is an
event of its own. A stream drops what repeats a ` + "`Nats-Msg-Id`" + ` within its window, whoever
sent it: write ` + "`<subject>/<id>`" + ` there, with the principal in the subject, as pkg/publish
does, or send ` + "`ce-id`" + ` alone.

Digests and what became of answers, marked °, end in the tenant and the reviewer:
` + "`memory.digest.triage.default.anna`" + `. What is not A-Z a-z 0-9 - _ in a name is
percent-encoded.

Only the relay publishes on the other subjects. No principal tells whose such an event
is, so it names its tenant in the header ` + "`winnow-tenant`" + `, percent-encoded; one
without it becomes a dead letter. On subjects marked * the header is not read: there
the tenant is the principal's.

| Subject | Message | Type |
|---|---|---|
`)
	published := []string{event.SubjectSessionCompleted, event.SubjectProposalCreated, event.SubjectDigestReply}
	internal := []string{
		event.SubjectSessionIngested, event.SubjectProposalDecided, event.SubjectMemoryRecorded,
		event.SubjectMemoryArchived, event.SubjectSignalRecorded, event.SubjectConsolidationRequested,
		event.SubjectConsolidationPlanned, event.SubjectConsolidationCompleted, event.SubjectDigestDue, event.SubjectDigestTriage,
		event.SubjectDigestAnswered,
	}
	var order []string
	for _, subject := range slices.Concat(published, internal) {
		msg, err := event.NewMessage(subject)
		if err != nil {
			return "", err
		}
		name := string(msg.ProtoReflect().Descriptor().Name())
		order = append(order, name)
		star := ""
		switch {
		case slices.Contains(published, subject):
			star = "*"
		case subject == event.SubjectDigestTriage, subject == event.SubjectDigestAnswered:
			star = "°"
		}
		fmt.Fprintf(&b, "| `%s`%s | [%s](#%s) | `%s` |\n", subject, star, name, strings.ToLower(name), event.TypeFor(subject))
	}
	for _, name := range parts {
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	for _, name := range order {
		m, ok := byName[name]
		if !ok {
			return "", fmt.Errorf("message %s is not in %s", name, dir)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| Field | Type | Meaning |\n|---|---|---|\n", m.name, m.doc)
		for _, f := range m.fields {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.name, f.typ, strings.ReplaceAll(f.doc, "|", "\\|"))
		}
	}
	return b.String(), nil
}
