package recall

import (
	"sync/atomic"
	"time"
)

// pause is how long something that did not answer is left alone. One search then
// tries it again, while the others go on without.
const pause = 2 * time.Second

// outage remembers that something did not answer, so that not every search waits
// for it. The zero value has heard of none.
type outage struct{ until atomic.Int64 }

// skip says to go on without. Where the pause is over, it lets one caller try.
func (o *outage) skip() bool {
	until, now := o.until.Load(), time.Now().UnixNano()
	return until != 0 && (now < until || !o.until.CompareAndSwap(until, now+int64(pause)))
}

// set says how an attempt ended.
func (o *outage) set(away bool) {
	if !away {
		o.until.Store(0)
		return
	}
	o.until.Store(time.Now().Add(pause).UnixNano())
}
