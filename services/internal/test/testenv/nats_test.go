package testenv_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// The same stream is reached in process and over loopback.
func TestNATSServesJetStream(t *testing.T) {
	t.Parallel()
	s := testenv.NATS(t)
	js, err := jetstream.New(testenv.Connect(t, s))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}}); err != nil {
		t.Fatal(err)
	}
	outside, err := nats.Connect(s.URL(), nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	js2, err := jetstream.New(outside)
	if err != nil {
		t.Fatal(err)
	}
	ack, err := js2.Publish(t.Context(), "s.a", []byte("x"))
	if err != nil || ack.Stream != "S" {
		t.Errorf("publish over loopback: ack %+v, err %v", ack, err)
	}
}
