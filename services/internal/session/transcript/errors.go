package transcript

import "errors"

var (
	// ErrCorrupt says that what was read is no transcript, or a part of one.
	ErrCorrupt = errors.New("corrupt transcript")
	// ErrLine says that a line is longer than MaxLine.
	ErrLine = errors.New("line of a transcript is too long")
	// ErrClosed says that a transcript was added to after its end.
	ErrClosed = errors.New("transcript is closed")
)
