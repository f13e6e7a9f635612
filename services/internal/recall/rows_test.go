package recall

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// What is remembered is bounded; rows in use stay while others come and go, and a
// row of another version or tenant is not there.
func TestRowsAreBounded(t *testing.T) {
	t.Parallel()
	r := rows{limit: 100_000}
	text := strings.Repeat("x", 1000)
	nameOf := func(n int) name { return name{memory.DefaultTenant, fmt.Sprint(n), 3} }
	for n := range 10_000 {
		m := memory.Memory{ID: fmt.Sprint(n), Text: text}
		r.remember(map[name]*kept{nameOf(n): keep(&m)})
		if r.known([]name{nameOf(0)})[0] == nil {
			t.Fatalf("after %d others a row in use is gone", n)
		}
	}
	if n := len(r.young) + len(r.old); n == 0 || n > 100 {
		t.Errorf("%d rows of more than a kilobyte remembered in 100 kB", n)
	}
	for _, other := range []name{nameOf(1), {memory.DefaultTenant, "0", 5}, {memory.SystemTenant, "0", 3}} {
		if r.known([]name{other})[0] != nil {
			t.Errorf("%v is known", other)
		}
	}
}
