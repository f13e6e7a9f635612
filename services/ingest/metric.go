package ingest

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// metrics counts arrivals. Labels come from closed sets.
type metrics struct {
	sessions   *prometheus.CounterVec
	claims     *prometheus.CounterVec
	skipped    prometheus.Counter
	redactions prometheus.Counter
	bytes      prometheus.Counter
	rederived  prometheus.Counter
}

// The results of a session.
const (
	resultIngested  = "ingested"
	resultDuplicate = "duplicate"
	resultRefused   = "refused"
	resultFailed    = "failed"
)

// newMetrics registers the metrics with r, which may be nil, or returns those
// that the same process registered before.
func newMetrics(r prometheus.Registerer) *metrics {
	if r == nil {
		r = prometheus.NewRegistry()
	}
	return &metrics{
		sessions: telemetry.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_sessions_total", Help: "Sessions taken in, by what became of them and how their trace was written.",
		}, []string{"result", "format"})),
		claims: telemetry.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_claims_refused_total", Help: "Claims in payloads that their publisher had no right to, by field.",
		}, []string{"field"})),
		skipped: telemetry.Registered(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_session_turns_skipped_total", Help: "Records of traces that could not be read and were left out.",
		})),
		redactions: telemetry.Registered(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_session_redactions_total", Help: "Secrets replaced in sessions before anything stored them.",
		})),
		bytes: telemetry.Registered(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_session_bytes_total", Help: "Bytes of text in the turns of sessions that were stored.",
		})),
		rederived: telemetry.Registered(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_session_rederived_total", Help: "Texts recorded before their session arrived that turned out to come from outside.",
		})),
	}
}

func (m *metrics) ended(result string, format trace.Format) {
	if format == "" {
		format = "unknown"
	}
	m.sessions.WithLabelValues(result, string(format)).Inc()
}

func (m *metrics) stored(prep *prepared) {
	m.skipped.Add(float64(prep.skipped))
	m.redactions.Add(float64(prep.redactions))
	m.bytes.Add(float64(prep.bytes))
}
