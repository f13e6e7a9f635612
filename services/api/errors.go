package api

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/store"
)

var (
	// errRequest says that a request cannot be met as it stands; the message
	// names the argument and the remedy.
	errRequest = errors.New("not possible like this")
	// errNotFound says that there is no such memory for this caller: one of
	// another tenant is told like one that never was.
	errNotFound = errors.New("there is no such memory")
	// errAway says that a part of ours does not answer.
	errAway = errors.New("memory is not reachable right now; go on without it and try again in a minute")
)

// request is an errRequest.
func request(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errRequest, fmt.Sprintf(format, args...))
}

// told is err as a caller may hear it: everything about its own request, nothing
// about our parts, which go to the log.
func (a *api) told(call string, err error) error {
	switch {
	case errors.Is(err, errRequest), errors.Is(err, errNotFound), errors.Is(err, recall.ErrQuestion):
		return err
	case errors.Is(err, store.ErrInvalid):
		return request("a value holds characters that cannot be stored; send plain text")
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, store.ErrUnavailable), errors.Is(err, bus.ErrUnavailable), errors.Is(err, context.DeadlineExceeded):
		a.Log.Warn("a call was not answered", zap.String("call", call), zap.Error(err))
		return errAway
	}
	a.Log.Error("a call failed", zap.String("call", call), zap.Error(err))
	return errors.New("Winnow failed to answer; its log says why. Go on without it and tell a person")
}
