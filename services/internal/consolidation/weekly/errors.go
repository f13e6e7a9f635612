package weekly

import (
	"errors"
	"fmt"
)

// ErrInvalid is the error of an answer that breaks the contract (D10). The user is
// skipped: nothing changes, and the run says why.
var ErrInvalid = errors.New("the model's answer is not valid")

// Gate names the rule that an invalid answer broke. It is a metric's label.
type Gate string

// The gates of D10, S1.16, S1.18 and S1.21.
const (
	GateUnparseable  Gate = "unparseable"   // not one JSON object
	GateMissingField Gate = "missing_field" // a field of the contract is not there, or is null
	GateUnknownField Gate = "unknown_field" // a field that the contract does not have, or one given twice
	GateFieldType    Gate = "field_type"    // a field of another type
	GateForeignID    Gate = "foreign_id"    // an id that is not in the list
	GateOverlap      Gate = "overlap"       // an id named twice
	GateFewIDs       Gate = "few_ids"       // a merge of fewer than two ids
	GateImportance   Gate = "importance"    // not a whole number from 1 to 10
	GateEmptyText    Gate = "empty_text"    // a merge without a text, or with one that cannot be stored
	GateDeleteAll    Gate = "delete_all"    // nothing would be left that the user said
)

// InvalidError says which gate refused an answer. It is [ErrInvalid].
type InvalidError struct {
	Gate   Gate
	Reason string // one sentence; contains no text of a memory
}

func (e *InvalidError) Error() string { return fmt.Sprintf("%v: %s", ErrInvalid, e.Reason) }

// Unwrap returns [ErrInvalid].
func (e *InvalidError) Unwrap() error { return ErrInvalid }

func invalid(g Gate, format string, args ...any) error {
	return &InvalidError{Gate: g, Reason: fmt.Sprintf(format, args...)}
}
