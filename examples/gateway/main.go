// Command gateway is a chat gateway without a chat: it prints each digest and
// sends what is typed below it back as the answer.
//
// WINNOW_GATEWAY_URL, or -url, says where the bus is and as whom to log in, such
// as nats://gateway:secret@127.0.0.1:7422; winnow dev writes it to gateway.url in
// its state folder. In a fleet the user is gateway-ID and answers as the
// principal ID, who must be registered to speak for the reviewers:
// winnow principal add ID --speaks-for anna.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

func main() {
	address := flag.String("url", os.Getenv("WINNOW_GATEWAY_URL"), "bus to log in to, as nats://user:password@host:port")
	flag.Parse()
	if err := serve(context.Background(), *address, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// serve carries messages both ways until ctx ends or the bus refuses.
func serve(ctx context.Context, address string, typed io.Reader, chat io.Writer) error {
	nc, user, err := login(address)
	if err != nil {
		return err
	}
	defer nc.Close()
	// The user's name says which principal the server lets it publish as.
	bus, err := publish.New(nc, publish.WithPrincipal(strings.TrimPrefix(user, "gateway-")))
	if err != nil {
		return err
	}
	messages, err := open(ctx, nc, strings.TrimPrefix(user, "gateway-"))
	if err != nil {
		return err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()

	var latest atomic.Pointer[winnowv1.DigestTriage]
	for {
		m, err := messages.Next()
		if err != nil {
			return err
		}
		text, digest := read(m)
		fmt.Fprintln(chat, text)
		if digest != nil && latest.Swap(digest) == nil {
			go answer(ctx, bus, &latest, typed)
		}
		// Only what was delivered is acknowledged; the rest comes again.
		if err := m.Ack(); err != nil {
			log.Printf("not acknowledged, it comes again: %v", err)
		}
	}
}

// loginWithin leaves a busy machine more time than the library's two seconds.
const loginWithin = 10 * time.Second

// login connects as the user in the address. A user may read its own inbox
// alone, where what it asks for arrives.
func login(address string) (nc *nats.Conn, user string, err error) {
	at, err := url.Parse(address)
	if err != nil || at.User == nil {
		return nil, "", errors.New("set WINNOW_GATEWAY_URL to nats://user:password@host:port")
	}
	user = at.User.Username()
	nc, err = nats.Connect(address, nats.CustomInboxPrefix("_INBOX_"+user), nats.MaxReconnects(-1), nats.Timeout(loginWithin))
	return nc, user, err
}

// open binds to the gateway's own durable, which remembers what was sent while it
// was away, and holds what is meant for the reviewers for whom it speaks. A server that is away is waited for.
func open(ctx context.Context, nc *nats.Conn, principal string) (jetstream.MessagesContext, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	durable, err := js.Consumer(ctx, "MEMORY", "gateway-"+principal)
	if err != nil {
		return nil, err
	}
	return durable.Messages(jetstream.WithMessagesErrOnMissingHeartbeat(false))
}

// read is what a person is to see of a message, and the digest if it is one. A
// real gateway would look up the chat of its reviewer here.
func read(m jetstream.Msg) (text string, digest *winnowv1.DigestTriage) {
	var sent winnowv1.DigestTriage
	var answered winnowv1.DigestAnswered
	envelope, err := event.Parse(m.Subject(), m.Headers(), m.Data(), "")
	switch bare, _, _ := event.SplitSubject(m.Subject()); {
	case err == nil && bare == event.SubjectDigestTriage:
		if err = event.Unmarshal(envelope, &sent); err == nil {
			return sent.GetText(), &sent
		}
	case err == nil:
		if err = event.Unmarshal(envelope, &answered); err == nil {
			return answered.GetText(), nil
		}
	}
	return fmt.Sprintf("(a message that this gateway cannot read: %v)", err), nil
}

// answer sends every line as a reply to the digest that stands last in the chat.
// The code binds it to that one, should the next arrive meanwhile; who may
// answer for whom is Winnow's to decide.
func answer(ctx context.Context, bus *publish.Client, latest *atomic.Pointer[winnowv1.DigestTriage], typed io.Reader) {
	for lines := bufio.NewScanner(typed); lines.Scan(); {
		digest := latest.Load()
		_, err := bus.DigestReply(ctx, &winnowv1.DigestReply{
			Code: digest.GetCode(), Reviewer: digest.GetReviewer(), Text: lines.Text(), RepliedAt: timestamppb.Now(),
		})
		if err != nil {
			log.Printf("not sent, type it again: %v", err)
		}
	}
}
