package index

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// metrics counts what the projector does.
type metrics struct {
	commits, edits, failed prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) metrics {
	return metrics{
		commits: worker.Registered(reg, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_vault_commits_total", Help: "Renderings that changed a file of the vault.",
		})),
		edits: worker.Registered(reg, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_vault_hand_edits_total", Help: "Hand edits of the vault that were read back.",
		})),
		failed: worker.Registered(reg, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "winnow_vault_failures_total", Help: "Rounds in which some of a vault could not be rendered.",
		})),
	}
}
