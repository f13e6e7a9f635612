package distill

import "time"

// patience is how long a session waits for a model that is not available. The
// sum of the pauses reaches the hour before the deliveries are used up, and what
// is left of those is for processes that die.
type patience struct {
	first, most time.Duration // pauses, doubled from the first to the most
	asked       time.Duration // the longest that a server may ask for
	limit       time.Duration // of waiting, from the moment the session was told of
	least, last int           // tries before the limit counts, and the last try of all
}

func defaultPatience() patience {
	return patience{
		first: 15 * time.Second, most: 10 * time.Minute, asked: 30 * time.Minute, limit: time.Hour,
		least: 5, last: maxDeliver - 4,
	}
}

// over reports whether the rules must do. A session that waited long for a free
// hand, and not for the model, still gets some tries.
func (p patience) over(attempt int, waited time.Duration) bool {
	return attempt >= p.last || attempt >= p.least && waited > p.limit
}

// pause is how long to wait after a try; longer where the server asks for it.
func (p patience) pause(attempt int, asked time.Duration) time.Duration {
	pause := p.first
	for range max(attempt, 1) - 1 {
		if pause *= 2; pause >= p.most {
			pause = p.most
			break
		}
	}
	return max(pause, min(asked, p.asked))
}
