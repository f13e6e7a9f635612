// Package memlimit tells the runtime how much memory a process may have: nine tenths of what
// its container or slice permits. Without it the collector lets the heap grow to twice what is
// in use, and the system kills a process whose live data would have fitted. Below the limit it
// lets the collector wait for longer, since the memory is there; without one, by a few megabytes.
package memlimit

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// share of the permitted memory that the heap and the runtime may use; the rest is for
// what the runtime does not count, such as pages of mapped files.
const share = 0.9

// patience is by how many per cent of what is in use the heap may grow before it is collected,
// where a limit ends that growth. The runtime's own 100 costs a search of 10,000 memories a fifth
// of its time.
const patience = 400

// Applied is what was set.
type Applied struct {
	// Limit is the soft limit of this process in bytes; 0 without one.
	Limit int64
	// Waits reports that the heap may grow by four times what is in use before it is collected.
	Waits bool
	// Reserve reports that there is no limit, and the heap may grow by [Reserve] bytes more
	// than the runtime has it.
	Reserve bool
}

// Apply sets the soft limit of this process by the least limit of its control group and of
// those above it. GOMEMLIMIT comes first; AUTOMEMLIMIT says another share, or off. With a limit
// the heap may grow by [patience], unless GOGC says otherwise; without one, and where control
// groups cannot be read, as on another system, see [ApplyReserve].
func Apply() Applied { return apply(memlimit.FromCgroup, os.Getenv("GOGC")) }

func apply(permitted memlimit.Provider, collected string) Applied {
	limit, err := memlimit.Set(memlimit.WithRatio(share), memlimit.WithProvider(permitted))
	if err != nil || limit == math.MaxInt64 {
		return Applied{Reserve: holdReserve(collected, debug.SetMemoryLimit(-1))}
	}
	if collected == "" {
		debug.SetGCPercent(patience)
	}
	return Applied{Limit: limit, Waits: collected == ""}
}
