package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Result is what a run did, as people and tools read it (S0.50, S4.64). It has ids,
// numbers and reasons, and no text of a memory. For a dry run it says what would be.
type Result struct {
	Message string
	// Created are the ids of new memories. A dry run has none; CreatedCount has their
	// number in any case.
	Created      []string
	CreatedCount int
	Archived     []string // ids of the memories that went into others
	Skipped      int      // memories that were looked at and not merged
	Clusters     int      // groups found
	Offered      int      // groups about which a person is asked
	Refused      int
	Duration     time.Duration
	Lines        []string // one for each step
}

// ResultOf returns the result of a run with its steps. now is the end of a run that has
// not ended.
func ResultOf(run memory.Run, items []memory.RunItem, now time.Time) Result {
	r := Result{Created: []string{}, Archived: []string{}, Clusters: len(items)}
	var report struct {
		Clusters int `json:"clusters_found"`
	}
	if len(run.Report) > 0 && json.Unmarshal(run.Report, &report) == nil && report.Clusters > 0 {
		r.Clusters = report.Clusters
	}
	planned := 0
	for i := range items {
		item := &items[i]
		switch item.State {
		case memory.ItemPlanned:
			planned++
		case memory.ItemOffered:
			r.Offered++
		case memory.ItemRefused:
			r.Refused++
		case memory.ItemApplied, memory.ItemPreviewed:
			if item.Action == memory.ActionOffer {
				r.Offered++
				break
			}
			made := Made(item)
			r.CreatedCount += made
			if item.State == memory.ItemApplied && item.MemoryID != "" {
				r.Created = append(r.Created, item.MemoryID)
			}
			r.Archived = append(r.Archived, item.Sources...)
		}
		r.Lines = append(r.Lines, line(item))
	}
	r.Skipped = max(run.Examined-len(r.Archived), 0)
	if end := run.EndedAt; !run.StartedAt.IsZero() {
		if end.IsZero() {
			end = now
		}
		r.Duration = end.Sub(run.StartedAt)
	}
	r.Message = message(run, r, planned)
	return r
}

// Made returns how many memories a step made, or would.
func Made(item *memory.RunItem) int {
	switch item.Action {
	case memory.ActionMerge:
		return 1
	case memory.ActionWeekly:
		var d struct {
			Created int `json:"created_count"`
		}
		if json.Unmarshal(item.Detail, &d) == nil {
			return d.Created
		}
	}
	return 0
}

// message returns one or two sentences about a run.
func message(run memory.Run, r Result, planned int) string {
	merged := fmt.Sprintf("%d memories into %d", len(r.Archived), r.CreatedCount)
	switch {
	case run.State == memory.RunRequested:
		return "The run is asked for and has not begun."
	case run.State == memory.RunRunning:
		return fmt.Sprintf("The run is under way: %d of %d groups are done.", r.steps()-planned, r.steps())
	case run.State == memory.RunFailed:
		return "The run changed nothing: " + run.Reason + "."
	case run.State == memory.RunUndone:
		return "The run was undone."
	case r.CreatedCount == 0 && r.Offered == 0 && r.Refused == 0:
		return ended(run, "Nothing to merge")
	case run.Options.DryRun:
		return ended(run, "It would merge "+merged+asked(r.Offered, ", and ask a person about %d more groups"))
	}
	return ended(run, "It merged "+merged+asked(r.Offered, ", and asks a person about %d more groups"))
}

func asked(n int, text string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(text, n)
}

// ended adds why a run is partial.
func ended(run memory.Run, said string) string {
	if run.State == memory.RunPartial && run.Reason != "" {
		return said + ". " + run.Reason + "."
	}
	return said + "."
}

func (r Result) steps() int { return len(r.Lines) }

// line returns a step in words.
func line(item *memory.RunItem) string {
	sources := strings.Join(item.Sources, ", ")
	reason := ""
	if item.Reason != "" {
		reason = ": " + item.Reason
	}
	if item.Action == memory.ActionWeekly && len(item.Sources) == 0 {
		return fmt.Sprintf("%d. %s%s", item.N, item.State, reason)
	}
	switch {
	case item.State == memory.ItemApplied && item.MemoryID != "":
		return fmt.Sprintf("%d. merged %s into %s", item.N, sources, item.MemoryID)
	case item.State == memory.ItemPreviewed && item.Action == memory.ActionOffer:
		return fmt.Sprintf("%d. would ask a person about %s", item.N, sources)
	case item.State == memory.ItemPreviewed:
		return fmt.Sprintf("%d. would merge %s", item.N, sources)
	case item.State == memory.ItemOffered:
		return fmt.Sprintf("%d. a person is asked about %s (%s)", item.N, sources, item.ProposalID)
	}
	return fmt.Sprintf("%d. %s: %s%s", item.N, item.State, sources, reason)
}
