package consult

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/telemetry"
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
		calls: telemetry.Registered(reg, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_model_calls_total",
			Help: "Questions to models, by what became of them; stored ones were answered before and cost nothing.",
		}, []string{"purpose", "result"})),
		tokens: telemetry.Registered(reg, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_model_tokens_total",
			Help: "Tokens that models read and wrote, as their servers count them.",
		}, []string{"purpose", "direction"})),
		seconds: telemetry.Registered(reg, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "winnow_model_call_duration_seconds",
			Help:    "Time of one question to a model, its tries included.",
			Buckets: prometheus.ExponentialBuckets(0.05, 2, 12), // 50 ms … 102 s
		}, []string{"purpose"})),
		open: telemetry.Registered(reg, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "winnow_model_left_alone",
			Help: "1 while a model that failed repeatedly is not asked.",
		}, []string{"model"})),
	}
}
