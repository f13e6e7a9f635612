package triage

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// metrics counts what triage decides and caches. Labels come from closed sets.
type metrics struct {
	decisions *prometheus.CounterVec
	claims    *prometheus.CounterVec
	secrets   prometheus.Counter
	loads     *prometheus.CounterVec
	loadRows  prometheus.Counter
	lanes     prometheus.Gauge
	laneBytes prometheus.Gauge
}

func newMetrics(r prometheus.Registerer) *metrics {
	return &metrics{
		decisions: telemetry.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_proposals_total", Help: "Proposals decided, by verdict, rule and authority.",
		}, []string{"decision", "rule", "origin"})),
		claims: telemetry.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_claims_refused_total", Help: "Claims in payloads that their publisher had no right to, by field.",
		}, []string{"field"})),
		secrets: telemetry.Registered(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_triage_redactions_total", Help: "Secrets replaced in proposals before anything stored them.",
		})),
		loads: telemetry.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_triage_lane_loads_total", Help: "Lanes read into memory, by form: whole, or narrow beside the index.",
		}, []string{"form"})),
		loadRows: telemetry.Registered(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_triage_lane_rows_total", Help: "Stored texts that were read and analysed for lanes.",
		})),
		lanes: telemetry.Registered(r, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "winnow_triage_lanes", Help: "Scopes that the process remembers.",
		})),
		laneBytes: telemetry.Registered(r, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "winnow_triage_lane_bytes", Help: "Memory of the scopes that the process remembers, estimated.",
		})),
	}
}

func (m *metrics) submitted(s *submission) {
	m.claims.WithLabelValues("tenant").Add(float64(s.claims.tenant))
	m.claims.WithLabelValues("origin").Add(float64(s.claims.origin))
	m.claims.WithLabelValues("confidence").Add(float64(s.claims.confidence))
	m.claims.WithLabelValues("tags").Add(float64(s.claims.tags))
	m.claims.WithLabelValues("kind").Add(float64(s.claims.kind))
	m.claims.WithLabelValues("outcome").Add(float64(s.claims.outcome))
	m.secrets.Add(float64(s.secrets))
}

func (m *metrics) decided(decisions []memory.Decision) {
	for i := range decisions {
		d := &decisions[i]
		m.decisions.WithLabelValues(string(d.Verdict), d.Rule, d.Authority.String()).Inc()
	}
}

func (m *metrics) loaded(narrow bool, rows int) {
	form := "whole"
	if narrow {
		form = "narrow"
	}
	m.loads.WithLabelValues(form).Inc()
	m.loadRows.Add(float64(rows))
}

func (m *metrics) setCached(lanes, bytes int) {
	m.lanes.Set(float64(lanes))
	m.laneBytes.Set(float64(bytes))
}
