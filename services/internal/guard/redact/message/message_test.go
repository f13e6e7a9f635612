package message_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/guard/redact/message"
)

// A secret goes from every field, also from those that stand before the one
// which says that it is a secret; everything else stays (SPEC §7).
func TestRedact(t *testing.T) {
	t.Parallel()
	r, err := redact.New(redact.Config{Key: []byte("a key for tests")})
	if err != nil {
		t.Fatal(err)
	}
	const secret = "Winter2026staging"
	m := &winnowv1.ProposalCreated{
		Id: "evt_1", Scope: "project:shop", Text: "Log in with " + secret + ".", Title: secret, Tags: []string{"db", secret},
		Evidence: []*winnowv1.Evidence{{Role: "tool", Text: "password=" + secret, Ref: "turn:3"}},
	}
	stream := r.Stream("acme")
	if n := message.Redact(stream, m); n != 4 {
		t.Errorf("%d places, want 4", n)
	}
	if text := prototext.Format(m); strings.Contains(text, secret) {
		t.Error(text)
	}
	if m.GetId() != "evt_1" || m.GetScope() != "project:shop" || m.GetTags()[0] != "db" || m.GetEvidence()[0].GetRef() != "turn:3" {
		t.Errorf("%v", m)
	}
	if n := message.Redact(r.Stream("acme"), m); n != 0 {
		t.Errorf("redacting it again replaces %d places", n)
	}
	if got := stream.Text("later: " + secret); strings.Contains(got, secret) {
		t.Error("the stream forgot it")
	}
}
