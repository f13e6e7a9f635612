package sessiontest_test

import (
	"bytes"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/test/sessiontest"
)

func TestTrace(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10_000, 68_000} {
		raw := sessiontest.Trace(7, 3, size)
		if len(raw) < size || len(raw) > size*2 || !bytes.Equal(raw, sessiontest.Trace(7, 3, size)) || bytes.Equal(raw, sessiontest.Trace(7, 4, size)) {
			t.Errorf("%d bytes for %d", len(raw), size)
		}
		s, err := format.Read(bytes.NewReader(raw), trace.Options{Format: trace.FormatChat, Limits: trace.DefaultLimits()})
		if err != nil || s.Report.Skipped != 0 || len(s.Turns) < 8 {
			t.Errorf("%d turns, %+v, %v", len(s.Turns), s.Report, err)
		}
	}
}
