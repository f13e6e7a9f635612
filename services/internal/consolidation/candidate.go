package consolidation

import (
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Candidate is a memory that may be consolidated.
type Candidate struct {
	memory.Memory
	// Vector is the embedding of [embed.Text], of one model for all candidates and of
	// any length but zero; nil for none.
	Vector []float32
	Usage  int // how often it was served, 0 or more
	// Sources are the ids of what a consolidated memory was made of.
	Sources []string
}

// Tags that Winnow alone sets.
const (
	// TagConsolidated marks a memory that was made of others (S0.46).
	TagConsolidated = memory.TagConsolidated
	// TagSuperseded is shown on the sources. It follows from their state and is not
	// stored.
	TagSuperseded = memory.TagSuperseded
)

// Names of the algorithms that form groups.
const (
	ClusteringComplete = ""       // complete link: every pair of a group is similar (D14)
	ClusteringGreedy   = "greedy" // the predecessors' algorithm (S0.55, S4.41)
)

// Offered is a group that was offered to a person before.
type Offered struct {
	Members []string // memory ids
	// Declined reports that a person said no; otherwise the offer is still open.
	Declined bool
}

// Config sets what is similar and how much one plan may contain.
type Config struct {
	// Threshold is the cosine above which two memories are similar, strictly (D1).
	Threshold float64
	// Given reports that a caller chose Threshold. It is then used as given and the
	// engine acts on it (D2), under the same guards.
	Given bool
	// Duplicate is the calibrated cosine above which two memories say the same.
	Duplicate float64
	// Sure reports that the stored calibration of the model allows acting on Duplicate.
	// Otherwise the vectors only suggest, and the engine acts on words alone.
	Sure bool
	// WordsAlone reports that no embedding model is configured: memories are compared
	// by their words, and one without a vector takes part.
	WordsAlone bool

	MinCluster  int // fewest memories of a group, 2 or more (S0.57)
	MaxClusters int // most groups of a plan; 0 for no limit (S4.63)
	MaxMemories int // most memories examined, the newest; 0 for no limit (S0.53)
	MaxMembers  int // most texts of a group, copies not counted (D14)
	// MaxAge is the greatest age of an examined memory; 0 for no limit. Now is the time
	// from which it is counted.
	MaxAge time.Duration
	Now    time.Time

	Clustering string // ClusteringComplete or ClusteringGreedy
	// Themes asks for groups that are offered to a person.
	Themes bool
	// Offered are the groups offered before, so that no question is asked twice.
	Offered []Offered
	// Undone are the sources of merges that a person undid. The engine never puts two of
	// one such set into a group again.
	Undone [][]string
}

// DefaultConfig returns the configuration for the calibrated points of a model.
func DefaultConfig(cluster, duplicate float64, sure bool) Config {
	return Config{Threshold: cluster, Duplicate: duplicate, Sure: sure, MinCluster: 2, MaxMembers: 20, Themes: true}
}

// Validate reports every value that cannot be used.
func (c Config) Validate() error {
	var errs []error
	if !(c.Threshold >= -1 && c.Threshold < 1) {
		errs = append(errs, fmt.Errorf("similarity_threshold is %v, want -1 to below 1", c.Threshold))
	}
	if c.MinCluster < 2 {
		errs = append(errs, fmt.Errorf("min_cluster_size is %d, want 2 or more", c.MinCluster))
	}
	if c.MaxMembers < c.MinCluster {
		errs = append(errs, fmt.Errorf("a group of at most %d texts cannot have %d; raise the limit or lower min_cluster_size", c.MaxMembers, c.MinCluster))
	}
	if c.MaxClusters < 0 || c.MaxMemories < 0 || c.MaxAge < 0 {
		errs = append(errs, errors.New("max_clusters, max_memories and max_age are 0 or more; 0 is no limit"))
	}
	if c.MaxAge > 0 && c.Now.IsZero() {
		errs = append(errs, errors.New("max_age is counted from now, which is not given"))
	}
	if c.Clustering != ClusteringComplete && c.Clustering != ClusteringGreedy {
		errs = append(errs, fmt.Errorf("clustering %q: want %q or empty for complete link", c.Clustering, ClusteringGreedy))
	}
	return errors.Join(errs...)
}
