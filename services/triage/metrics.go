package triage

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// metrics counts what goes through the gate. Labels come from closed sets.
type metrics struct {
	decisions *prometheus.CounterVec
	claims    *prometheus.CounterVec
	secrets   prometheus.Counter
}

func newMetrics(r prometheus.Registerer) *metrics {
	return &metrics{
		decisions: worker.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_proposals_total", Help: "Proposals decided, by verdict, rule and authority.",
		}, []string{"decision", "rule", "origin"})),
		claims: worker.Registered(r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_claims_refused_total", Help: "Claims in payloads that their publisher had no right to, by field.",
		}, []string{"field"})),
		secrets: worker.Registered(r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_triage_redactions_total", Help: "Secrets replaced in proposals before anything stored them.",
		})),
	}
}

func (m *metrics) submitted(s *submission) {
	m.claims.WithLabelValues("tenant").Add(float64(s.claims.tenant))
	m.claims.WithLabelValues("origin").Add(float64(s.claims.origin))
	m.claims.WithLabelValues("confidence").Add(float64(s.claims.confidence))
	m.secrets.Add(float64(s.secrets))
}

func (m *metrics) decided(decisions []memory.Decision) {
	for i := range decisions {
		d := &decisions[i]
		m.decisions.WithLabelValues(string(d.Verdict), d.Rule, d.Authority.String()).Inc()
	}
}
