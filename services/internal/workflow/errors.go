package workflow

import "errors"

// What keeps an operation from being done. The messages name the remedy and hold no
// text of a workflow, which may have any author.
var (
	// ErrActive: another workflow of the project is active (S0.23, S0.27).
	ErrActive = errors.New("a workflow is already active")
	// ErrNone: the operation is about the active workflow, and none is (S0.25, S0.26).
	ErrNone = errors.New("no workflow is active")
	// ErrUnknown: the project has no workflow with that id. One of another project or
	// tenant is the same as an unknown one.
	ErrUnknown = errors.New("there is no such workflow")
	// ErrStatus: the status of the workflow does not allow the operation.
	ErrStatus = errors.New("not possible for this workflow")
	// ErrInput: an argument cannot be used.
	ErrInput = errors.New("not possible like this")
)

// Refused reports whether err is an answer to the caller, and no fault.
func Refused(err error) bool {
	for _, is := range []error{ErrActive, ErrNone, ErrUnknown, ErrStatus, ErrInput} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}
