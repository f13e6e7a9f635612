package jetstream_test

import (
	"slices"
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// A gateway receives the digests of its own reviewers in its own tenant and no others,
// for all characters in the names of tenants and reviewers; and of each the form that it
// chose, once.
func TestGatewayReadsItsOwnReviewersAlone(t *testing.T) {
	t.Parallel()
	chat := jetstream.Gateway(memory.Principal{Tenant: "acme", ID: "chat", SpeaksFor: []string{"anna"}})
	hall := jetstream.Gateway(memory.Principal{Tenant: "acme.eu", ID: "hall", SpeaksFor: []string{"ben", "anna"}})
	all := jetstream.Gateway(memory.Principal{Tenant: "acme", ID: "all", SpeaksFor: []string{"*"}})
	scripts := jetstream.Gateway(memory.Principal{Tenant: "acme", ID: "scripts", SpeaksFor: []string{"*"}, EventsJSON: true})
	script := jetstream.Gateway(memory.Principal{Tenant: "acme.eu", ID: "script", SpeaksFor: []string{"json"}, EventsJSON: true})
	s := natstest.New(t, chat, hall, all, scripts, script)
	var out []bus.Outgoing
	for _, tenant := range []string{"acme", "acme.eu", "*"} {
		for _, reviewer := range []string{"anna", "ben", ">", "json"} {
			for _, bare := range []string{event.SubjectDigestTriage, event.SubjectDigestAnswered} {
				subject, said := event.SubjectForReviewer(bare, tenant, reviewer), bare+" "+tenant+" "+reviewer
				out = append(out, bus.Outgoing{Subject: subject, Data: []byte(said)}, bus.Outgoing{Subject: event.SubjectJSON(subject), Data: []byte("{} " + said)})
			}
		}
	}
	if _, err := s.Publisher(t).Publish(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	const sent, answered = event.SubjectDigestTriage + " ", event.SubjectDigestAnswered + " "
	for _, c := range []struct {
		durable bus.Durable
		want    []string
	}{
		{chat, []string{sent + "acme anna", answered + "acme anna"}},
		{hall, []string{sent + "acme.eu anna", answered + "acme.eu anna", sent + "acme.eu ben", answered + "acme.eu ben"}},
		{all, []string{sent + "acme anna", answered + "acme anna", sent + "acme ben", answered + "acme ben", sent + "acme >", answered + "acme >", sent + "acme json", answered + "acme json"}},
		{scripts, []string{"{} " + sent + "acme anna", "{} " + answered + "acme anna", "{} " + sent + "acme ben", "{} " + answered + "acme ben",
			"{} " + sent + "acme >", "{} " + answered + "acme >", "{} " + sent + "acme json", "{} " + answered + "acme json"}},
		{script, []string{"{} " + sent + "acme.eu json", "{} " + answered + "acme.eu json"}},
	} {
		src := s.Source(t, c.durable)
		messages, err := src.Fetch(t.Context(), 100)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range messages {
			got = append(got, string(m.Data()))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s reads %q, want %q", c.durable.Name, got, c.want)
		}
		if waiting, _, err := src.Pending(t.Context()); err != nil || waiting != 0 {
			t.Errorf("%s: %d more wait, %v", c.durable.Name, waiting, err)
		}
	}
	// A gateway that is no longer registered loses its durable.
	if _, err := jetstream.ProvisionGateways(t.Context(), s.Conn(), []bus.Durable{chat}); err != nil {
		t.Fatal(err)
	}
	drift, err := jetstream.Drift(t.Context(), s.Conn(), jetstream.Topology{Durables: []bus.Durable{chat}})
	if err != nil || len(drift) != 0 {
		t.Errorf("drift: %v, %v", drift, err)
	}
}
