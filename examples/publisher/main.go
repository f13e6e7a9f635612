// Command publisher is a service that tells Winnow of a finished session and of
// one thing that it wants remembered.
//
// It publishes to winnow dev, or to the server that NATS_URL names. With
// NATS_USER=publisher-ID it logs in and publishes as the principal ID.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// loginWithin leaves a busy machine more time than the library's two seconds.
const loginWithin = 10 * time.Second

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	url := cmp.Or(os.Getenv("NATS_URL"), "nats://127.0.0.1:7422")
	if err := run(ctx, url, os.Getenv("NATS_USER"), os.Getenv("NATS_PASSWORD"), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, url, user, password string, out io.Writer) error {
	login := []nats.Option{nats.Timeout(loginWithin)}
	options := []publish.Option{publish.WithSource("example publisher")}
	if user != "" {
		// A user may read its own inbox alone, where confirmations arrive.
		login = append(login, nats.UserInfo(user, password), nats.CustomInboxPrefix("_INBOX_"+user))
		options = append(options, publish.WithPrincipal(strings.TrimPrefix(user, "publisher-")))
	}
	nc, err := nats.Connect(url, login...)
	if err != nil {
		return err
	}
	defer nc.Close()
	client, err := publish.New(nc, options...)
	if err != nil {
		return err
	}

	session, err := client.SessionCompleted(ctx, &winnowv1.SessionCompleted{
		Id: "example-session-1", Scope: "project:shop", Task: "make the upload test pass", Outcome: "success", Format: "text",
		Trace: &winnowv1.SessionCompleted_Inline{Inline: []byte("user: the upload test is flaky\nagent: it waits for a port; fixed in upload_test.go\n")},
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "session %s is number %d of stream %s\n", session.EventID, session.Sequence, session.Stream)

	// Sending an event again under its id has no further effect.
	proposal, err := client.Proposal(ctx, &winnowv1.ProposalCreated{
		Id: "example-proposal-1", Scope: "project:shop", SessionId: "example-session-1",
		Text: "2026-11-20: the upload test in upload_test.go waited for port 8081; fixed by taking a free one.",
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "proposal %s is number %d of stream %s\n", proposal.EventID, proposal.Sequence, proposal.Stream)
	return nil
}
