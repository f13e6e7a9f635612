package worker

import (
	"errors"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// Fairness is the group of settings about publishers that send more than others. A
// definition whose durable permits overtaking lists it.
var Fairness = SettingsAt("fairness", DefaultFairness)

// FairnessConfig limits what one principal may use of a worker. Without a limit it may
// use all that is free: whoever sends little overtakes whoever sends much.
type FairnessConfig struct {
	Rate  float64 `koanf:"rate" help:"Proposals a second that one process judges of one principal in the long run; more are postponed, never dropped. 0 is no limit: a flood then uses what others leave."`
	Burst int     `koanf:"burst" help:"Proposals of one principal that are judged at once before the rate counts."`
}

// DefaultFairness limits nobody.
func DefaultFairness() FairnessConfig { return FairnessConfig{Burst: 1000} }

// Validate reports every value that cannot be used.
func (c FairnessConfig) Validate() error {
	var errs []error
	if c.Rate < 0 {
		errs = append(errs, errors.New("rate: is below zero; give events a second, or 0 for no limit"))
	}
	if c.Burst < 1 {
		errs = append(errs, errors.New("burst: lets nothing through; give 1 or more"))
	}
	return errors.Join(errs...)
}

const (
	// mostPostponed is the attempt from which on an event is not postponed: each
	// postponement uses up a delivery, and events that were delivered often are handled
	// one by one. It matters only with several processes, since each has its own buckets.
	mostPostponed = 2
	// longestPostponed bounds one postponement. An event with a later turn is postponed
	// again.
	longestPostponed = 10 * time.Minute
	sayAgain         = time.Hour // between two log lines about one principal
)

// limiter holds a token bucket for each principal. Safe for concurrent use.
type limiter struct {
	config  FairnessConfig
	now     func() time.Time
	log     *zap.Logger
	counted prometheus.Counter

	mu       sync.Mutex
	buckets  *lru.Cache[string, *bucket]
	promised *lru.Cache[uint64, struct{}] // postponed events, whose token is reserved
	until    time.Time                    // when the last postponed event is due
}

type bucket struct {
	*rate.Limiter
	said time.Time
}

// maxPromised bounds the reservations: more than a durable's unsettled messages.
const maxPromised = 10_000

func newLimiter(c FairnessConfig, d Deps, service string) *limiter {
	counted := telemetry.Registered(d.Metrics, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "winnow_events_postponed_total",
		Help: "Deliveries that were postponed because their principal exceeded its rate.",
	}, []string{"service"}))
	l := &limiter{config: c, now: d.Now, log: d.Log, counted: counted.WithLabelValues(service)}
	l.buckets, _ = lru.New[string, *bucket](maxPrincipals) // fails only for a size below one
	l.promised, _ = lru.New[uint64, struct{}](maxPromised) // likewise
	return l
}

// postpone returns how long a delivery must wait for its principal's next token; 0 takes
// the token now. A delivery that was postponed has its token and is not postponed again.
func (l *limiter) postpone(d delivery) time.Duration {
	if l.config.Rate <= 0 || d.event.Principal.ID == "" || d.event.Attempt > mostPostponed {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	seq := d.msg.Meta().Sequence
	if l.promised.Remove(seq) {
		return 0
	}
	b, known := l.buckets.Get(d.event.Principal.ID)
	if !known {
		b = &bucket{Limiter: rate.NewLimiter(rate.Limit(l.config.Rate), l.config.Burst)}
		l.buckets.Add(d.event.Principal.ID, b)
	}
	now := l.now()
	turn := b.ReserveN(now, 1)
	wait := turn.DelayFrom(now)
	if wait == 0 {
		return 0
	}
	if now.Sub(b.said) > sayAgain {
		b.said = now
		l.log.Warn("a principal sends more than fairness.rate, its events are postponed", zap.String(telemetry.KeyPrincipal, d.event.Principal.ID))
	}
	if _, ahead := d.msg.(overtaking); ahead || wait > longestPostponed {
		turn.CancelAt(now)
	} else {
		l.promised.Add(seq, struct{}{})
	}
	wait = min(wait, longestPostponed)
	if due := now.Add(wait); due.After(l.until) {
		l.until = due
	}
	l.counted.Inc()
	return wait
}

// postponing reports whether a postponed event is not due yet.
func (l *limiter) postponing() bool {
	if l.config.Rate <= 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now().Before(l.until)
}

// limit returns the deliveries whose principals have tokens, and returns the others to
// the server with a delay.
func (p *Pipeline) limit(deliveries []delivery) []delivery {
	if p.limits == nil || p.limits.config.Rate <= 0 {
		return deliveries
	}
	in := make([]delivery, 0, len(deliveries))
	for _, d := range deliveries {
		if wait := p.limits.postpone(d); wait > 0 {
			p.nak(d, wait)
			continue
		}
		in = append(in, d)
	}
	return in
}
