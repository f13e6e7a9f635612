package distill

import "time"

// retryPolicy says how long a session waits for an unavailable model. The sum
// of the pauses reaches the hour before the deliveries are used up. The
// remaining deliveries are for processes that die.
type retryPolicy struct {
	first, most time.Duration // pauses, doubled from first up to most
	asked       time.Duration // the longest pause that a server may ask for
	limit       time.Duration // of waiting, from the event's arrival
	least, last int           // attempts before the limit counts, and the last attempt
}

func defaultRetryPolicy() retryPolicy {
	return retryPolicy{
		first: 15 * time.Second, most: 10 * time.Minute, asked: 30 * time.Minute, limit: time.Hour,
		least: 5, last: maxDeliver - 4,
	}
}

// over reports whether rules must replace the model. A session that waited long
// for a free worker, and not for the model, still gets some attempts.
func (p retryPolicy) over(attempt int, waited time.Duration) bool {
	return attempt >= p.last || attempt >= p.least && waited > p.limit
}

// pause returns how long to wait after an attempt; longer where the server asks
// for it.
func (p retryPolicy) pause(attempt int, asked time.Duration) time.Duration {
	pause := p.first
	for range max(attempt, 1) - 1 {
		if pause *= 2; pause >= p.most {
			pause = p.most
			break
		}
	}
	return max(pause, min(asked, p.asked))
}
