package publish_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/pkg/publish/publishtest"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// How do I have something remembered?
func Example_howDoIHaveSomethingRemembered() {
	// In a service: client, err := publish.New(nc, publish.WithPrincipal("deploy-bot"))
	var bus publishtest.Recorder
	client, err := publish.NewOn(&bus, publish.WithPrincipal("deploy-bot"), publish.WithSource("deployer 1.4"))
	if err != nil {
		fmt.Println(err)
		return
	}
	receipt, err := client.Proposal(context.Background(), &winnowv1.ProposalCreated{
		Id:    "deploy-2291",
		Scope: "project:shop",
		Text:  "2026-02-05: the shop runs on Postgres 17.2.",
	})
	fmt.Println(receipt.EventID, receipt.Stream, receipt.Duplicate, err)
	// Output: deploy-2291 MEMORY false <nil>
}

// How do I hand over what my agent did, however long it took?
func Example_howDoIPublishASession() {
	// In a service: client, err := publish.New(nc, publish.WithPrincipal("support-bot"))
	var bus publishtest.Recorder
	client, err := publish.NewOn(&bus, publish.WithPrincipal("support-bot"))
	if err != nil {
		fmt.Println(err)
		return
	}
	trace := `{"role":"user","text":"The export is empty."}` + "\n" +
		strings.Repeat(`{"role":"tool","tool":"read_log","text":"nothing unusual"}`+"\n", 20_000)
	receipt, err := client.SessionCompleted(context.Background(), &winnowv1.SessionCompleted{
		Id:      "ticket-881",
		Scope:   "project:shop",
		Outcome: "success",
		Trace:   &winnowv1.SessionCompleted_Inline{Inline: []byte(trace)},
	})
	fmt.Println(receipt.EventID, receipt.Stream, err)
	// A message has room for less, so the event refers to the trace.
	sent := bus.Events()[0].Message.(*winnowv1.SessionCompleted).GetReference()
	fmt.Println(len(trace), sent.GetSize(), strings.HasPrefix(sent.GetUri(), "trace://support-bot/"))
	// Output:
	// ticket-881 SESSIONS <nil>
	// 1180046 1180046 true
}

// How do I send again after a timeout, without it counting twice?
func Example_howDoISendAgainSafely() {
	var bus publishtest.Recorder
	client, err := publish.NewOn(&bus)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := &winnowv1.ProposalCreated{Scope: "project:shop", Text: "Prices are stored in cents."}

	bus.Fail(context.DeadlineExceeded)
	receipt, err := client.Proposal(context.Background(), p)
	fmt.Println(errors.Is(err, publish.ErrUnconfirmed))

	bus.Fail(nil)
	p.Id = receipt.EventID
	for range 2 {
		receipt, err = client.Proposal(context.Background(), p)
		fmt.Println(receipt.EventID == p.Id, receipt.Duplicate, err)
	}
	// Output:
	// true
	// true false <nil>
	// true true <nil>
}

// How do I notice that Winnow has not been provisioned?
func Example_howDoINoticeAMissingStream() {
	var bus publishtest.Recorder
	bus.Fail(jetstream.ErrNoStreamResponse)
	client, err := publish.NewOn(&bus)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.Proposal(context.Background(), &winnowv1.ProposalCreated{Scope: "org:acme", Text: "Invoices are due in 14 days."})
	fmt.Println(errors.Is(err, publish.ErrNoStream))
	// Output: true
}
