// Package cluster groups memories that say nearly the same, so that one text may
// replace them.
//
// A consolidation merges every member of a group into one text. So every two members of
// a group must be similar, and groups must not change when the input is shuffled. The
// predecessors' greedy algorithm has neither property (agreement on shuffled input 0.35
// to 0.98), and connected components chain opposite statements together (down to a
// cosine of -0.25). Complete link over the pairs above the threshold has both (D14),
// and needs only those pairs.
//
// Everything is exact. Vectors are compared in float32; a cosine within 1e-4 of a
// threshold, and every similarity that orders a merge, is computed in float64 from the
// vectors given, so that every processor finds the same groups.
//
// The caller decides which memories may be compared: never two tenants, scopes, kinds,
// or outcomes (D13).
package cluster
