// Package cluster decides which memories say nearly the same, so that one may
// take their place.
//
// A consolidation merges every member of a group into one text. So the property
// that a group needs is that every two of its members are similar, and groups
// must not change when the input is shuffled. The seeds' greedy way gives
// neither (agreement on shuffled input 0.35 to 0.98), connected components chain
// opposite statements together (down to a cosine of -0.25). Complete link over
// the pairs above the threshold gives both (D14), and needs nothing but those
// pairs.
//
// Everything is exact. Vectors are compared in float32; what lies within 1e-4 of
// a threshold, and every similarity that orders a merge, is computed in float64
// from the vectors given, so that another processor finds the same groups.
//
// The caller decides what may be compared at all: never two tenants, scopes,
// kinds, or outcomes (D13).
package cluster
