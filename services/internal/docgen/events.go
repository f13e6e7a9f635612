package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
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

A gateway that knows no protobuf reads these two as JSON: registered with
` + "`winnow principal add chat --speaks-for anna --events-json`" + `, it finds the copy that
was published on the same subject with one more token, ` + "`memory.digest.triage.default.anna.json`" + `,
in its own durable. See [JSON](#json).

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
	err = writeJSON(&b)
	return b.String(), err
}

// writeJSON writes the section on the copies in JSON, with an example that is encoded as
// the copies are.
func writeJSON(b *strings.Builder) error {
	_, data, err := event.EncodeStructured(&winnowv1.DigestAnswered{
		Id: "evt_01KA1BZ7W3M9Y2D4", DigestId: "dig_01KA1BZ7W3M9Y2D5", Code: "K7QM", Reviewer: "anna", ReplyId: "r1", Applied: true, Text: "Done: 1 yes.",
	}, event.Options{Source: "winnow"})
	if err != nil {
		return err
	}
	var example bytes.Buffer
	if err := json.Indent(&example, data, "", "  "); err != nil {
		return err
	}
	fmt.Fprintf(b, `
## JSON

The copy is a CloudEvent in structured mode, one JSON object
(%[1]sContent-Type: application/cloudevents+json%[1]s), and %[1]sdata%[1]s is the message of the table
above in protobuf's JSON mapping: names as in the table, numbers as numbers, an int64 as a
string of digits, bytes as base64, a time as RFC 3339. Fields without a value are written
too, as %[1]s""%[1]s, %[1]s0%[1]s, %[1]sfalse%[1]s or %[1]s[]%[1]s; only a time or a message that is not set is left out.
New fields may come, so a reader ignores what it does not know. %[1]sid%[1]s is the event's own: a
message that is delivered again has it too.

%[1]s%[1]s%[1]sjson
%[2]s
%[1]s%[1]s%[1]s

A copy is stored only where a gateway of the tenant that speaks for the reviewer has chosen
it, in the transaction of the event, and only from that choice on: what was sent before is
in protobuf alone. So choose before the gateway is used, or when nothing waits for it.
`, "`", example.String())
	return nil
}
