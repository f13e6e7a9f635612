// Package topics carries out what a person asks about topics: which ones there are,
// which summary is due, and to store, draft or put back one. The decisions are those
// of [review.Decider] and of package consolidation/topic, the same as for an agent;
// a person is not held to the research protocol.
package topics
