package embedded_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
	"github.com/winnowhq/winnow/services/internal/vector/vectortest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	vectortest.Run(t, func(t testing.TB) vector.Backend { return open(t, nil) })
}

// open returns a backend over a source, nil for none.
func open(t testing.TB, source vector.Source) *embedded.Backend {
	t.Helper()
	b, err := embedded.New(embedded.DefaultConfig(), source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}
