package worker

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/pkg/event"

	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// Results of an event, as metrics name them.
const (
	resultOK         = "ok"
	resultDuplicate  = "duplicate"
	resultRetry      = "retry"
	resultDeadLetter = "dlq"
)

// metrics counts and times settled events. Labels come from closed sets: an event's
// type is a label only when it was understood.
type metrics struct {
	service    string
	processed  *prometheus.CounterVec
	age        prometheus.Observer
	duration   *prometheus.HistogramVec
	stages     prometheus.ObserverVec
	pending    *prometheus.GaugeVec
	ackPending *prometheus.GaugeVec
}

func newMetrics(reg prometheus.Registerer, service string) *metrics {
	processed := telemetry.Registered(reg, prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "winnow_messages_processed_total",
		Help: "Deliveries settled, by what became of them.",
	}, []string{"service", "type", "result"}))
	age := telemetry.Registered(reg, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "winnow_message_age_seconds",
		Help:    "From the moment the stream stored an event to its effect.",
		Buckets: prometheus.ExponentialBuckets(0.001, 4, 11), // 1 ms … 17 min
	}, []string{"service"}))
	duration := telemetry.Registered(reg, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "winnow_message_process_duration_seconds",
		Help:    "From pulling an event to settling it.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16), // 0.5 ms … 16 s
	}, []string{"service", "type"}))
	stages := telemetry.Registered(reg, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "winnow_batch_stage_duration_seconds",
		Help:    "Time to prepare, and to decide and commit, one batch of a tenant.",
		Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
	}, []string{"service", "stage"}))
	pending := telemetry.Registered(reg, prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "winnow_consumer_pending",
		Help: "Events that wait in the stream.",
	}, []string{"stream", "consumer"}))
	ackPending := telemetry.Registered(reg, prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "winnow_consumer_ack_pending",
		Help: "Events that are delivered and not settled, over all replicas.",
	}, []string{"stream", "consumer"}))
	return &metrics{
		service:    service,
		processed:  processed,
		age:        age.WithLabelValues(service),
		duration:   duration,
		stages:     stages.MustCurryWith(prometheus.Labels{"service": service}),
		pending:    pending,
		ackPending: ackPending,
	}
}

func (m *metrics) settled(d delivery, result string) {
	typ := "unknown"
	// Another type is a publisher's text: it may hold a secret, and each would be a series.
	if known := event.TypeFor(d.event.Subject); d.event.Type == known {
		typ = known
	}
	m.processed.WithLabelValues(m.service, typ, result).Inc()
	now := time.Now()
	m.duration.WithLabelValues(m.service, typ).Observe(now.Sub(d.pulledAt).Seconds())
	if result == resultOK {
		m.age.Observe(now.Sub(d.event.Stored).Seconds())
	}
}

// stage measures one stage of a batch until the returned function is called.
func (m *metrics) stage(name string) (done func()) {
	began := time.Now()
	return func() { m.stages.WithLabelValues(name).Observe(time.Since(began).Seconds()) }
}

// lagInterval is the pause between two requests for the durable's lag.
const lagInterval = 15 * time.Second

// watchLag updates the gauges of the lag until ctx ends.
func (p *Pipeline) watchLag(ctx context.Context) {
	tick := time.NewTicker(lagInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		// After an error the gauges hold the last values; readiness shows the outage.
		if pending, ackPending, err := p.source.Pending(ctx); err == nil {
			p.metrics.pending.WithLabelValues(p.def.Durable.Stream, p.def.Durable.Name).Set(float64(pending))
			p.metrics.ackPending.WithLabelValues(p.def.Durable.Stream, p.def.Durable.Name).Set(float64(ackPending))
		}
	}
}
