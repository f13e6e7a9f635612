package vectortest

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// ReadTime returns the least time of a pass over n float32, with all processors
// reading, each its share: benchmarks of scans are compared with it.
func ReadTime(n int) time.Duration {
	readers := runtime.GOMAXPROCS(0)
	values := make([]float32, n)
	for i := range values {
		values[i] = 1
	}
	best := time.Hour
	for range 7 {
		started := time.Now()
		var all sync.WaitGroup
		var seen atomic.Int64
		for share := range readers {
			part := values[share*n/readers : (share+1)*n/readers]
			all.Go(func() {
				// One value of each cache line: the whole line is read anyway.
				var sum float32
				for i := 0; i < len(part); i += 16 {
					sum += part[i]
				}
				seen.Add(int64(sum))
			})
		}
		all.Wait()
		best = min(best, time.Since(started))
	}
	return best
}
