package memlimit

import (
	"errors"
	"math"
	"os"
	"runtime/debug"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// Nine tenths of what is permitted are the limit; what a person stated stands, and without a
// limit, or where none can be read, there is a reserve. Where there is one, the collector waits,
// unless GOGC says otherwise. How a control group is read, the library's own tests show.
func TestNineTenthsOfWhatIsPermitted(t *testing.T) {
	first()
	restore := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(restore) })
	percent := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	fails := func(err error) memlimit.Provider { return func() (uint64, error) { return 0, err } }
	for name, c := range map[string]struct {
		permitted memlimit.Provider
		stated    string // GOMEMLIMIT, which the runtime has read itself
		collected string // GOGC
		want      Applied
	}{
		"a container":       {memlimit.Limit(1_000_000_000), "", "", Applied{Limit: 900_000_000, Waits: true}},
		"and GOGC":          {memlimit.Limit(1_000_000_000), "", "50", Applied{Limit: 900_000_000}},
		"no limit":          {fails(memlimit.ErrNoLimit), "", "", Applied{Reserve: true}},
		"another system":    {fails(memlimit.ErrCgroupsNotSupported), "", "", Applied{Reserve: true}},
		"no limit and GOGC": {fails(memlimit.ErrNoLimit), "", "50", Applied{}},
		"unreadable":        {fails(errors.New("nonsense")), "", "", Applied{Reserve: true}},
		"stated":            {memlimit.Limit(1_000_000_000), "2GiB", "", Applied{Limit: 2 << 30, Waits: true}},
		"stated to be none": {memlimit.Limit(1_000_000_000), "off", "", Applied{Reserve: true}},
	} {
		t.Run(name, func(t *testing.T) {
			debug.SetMemoryLimit(math.MaxInt64)
			debug.SetGCPercent(100)
			t.Setenv("GOMEMLIMIT", c.stated) // and restored, also where it is unset next
			switch c.stated {
			case "":
				if err := os.Unsetenv("GOMEMLIMIT"); err != nil {
					t.Fatal(err)
				}
			case "2GiB":
				debug.SetMemoryLimit(2 << 30)
			}
			if got := apply(c.permitted, c.collected); got != c.want {
				t.Errorf("applied %+v, want %+v", got, c.want)
			}
			want := c.want.Limit
			if want == 0 {
				want = math.MaxInt64
			}
			if is := debug.SetMemoryLimit(-1); is != want {
				t.Errorf("the runtime has %d, want %d", is, want)
			}
			if is := debug.SetGCPercent(100); (is == patience) != c.want.Waits {
				t.Errorf("the heap may grow by %d %%", is)
			}
		})
	}
}
