package recall

import "time"

// StayAway has what did not answer left alone for longer than a test takes on the
// slowest of machines.
func (r *Recall) StayAway() {
	for _, o := range []*outage{&r.indexAway, &r.modelAway, &r.rerankerAway} {
		if o.until.Load() != 0 {
			o.until.Store(time.Now().Add(time.Hour).UnixNano())
		}
	}
}
