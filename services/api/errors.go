package api

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/workflow"
)

var (
	// errRequest says that a request is invalid. The message names the argument
	// and the remedy.
	errRequest = errors.New("not possible like this")
	// errNotFound says that the caller has no such memory. A memory of another
	// tenant gives the same answer as an unknown one.
	errNotFound = errors.New("there is no such memory")
	// errAway says that a part of Winnow is unavailable.
	errAway = errors.New("memory is not reachable right now; go on without it and try again in a minute")
	// errFailed says that Winnow has a fault.
	errFailed = errors.New("Winnow failed to answer; its log says why. Go on without it and tell a person")
)

// request returns an errRequest.
func request(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errRequest, fmt.Sprintf(format, args...))
}

// clientError returns err in the form for the caller. The form has everything
// about the caller's request and nothing about internal parts, which are logged.
func (a *api) clientError(call string, err error) error {
	switch {
	case errors.Is(err, errRequest), errors.Is(err, errNotFound), errors.Is(err, recall.ErrQuestion), errors.Is(err, topic.ErrRefused), workflow.Refused(err):
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
	return errFailed
}
