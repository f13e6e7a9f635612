package consult

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// outcome is the result of a question, as a metric label.
type outcome string

const (
	resultAnswered    outcome = "answered"
	resultStored      outcome = "stored" // answered before; the model was not called
	resultBudget      outcome = "budget"
	resultUnavailable outcome = "unavailable"
	resultRefused     outcome = "refused"
	resultUnreadable  outcome = "unreadable"
	resultCanceled    outcome = "canceled"
	resultError       outcome = "error" // of the store
)

// metrics count calls to models and their tokens.
type metrics struct {
	calls   *prometheus.CounterVec
	tokens  *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	open    *prometheus.GaugeVec
}

func newMetrics(reg prometheus.Registerer) *metrics {
	return &metrics{
		calls: shared(reg, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_model_calls_total",
			Help: "Questions to models, by what became of them; stored ones were answered before and cost nothing.",
		}, []string{"purpose", "result"})),
		tokens: shared(reg, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_model_tokens_total",
			Help: "Tokens that models read and wrote, as their servers count them.",
		}, []string{"purpose", "direction"})),
		seconds: shared(reg, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "winnow_model_call_duration_seconds",
			Help:    "Time of one question to a model, its tries included.",
			Buckets: prometheus.ExponentialBuckets(0.05, 2, 12), // 50 ms … 102 s
		}, []string{"purpose"})),
		open: shared(reg, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "winnow_model_left_alone",
			Help: "1 while a model that failed repeatedly is not asked.",
		}, []string{"model"})),
	}
}

// shared registers c, or returns the collector that another worker of the same process
// registered.
func shared[C prometheus.Collector](reg prometheus.Registerer, c C) C {
	if reg == nil {
		return c
	}
	var already prometheus.AlreadyRegisteredError
	if err := reg.Register(c); errors.As(err, &already) {
		if existing, ok := already.ExistingCollector.(C); ok {
			return existing
		}
	}
	return c
}
