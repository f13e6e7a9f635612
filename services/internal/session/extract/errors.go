package extract

import "errors"

// ErrUnparseable says that an answer is neither of the two formats, so that
// asking once more may help (D24).
var ErrUnparseable = errors.New("the answer is neither JSON nor the Markdown that was asked for")
