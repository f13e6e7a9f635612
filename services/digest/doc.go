// Package digest is the worker that asks people: once a week it sends each reviewer the
// questions that only a person can decide, and carries out the replies.
//
// The schedule and the clock decide when a digest is due. Every replica computes it,
// and the first to commit the slot emits the due event, so that each digest is made
// once, late where no replica ran in time. Its text and the meaning of a reply are in
// services/internal/review/page; what an answer changes is in services/internal/review.
package digest
