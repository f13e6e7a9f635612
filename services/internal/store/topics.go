package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Topics reads what memories are about. A topic belongs to a scope: two projects
// have a topic "auth" each. Memories have a topic by their topics or their macro
// topics; summaries are never counted (S2.18).
type Topics interface {
	// TopicCounts counts the active memories of each topic, in one query. A topic
	// without any is not in the result.
	TopicCounts(ctx context.Context, tenant memory.Tenant, topics ...Topic) (map[Topic]int, error)
	// TopicMembers lists the active memories of a topic, oldest first.
	TopicMembers(ctx context.Context, tenant memory.Tenant, q TopicQuery) ([]memory.Memory, error)
	// TopicList lists the topics of scopes with their counts, the largest first, ties
	// by scope and topic.
	TopicList(ctx context.Context, tenant memory.Tenant, q TopicListQuery) ([]TopicStatus, error)
	// Summaries lists topic summaries, newest first, the active and the archived ones.
	Summaries(ctx context.Context, tenant memory.Tenant, q SummaryQuery) ([]memory.Memory, error)
}

// Topic names a topic of a scope.
type Topic struct {
	Scope memory.Scope
	Name  string // normalised
}

// TopicQuery selects the memories of a topic.
type TopicQuery struct {
	Scopes []memory.Scope // empty selects every scope of the tenant
	Name   string         // normalised; required
	Limit  int            // required
}

// TopicListQuery selects topics; zero fields do not restrict.
type TopicListQuery struct {
	Scopes []memory.Scope
	Name   string
	Least  int // memories that a topic must have
	Limit  int // default 100
}

// TopicStatus is one line of a list of topics.
type TopicStatus struct {
	Topic
	Memories int       // active ones
	Sessions int       // distinct sessions that brought them
	Newest   time.Time // when the newest was recorded
	// Of the topic's active summary; empty without one.
	SummaryID    string
	SummaryCount int
	SummaryAt    time.Time // zero without a footer
}

// SummaryQuery selects topic summaries; zero fields do not restrict.
type SummaryQuery struct {
	Scopes []memory.Scope
	Topic  string // normalised
	State  memory.State
	Limit  int // default 100
}

// ResearchLog records what callers searched for and were given in full, so that a
// topic summary can be held to its protocol (D17). A caller is a principal in a
// session; the empty session is one too. The log is bounded by [Retention].
//
// It stands beside [ServedLog], which is by session and memory alone: that log knows
// no call without a session, keeps the first time only, and counts a memory of which
// one line was shown.
type ResearchLog interface {
	// RecordResearch adds searches and readings of callers, all or none. Of a memory that
	// was read before, the later time is kept.
	RecordResearch(ctx context.Context, tenant memory.Tenant, list ...Research) error
	// Research returns what a caller searched and read since a time (inclusive): its
	// deep searches, newest first, and its readings, by memory.
	Research(ctx context.Context, tenant memory.Tenant, principal, session string, since time.Time) (Research, error)
	// ResearchLines returns what callers of the tenant searched for and were given in
	// full, the newest first.
	ResearchLines(ctx context.Context, tenant memory.Tenant, q ResearchQuery) ([]ResearchLine, error)
}

// ResearchQuery restricts what [ResearchLog.ResearchLines] returns. Empty fields restrict
// nothing; Limit is 100 by default.
type ResearchQuery struct {
	Principal, Session string
	Since              time.Time // inclusive
	Limit              int
}

// ResearchLine is one search, or one memory that was given in full.
type ResearchLine struct {
	At                 time.Time
	Principal, Session string
	Search             *Searched    // nil for a reading
	MemoryID           string       // of a reading
	Scope              memory.Scope // of the memory; empty for a search and an erased memory
}

// Research is what one caller searched for and read.
type Research struct {
	Principal, Session string
	Searches           []Searched
	Read               []Reading
}

// Searched is one search.
type Searched struct {
	Deep  bool
	Topic string   // that it was restricted to, normalised; may be empty
	Words []string // of its question, normalised and without secrets
	Found int      // memories in the answer
	At    time.Time
}

// Reading is one memory that was given in full.
type Reading struct {
	MemoryID string
	At       time.Time
}
