package jetstream

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// Topology is the set of streams and durables that provisioning creates.
type Topology struct {
	// Replicas of every stream: 1, 3 or 5.
	Replicas int
	Durables []bus.Durable
}

// Change is one difference between the topology and the server.
type Change struct {
	Kind   string // "stream" or "durable"
	Name   string
	Action string // "create", "update" or "remove"
	// Fields that differ, each as "name: is → wanted".
	Fields []string
}

// String returns one line for a person.
func (c Change) String() string {
	line := c.Action + " " + c.Kind + " " + c.Name
	if len(c.Fields) > 0 {
		line += " (" + strings.Join(c.Fields, "; ") + ")"
	}
	return line
}

// Provision makes the server agree with the topology and returns the changes; a second
// call changes nothing. It leaves unknown streams and durables alone, with two
// exceptions: it removes durables of gateways that are not in the topology, and those of
// an older version after moving their messages. It makes no change that would lose
// messages: a difference in storage or retention is an error that a person resolves.
//
// Only provisioning creates durables; workers bind to them. It compares a durable before
// it changes it, because a server older than 2.15 lost a durable's position when it
// rejected a change.
func Provision(ctx context.Context, nc *nats.Conn, t Topology) ([]Change, error) {
	return reconcile(ctx, nc, t, true)
}

// ProvisionGateways provisions only the durables of gateways, and removes those that are
// not listed.
func ProvisionGateways(ctx context.Context, nc *nats.Conn, durables []bus.Durable) ([]Change, error) {
	js, err := natsjs.New(nc)
	if err != nil {
		return nil, fmt.Errorf("provision: %w", err)
	}
	var changes []Change
	for _, d := range durables {
		c, err := reconcileDurable(ctx, js, d, true)
		changes = append(changes, c...)
		if err != nil {
			return changes, mapped("provision durable "+d.Name, err)
		}
	}
	c, err := removeGateways(ctx, js, durables, true)
	return append(changes, c...), mapped("provision gateways", err)
}

// Drift returns the changes that Provision would make, and makes none.
func Drift(ctx context.Context, nc *nats.Conn, t Topology) ([]Change, error) {
	return reconcile(ctx, nc, t, false)
}

func reconcile(ctx context.Context, nc *nats.Conn, t Topology, apply bool) ([]Change, error) {
	js, err := natsjs.New(nc)
	if err != nil {
		return nil, fmt.Errorf("provision: %w", err)
	}
	var changes []Change
	for _, want := range Streams(t.Replicas) {
		c, err := reconcileStream(ctx, js, want, apply)
		if err != nil {
			return changes, mapped("provision stream "+want.Name, err)
		}
		changes = append(changes, c...)
	}
	for _, d := range t.Durables {
		c, err := reconcileDurable(ctx, js, d, apply)
		if err != nil {
			return changes, mapped("provision durable "+d.Name, err)
		}
		changes = append(changes, c...)
	}
	c, err := removeGateways(ctx, js, t.Durables, apply)
	changes = append(changes, c...)
	if err != nil {
		return changes, mapped("provision gateways", err)
	}
	c, err = moveObsolete(ctx, js, t.Durables, apply)
	return append(changes, c...), mapped("provision", err)
}

func reconcileStream(ctx context.Context, js natsjs.JetStream, want natsjs.StreamConfig, apply bool) ([]Change, error) {
	stream, err := js.Stream(ctx, want.Name)
	if errors.Is(err, natsjs.ErrStreamNotFound) {
		if apply {
			if _, err := js.CreateStream(ctx, want); err != nil {
				return nil, err
			}
		}
		return []Change{{Kind: "stream", Name: want.Name, Action: "create"}}, nil
	}
	if err != nil {
		return nil, err
	}
	is := stream.CachedInfo().Config
	if is.Storage != want.Storage || is.Retention != want.Retention {
		return nil, fmt.Errorf("stream %s has %s storage and %s retention, want %s and %s; back it up and remove it by hand",
			want.Name, is.Storage, is.Retention, want.Storage, want.Retention)
	}
	var d diff
	d.add("subjects", is.Subjects, want.Subjects)
	d.add("max age", is.MaxAge, want.MaxAge)
	d.add("duplicate window", is.Duplicates, want.Duplicates)
	d.add("atomic publish", is.AllowAtomicPublish, want.AllowAtomicPublish)
	d.add("direct get", is.AllowDirect, want.AllowDirect)
	d.add("replicas", is.Replicas, want.Replicas)
	d.add("republish", republish(is), republish(want))
	d.add("description", is.Description, want.Description)
	if len(d) == 0 {
		return nil, nil
	}
	if apply {
		// Fields that an operator set and the topology does not name, such as a byte
		// limit or a placement, stay.
		next := is
		next.Subjects, next.MaxAge, next.Duplicates = want.Subjects, want.MaxAge, want.Duplicates
		next.AllowAtomicPublish, next.AllowDirect = want.AllowAtomicPublish, want.AllowDirect
		next.Replicas, next.Description, next.RePublish = want.Replicas, want.Description, want.RePublish
		if _, err := js.UpdateStream(ctx, next); err != nil {
			return nil, err
		}
	}
	return []Change{{Kind: "stream", Name: want.Name, Action: "update", Fields: d}}, nil
}

func reconcileDurable(ctx context.Context, js natsjs.JetStream, durable bus.Durable, apply bool) ([]Change, error) {
	want := consumerConfig(durable)
	name := durable.Stream + "/" + durable.Name
	consumer, err := js.Consumer(ctx, durable.Stream, durable.Name)
	// In a dry run the stream itself may be missing.
	if errors.Is(err, natsjs.ErrConsumerNotFound) || !apply && errors.Is(err, natsjs.ErrStreamNotFound) {
		if apply {
			if _, err := js.CreateConsumer(ctx, durable.Stream, want); err != nil {
				return nil, err
			}
		}
		return []Change{{Kind: "durable", Name: name, Action: "create"}}, nil
	}
	if err != nil {
		return nil, err
	}
	is := consumer.CachedInfo().Config
	var d diff
	d.add("filters", filters(is), filters(want))
	d.add("ack wait", is.AckWait, want.AckWait)
	d.add("max pending", is.MaxAckPending, want.MaxAckPending)
	d.add("max deliver", is.MaxDeliver, want.MaxDeliver)
	d.add("back off", len(is.BackOff), 0)
	if len(d) == 0 {
		return nil, nil
	}
	if apply {
		next := is
		next.FilterSubject, next.FilterSubjects = want.FilterSubject, want.FilterSubjects
		next.AckWait, next.MaxAckPending, next.MaxDeliver = want.AckWait, want.MaxAckPending, want.MaxDeliver
		next.BackOff = nil
		if _, err := js.UpdateConsumer(ctx, durable.Stream, next); err != nil {
			return nil, err
		}
	}
	return []Change{{Kind: "durable", Name: name, Action: "update", Fields: d}}, nil
}

func republish(c natsjs.StreamConfig) string {
	if c.RePublish == nil {
		return ""
	}
	return c.RePublish.Source + " as " + c.RePublish.Destination
}

func filters(c natsjs.ConsumerConfig) []string {
	f := slices.Clone(c.FilterSubjects)
	if c.FilterSubject != "" {
		f = append(f, c.FilterSubject)
	}
	slices.Sort(f)
	return f
}

// diff collects the fields that differ.
type diff []string

func (d *diff) add(field string, is, want any) {
	if !reflect.DeepEqual(is, want) {
		*d = append(*d, fmt.Sprintf("%s: %v → %v", field, is, want))
	}
}
