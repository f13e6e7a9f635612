package consolidation

import (
	"cmp"
	"slices"
)

// Mode says who acts on a group.
type Mode string

// The modes.
const (
	ModeMerge Mode = "merge" // the engine merges
	ModeTheme Mode = "theme" // a person is asked
)

// Group is memories that belong together.
type Group struct {
	// Members are the ids of the texts, sorted; at most Config.MaxMembers.
	Members []string `json:"members"`
	// Copies are the ids of memories that repeat a member, sorted. Who writes the merged
	// text need not read them; they are archived with the members.
	Copies []string `json:"copies,omitempty"`
	Mode   Mode     `json:"mode"`
	// Average and Minimum are those of the similarity of all pairs of members, as the
	// plan compared them: cosines, or the similarity of words where there is no model.
	// Both are 1 for a text with its copies.
	Average float64 `json:"average_similarity"`
	Minimum float64 `json:"min_similarity"`
	// Why says in words why these belong together.
	Why string `json:"why"`
}

// Sources returns the ids of members and copies, sorted.
func (g Group) Sources() []string {
	all := slices.Concat(g.Members, g.Copies)
	slices.Sort(all)
	return all
}

// Reason is why two similar memories are kept apart.
type Reason string

// The reasons.
const (
	ApartConflict Reason = "conflict" // one contradicts the other
	ApartSubject  Reason = "subject"  // the same statement about another thing
	ApartUndone   Reason = "undone"   // a person took their merge back
)

// Apart is a pair of similar memories that must not be merged.
type Apart struct {
	A           string   `json:"a"` // the smaller id
	B           string   `json:"b"`
	Similarity  float64  `json:"similarity"`
	Why         Reason   `json:"why"`
	Differences []string `json:"differences,omitempty"` // in words, A → B; for conflicts
}

// Plan is what a run will do with a scope.
type Plan struct {
	Groups []Group // those to merge first, then by their first member
	// Examined counts the memories that were compared, WithoutVector those skipped
	// because they have no embedding (S0.54), Truncated the older ones beyond
	// Config.MaxMemories (S0.53).
	Examined, WithoutVector, Truncated int
	// Unsure counts the groups that an unsure calibration turned from a merge into an
	// offer.
	Unsure int
	// Waiting counts the groups that Config.MaxClusters left for the next run.
	Waiting int
	// Apart lists pairs kept apart, the most similar first, at most [MaxApart];
	// ApartTotal counts them all.
	Apart      []Apart
	ApartTotal int
	Threshold  float64 // in effect
}

// MaxApart bounds the pairs that a plan lists.
const MaxApart = 100

func compareGroups(a, b Group) int {
	if a.Mode != b.Mode {
		if a.Mode == ModeMerge {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.Members[0], b.Members[0])
}
