package jetstream

import (
	"slices"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
)

// gatewayPrefix starts the names of gateways' durables.
const gatewayPrefix = "gateway-"

// GatewayDurable names the durable of a gateway that answers as principal.
func GatewayDurable(principal string) string { return gatewayPrefix + principal }

// Gateway is the durable of a gateway: the digests of the reviewers for whom the
// principal is registered to speak, in its tenant, and what became of the answers.
// everyone in speaksFor stands for every reviewer of the tenant. A gateway that
// was away on Monday at nine still finds the digest.
func Gateway(tenant, principal string, speaksFor []string) bus.Durable {
	d := bus.Durable{
		Stream: bus.StreamMemory, Name: GatewayDurable(principal),
		AckWait: time.Minute, MaxPending: 64, MaxDeliver: 20,
	}
	for _, bare := range []string{event.SubjectDigestTriage, event.SubjectDigestAnswered} {
		if slices.Contains(speaksFor, everyone) {
			d.Filters = append(d.Filters, event.SubjectForReviewer(bare, tenant, "")+".*")
			continue
		}
		for _, reviewer := range slices.Sorted(slices.Values(speaksFor)) {
			d.Filters = append(d.Filters, event.SubjectForReviewer(bare, tenant, reviewer))
		}
	}
	d.Filters = slices.Compact(d.Filters)
	return d
}

// everyone in a gateway's registration lets it speak for every reviewer.
const everyone = "*"
