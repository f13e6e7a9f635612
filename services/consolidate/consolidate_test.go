package consolidate_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// The same lesson in the same words, and one apart.
var repeats = []string{
	"Set the HTTP client timeout to 30 seconds when calling the payment provider.",
	"Set the HTTP client timeout to 30 seconds when calling the payment provider.",
	"When calling the payment provider, set the HTTP client timeout to 30 seconds.",
	"Run database migrations before starting the new release.",
}

func TestThinSlice(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	ids := r.texts(repeats...)
	run, items := r.consolidate(memory.RunOptions{})
	t.Logf("%+v", run)
	t.Logf("%s", run.Report)
	for _, i := range items {
		t.Logf("%+v %s", i, i.Detail)
	}
	for _, m := range r.active(shop) {
		t.Logf("%s %q %v", m.ID, m.Text, m.Tags)
	}
	_ = ids
}
