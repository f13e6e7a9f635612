package memlimit

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
)

// first holds the reserve for the first time in this process, and says by how many bytes the
// collector runs later and resident memory grew.
var first = sync.OnceValues(func() (later, resident int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	runtime.GC()
	before, small := goal(), anonymous()
	holdReserve("", math.MaxInt64)
	runtime.GC()
	return goal() - before, anonymous() - small
})

// S17: without a limit a small heap may grow by the reserve more than the runtime has it, and
// the reserve itself takes no memory of the machine; what a person stated stands.
func TestReserve(t *testing.T) {
	if holdReserve("200", math.MaxInt64) || holdReserve("", 1<<30) {
		t.Error("a stated GOGC or limit did not stand")
	}
	later, resident := first()
	// Of twice what is in use, one half is the reserve itself.
	if later < 2*Reserve-4<<20 || later > 2*Reserve+4<<20 {
		t.Errorf("the collector runs at %d MiB more, want %d", later>>20, 2*Reserve>>20)
	}
	if resident > Reserve/4 {
		t.Errorf("resident memory grew by %d MiB", resident>>20)
	}
}

// goal returns the size of the heap at which the collector runs, in bytes.
func goal() int64 {
	read := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(read)
	return int64(read[0].Value.Uint64())
}

// anonymous returns the resident memory of this process that is no file's, in bytes; 0 where
// the system does not say.
func anonymous() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var pages, resident, shared int64
	if _, err := fmt.Sscan(string(text), &pages, &resident, &shared); err != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}
