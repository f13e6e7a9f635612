package trigger

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Wanted is a run that somebody asks for.
type Wanted struct {
	Tenant    memory.Tenant
	Scope     memory.Scope
	Strategy  memory.RunStrategy
	Trigger   memory.RunTrigger
	Options   memory.RunOptions
	Principal string // who asks; empty for a schedule
	// Last is the end of the window of the run before: the next window begins there, so
	// that a missed slot leaves no gap. Zero for the first run.
	Last time.Time
	// At is the time of the request, or the slot of a schedule.
	At time.Time
}

// Request returns the row of a run and the event that starts it.
func Request(w Wanted, newID func(prefix string) string) (memory.Run, change.Set) {
	at := w.At.UTC().Truncate(time.Microsecond)
	run := memory.Run{
		ID: newID(memory.PrefixRun), Tenant: w.Tenant, Scope: w.Scope, Strategy: w.Strategy, Trigger: w.Trigger,
		State: memory.RunRequested, Options: w.Options, WindowStart: w.Last, WindowEnd: at, Principal: w.Principal, RequestedAt: at,
	}
	msg := &winnowv1.ConsolidationRequested{
		Id: newID(memory.PrefixEvent), RunId: run.ID, Scope: string(run.Scope), Trigger: string(run.Trigger),
		WindowEnd: timestamppb.New(at), DryRun: run.Options.DryRun, RequestedAt: timestamppb.New(at),
	}
	if !w.Last.IsZero() {
		msg.WindowStart = timestamppb.New(w.Last)
	}
	return run, change.Set{
		Runs: []memory.Run{run},
		Events: []change.Event{{
			ID: msg.GetId(), Subject: event.SubjectConsolidationRequested, Type: event.TypeFor(event.SubjectConsolidationRequested), Message: msg,
		}},
	}
}

// roundOff is what a decimal and its difference of floats may be apart.
const roundOff = 1e-9

// Allows returns an error where a run was asked for with a similarity so low that
// memories on different things count as similar. calibrated is the point at which the
// model's users found texts on one theme. A schedule's number is a setting and is used as
// it is, and a dry run changes nothing.
func (c Config) Allows(run memory.Run, calibrated float64) error {
	given, least := run.Options.Threshold, calibrated-c.Margin
	if given <= 0 || run.Options.DryRun || run.Trigger != memory.TriggerPerson || given >= least-roundOff {
		return nil
	}
	return fmt.Errorf("similarity_threshold: %.3g is below %.3g, the least that is allowed with this embedding model (calibrated %.3g less consolidation.threshold_margin %.3g); "+
		"give more, leave it out for the calibrated point, or look first with dry_run", given, least, calibrated, c.Margin)
}

// Options completes the options of a run with the settings.
func (c Config) Options(o memory.RunOptions) memory.RunOptions {
	if o.MinCluster == 0 {
		o.MinCluster = c.MinCluster
	}
	if o.MaxAgeDays == 0 {
		o.MaxAgeDays = c.MaxAgeDays
	}
	return o
}
