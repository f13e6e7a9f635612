package event_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// A reader without protobuf gets one JSON object, always the same bytes, in which false
// and "" stand too; Winnow reads it back as the message that it was. The cases have what
// JSON writes in a way of its own: times, quotes and what HTML would escape.
func TestStructuredIsStable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		msg  proto.Message
		want string
	}{
		{
			&winnowv1.DigestTriage{
				Id: "evt_1", DigestId: "dig_1", Reviewer: "anna", Slot: "2026-W07", Code: "K7QM", Text: "1. <b>\"Größe\" & 日本語\n",
				Items:     []*winnowv1.DigestItem{{Number: 1, ProposalId: "prop_1", Text: "a < b"}},
				ExpiresAt: timestamppb.New(time.Date(2026, 2, 9, 9, 0, 0, 500_000_000, time.UTC)),
			},
			`{"specversion":"1.0","id":"evt_1","type":"memory.digest.triage.v1","source":"winnow","traceparent":"` + parent + `",` +
				`"datacontenttype":"application/json","data":{"id":"evt_1","digest_id":"dig_1","reviewer":"anna","slot":"2026-W07","code":"K7QM",` +
				`"text":"1. <b>\"Größe\" & 日本語\n","items":[{"number":1,"proposal_id":"prop_1","text":"a < b","source":"","recommendation":"",` +
				`"reason":"","section":"","replaces":""}],"grammar":"","review_url":"","expires_at":"2026-02-09T09:00:00.500Z"}}`,
		},
		{
			&winnowv1.DigestAnswered{Id: "evt_2", Reviewer: "anna", ReplyId: "r1", Text: "no digest waits for you"},
			`{"specversion":"1.0","id":"evt_2","type":"memory.digest.answered.v1","source":"winnow","traceparent":"` + parent + `",` +
				`"datacontenttype":"application/json","data":{"id":"evt_2","digest_id":"","code":"","reviewer":"anna","reply_id":"r1","applied":false,` +
				`"text":"no digest waits for you"}}`,
		},
	} {
		header, data, err := event.EncodeStructured(c.msg, event.Options{Source: "winnow", Tenant: "acme é", Traceparent: parent})
		if err != nil {
			t.Fatal(err)
		}
		if string(data) != c.want {
			t.Errorf("wrote\n%s\nwant\n%s", data, c.want)
		}
		bare, err := event.SubjectOf(c.msg)
		if err != nil {
			t.Fatal(err)
		}
		subject := event.SubjectJSON(event.SubjectForReviewer(bare, "acme é", "json"))
		env, err := event.Parse(subject, header, data, "fallback")
		if err != nil || env.Tenant != "acme é" || env.Source != "winnow" || env.Traceparent != parent {
			t.Fatalf("%+v, %v", env, err)
		}
		back, err := event.NewMessage(bare)
		if err != nil {
			t.Fatal(err)
		}
		if err := event.Unmarshal(env, back); err != nil || !proto.Equal(back, c.msg) {
			t.Errorf("read back %v, %v", back, err)
		}
	}
	if _, _, err := event.EncodeStructured(&winnowv1.DigestAnswered{Text: "a"}, event.Options{}); err == nil {
		t.Error("an event without an id is written")
	}
}

// Only an event to a reviewer has a copy, and the name of no tenant or reviewer makes one
// subject of two.
func TestSubjectJSON(t *testing.T) {
	t.Parallel()
	const digest = event.SubjectDigestTriage
	for subject, want := range map[string]string{
		digest + ".acme.anna": digest + ".acme.anna.json", digest + ".acme.*": digest + ".acme.*.json",
		digest + ".acme.json": digest + ".acme.json.json", digest + ".json.json": digest + ".json.json.json",
		digest + ".acme.anna.json": "", digest: "", digest + ".acme": "", event.SubjectMemoryRecorded: "",
		event.SubjectProposalCreated + ".bot": "", "nowhere.at.all": "",
	} {
		if got := event.SubjectJSON(subject); got != want {
			t.Errorf("%s: %q, want %q", subject, got, want)
		}
		if want == "" {
			continue
		}
		if bare, principal, err := event.SplitSubject(want); bare != digest || principal != "" || err != nil {
			t.Errorf("%s is split into %q and %q, %v", want, bare, principal, err)
		}
	}
	for _, no := range []string{digest + ".acme.anna.xml", digest + ".acme.anna.json.json"} {
		if _, _, err := event.SplitSubject(no); err == nil {
			t.Errorf("%s is a subject", no)
		}
	}
}
