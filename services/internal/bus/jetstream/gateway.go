package jetstream

import (
	"slices"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
)

// gatewayPrefix starts the names of the durables of gateways.
const gatewayPrefix = "gateway-"

// GatewayDurable returns the name of the durable of a gateway that answers as
// principal.
func GatewayDurable(principal string) string { return gatewayPrefix + principal }

// Gateway returns the durable of a gateway. It delivers the digests of the reviewers for
// whom the principal is registered to speak, in its tenant, and the outcomes of their
// answers. everyone in speaksFor stands for every reviewer of the tenant. A gateway that
// was down when a digest was published still receives it.
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

// everyone, in a gateway's registration, allows it to speak for every reviewer.
const everyone = "*"
