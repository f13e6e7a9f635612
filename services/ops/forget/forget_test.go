package forget_test

import (
	"errors"
	"testing"

	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/ops/forget"
)

// D9: what a person has erased comes from words of the person's own. A few letters, or
// spaces alone, stand everywhere; they are refused before anything is read.
func TestSubjectsThatStandEverywhere(t *testing.T) {
	t.Parallel()
	o := &forget.Ops{NewID: ident.New} // without a store: asking it would panic
	for _, subject := range []string{"a", "the", "    ", " \t \n ", "  of  ", "für"} {
		if _, err := o.Forget(t.Context(), forget.Request{Subject: subject}, true); !errors.Is(err, forget.ErrSubject) {
			t.Errorf("%q: %v, want ErrSubject", subject, err)
		}
	}
}
