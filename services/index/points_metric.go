package index

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// pointMetrics measures the lag, the failures and the drift of the similarity index.
type pointMetrics struct {
	lag    prometheus.Histogram
	failed prometheus.Counter
	drift  prometheus.Gauge
}

func newPointMetrics(reg prometheus.Registerer) pointMetrics {
	return pointMetrics{
		lag: telemetry.Registered(reg, prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "winnow_index_lag_seconds", Help: "From the moment the stream stored a change to its being found.",
			Buckets: prometheus.ExponentialBuckets(0.004, 4, 10), // 4 ms … 17 min
		})),
		failed: telemetry.Registered(reg, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_index_failures_total", Help: "Batches that could not be written to the index, or embedded, and are tried again.",
		})),
		drift: telemetry.Registered(reg, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "winnow_index_drift_documents", Help: "By how many documents index and store differed when last counted.",
		})),
	}
}
