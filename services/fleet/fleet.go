package fleet

import (
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/api"
	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/distill"
	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/learn"
	"github.com/winnowhq/winnow/services/relay"
	"github.com/winnowhq/winnow/services/triage"
)

// All lists every worker, in the order in which an event passes them.
var All = []worker.Definition{
	ingest.Definition, distill.Definition, triage.Definition, consolidate.Definition, learn.Definition, digest.Definition, index.Definition,
	api.Definition, relay.Definition,
}

// Pick returns the workers of the given names, in the order of All. The error for an
// unknown name lists the existing ones.
func Pick(names ...string) ([]worker.Definition, error) {
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[strings.TrimSpace(n)] = true
	}
	var picked []worker.Definition
	for _, d := range All {
		if wanted[d.Name] {
			picked = append(picked, d)
			delete(wanted, d.Name)
		}
	}
	for n := range wanted {
		return nil, fmt.Errorf("target %q: want some of %s", n, strings.Join(Names(), ", "))
	}
	return picked, nil
}

// Names returns the workers' names, in the order of All.
func Names() []string {
	names := make([]string, 0, len(All))
	for _, d := range All {
		names = append(names, d.Name)
	}
	return names
}
