package memlimit

import (
	"math"
	"os"
	"runtime/debug"
	"sync"
)

// Reserve is by how many bytes a process without a limit may grow more than the runtime's own
// rule has it, before the collector runs.
const Reserve = 32 << 20

// reserve is memory in use for the collector, which lets the heap grow to twice that, and none
// for the system, since it is never written to.
var reserve struct {
	once sync.Once
	held []byte
}

// ApplyReserve lets the heap of a process on a machine that it shares grow to twice what is in
// use and [Reserve] more: by the runtime's rule alone a small heap is collected all the time,
// which with 20 MB in use costs a tenth of a search. It is a bound in bytes, because a higher
// GOGC would take as many times more of a large heap, where it gains little. A stated GOGC or
// GOMEMLIMIT comes first. It reports whether the reserve is held; a second call changes
// nothing.
func ApplyReserve() bool { return holdReserve(os.Getenv("GOGC"), debug.SetMemoryLimit(-1)) }

func holdReserve(collected string, limit int64) bool {
	if collected != "" || limit != math.MaxInt64 {
		return false
	}
	reserve.once.Do(func() { reserve.held = make([]byte, Reserve) })
	return true
}
