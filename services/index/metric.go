package index

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// metrics counts the projector's commits, edits and failures.
type metrics struct {
	commits, edits, failed prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) metrics {
	return metrics{
		commits: telemetry.Registered(reg, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_vault_commits_total", Help: "Renderings that were committed to a vault.",
		})),
		edits: telemetry.Registered(reg, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_vault_hand_edits_total", Help: "Hand edits of a vault that took effect.",
		})),
		failed: telemetry.Registered(reg, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_vault_failures_total", Help: "Rounds in which some of a vault could not be read or rendered.",
		})),
	}
}
