package index_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// counterOf returns the value of a counter without labels.
func counterOf(t testing.TB, deps worker.Deps, name string) int {
	t.Helper()
	families, err := deps.Metrics.(prometheus.Gatherer).Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return int(f.GetMetric()[0].GetCounter().GetValue())
		}
	}
	return 0
}
