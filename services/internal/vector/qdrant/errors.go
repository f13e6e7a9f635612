package qdrant

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// mapped converts the client's errors to the port's. ctx is the caller's: when that has
// ended, its error is the reason; a timeout of the driver's own means ErrUnavailable.
func (b *Backend) mapped(ctx context.Context, operation string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", operation, ctx.Err())
	}
	switch status.Code(err) {
	case codes.NotFound:
		return fmt.Errorf("%s: %w: %w", operation, vector.ErrNoGeneration, err)
	case codes.InvalidArgument, codes.AlreadyExists, codes.FailedPrecondition, codes.OutOfRange:
		return fmt.Errorf("%s: %w: %w", operation, vector.ErrInvalid, err)
	}
	cause, remedy := causeOf(err)
	return fmt.Errorf("%s at %s: %w", operation, b.config.Address, &vector.Outage{Cause: cause, Remedy: remedy, Err: err})
}

// causeOf names what keeps a server from answering, and the remedy. The words of the
// server and of gRPC are the only source: neither has codes for these cases.
func causeOf(err error) (cause, remedy string) {
	says := func(words ...string) bool {
		text := strings.ToLower(status.Convert(err).Message())
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch code := status.Code(err); {
	case code == codes.Unauthenticated, code == codes.PermissionDenied:
		return "the server refuses the key", "set qdrant.api_key to a key of that server"
	case says("no space", "out of disk", "disk is full"):
		return "the server's disk is full", "free the disk of Qdrant; it then goes on by itself"
	case says("tls", "x509", "certificate", "first record does not look like"):
		return "no secure connection", "look at qdrant.tls and at the certificate of the server"
	case says("http2", "frame too large", "preface"):
		return "what listens there speaks no gRPC", "name the gRPC port in qdrant.url, usually 6334, and look at qdrant.tls"
	case says("no such host", "name resolution", "produced zero addresses"):
		return "its host is unknown", "look at qdrant.url"
	case says("connection refused"):
		return "nothing listens there", "start Qdrant, or look at qdrant.url"
	case code == codes.DeadlineExceeded:
		return "no answer in time", "look how busy Qdrant is"
	case code == codes.Unavailable:
		return "the connection broke", "look whether Qdrant runs"
	}
	return "the server failed", "look into the log of Qdrant"
}

// lost reports whether a connection that existed was lost. Qdrant closes one on which
// many requests were cancelled early, as a safeguard of HTTP/2 wants it.
func lost(err error) bool {
	if status.Code(err) != codes.Unavailable {
		return false
	}
	text := status.Convert(err).Message()
	return !strings.Contains(text, "dial") && !strings.Contains(text, "name resolver")
}
