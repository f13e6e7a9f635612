package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"

	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// ErrChanged says that a file changed since it was read.
var ErrChanged = errors.New("the file changed while it was being published; publish it again when its session has ended")

// inMemory is the largest trace, in bytes, that is held in memory to be
// published. A longer one is published piece by piece.
const inMemory = 512 << 10

// PublishSession publishes a session's event, and its trace with it or beside it.
// A nil error means that the bus has stored both. Duplicate in the receipt says
// that it was published before.
func PublishSession(ctx context.Context, c *publish.Client, s SessionFile) (publish.Receipt, error) {
	unsent := publish.Receipt{EventID: s.EventID}
	msg := proto.CloneOf(s.event)
	f, err := openTranscript(s.File, trace.Format(s.Format))
	if err != nil {
		return unsent, errors.New(notOpened(err))
	}
	defer f.Close()
	if s.Bytes <= inMemory {
		// One byte over the size detects a file that has grown.
		data, err := io.ReadAll(io.LimitReader(f, inMemory+1))
		if err != nil {
			return unsent, errors.New(notOpened(err))
		}
		if sha256.Sum256(data) != s.digest {
			return unsent, ErrChanged
		}
		msg.Trace = &winnowv1.SessionCompleted_Inline{Inline: data}
		return c.SessionCompleted(ctx, msg)
	}
	ref, err := c.Trace(ctx, f)
	if err != nil {
		return unsent, err
	}
	if !bytes.Equal(ref.GetSha256(), s.digest[:]) {
		return unsent, ErrChanged
	}
	msg.Trace = &winnowv1.SessionCompleted_Reference{Reference: ref}
	return c.SessionCompleted(ctx, msg)
}
