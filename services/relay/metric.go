package relay

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	published prometheus.Counter
	refused   *prometheus.CounterVec
	failed    prometheus.Counter
	waiting   prometheus.Gauge
	oldest    prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		published: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_outbox_published_total",
			Help: "Outbox rows published and marked.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "winnow_outbox_refused_total",
			Help: "Outbox rows that the bus refuses and that became dead letters, by class.",
		}, []string{"class"}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_outbox_failures_total",
			Help: "Rounds in which the bus did not store what waits, which are tried again.",
		}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "winnow_outbox_unpublished",
			Help: "Outbox rows that wait. Measured by the active relay.",
		}),
		oldest: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "winnow_outbox_oldest_age_seconds",
			Help: "Age of the oldest row that waits. Measured by the active relay.",
		}),
	}
	if reg == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.published, m.refused, m.failed, m.waiting, m.oldest} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}
