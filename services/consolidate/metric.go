package consolidate

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// metrics count what runs do.
type metrics struct {
	runs     *prometheus.CounterVec
	steps    *prometheus.CounterVec
	memories *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	invalid  *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	return &metrics{
		runs: telemetry.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_consolidation_runs_total", Help: "Runs that ended, by strategy and state.",
		}, []string{"strategy", "state"})),
		steps: telemetry.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_consolidation_steps_total", Help: "Steps of runs that ended, by action and state.",
		}, []string{"action", "state"})),
		memories: telemetry.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_consolidation_memories_total", Help: "Memories that runs created and archived.",
		}, []string{"change"})),
		invalid: telemetry.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_consolidation_invalid_answers_total", Help: "Answers about a user's memories that skipped the user, by the rule that they broke.",
		}, []string{"gate"})),
		seconds: telemetry.Registered(r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "winnow_consolidation_run_duration_seconds", Help: "From the plan of a run to its end, by strategy.",
			Buckets: prometheus.ExponentialBuckets(0.1, 2, 14), // 0.1 s … 13.7 min
		}, []string{"strategy"})),
	}
}
