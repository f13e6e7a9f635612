package jetstream

import (
	"slices"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// gatewayPrefix starts the names of the durables of gateways.
const gatewayPrefix = "gateway-"

// GatewayDurable returns the name of the durable of a gateway that answers as
// principal.
func GatewayDurable(principal string) string { return gatewayPrefix + principal }

// Gateway returns the durable of a registered gateway. It delivers the digests of the
// reviewers for whom the principal is registered to speak, in its tenant, and the outcomes
// of their answers, in the form that the principal reads. everyone in SpeaksFor stands for
// every reviewer of the tenant. A gateway that was down when a digest was published still
// receives it.
func Gateway(p memory.Principal) bus.Durable {
	d := bus.Durable{
		Stream: bus.StreamMemory, Name: GatewayDurable(p.ID),
		AckWait: time.Minute, MaxPending: 64, MaxDeliver: 20,
	}
	for _, bare := range []string{event.SubjectDigestTriage, event.SubjectDigestAnswered} {
		if slices.Contains(p.SpeaksFor, everyone) {
			d.Filters = append(d.Filters, event.SubjectForReviewer(bare, string(p.Tenant), "")+".*")
			continue
		}
		for _, reviewer := range slices.Sorted(slices.Values(p.SpeaksFor)) {
			d.Filters = append(d.Filters, event.SubjectForReviewer(bare, string(p.Tenant), reviewer))
		}
	}
	if p.EventsJSON {
		for i, subject := range d.Filters {
			d.Filters[i] = event.SubjectJSON(subject)
		}
	}
	d.Filters = slices.Compact(d.Filters)
	return d
}

// everyone, in a gateway's registration, allows it to speak for every reviewer.
const everyone = "*"
