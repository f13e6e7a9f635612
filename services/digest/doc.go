// Package digest is the worker that asks people: once a week it puts before each
// reviewer what only they can decide, and carries out what they answer.
//
// When a digest is due follows from the schedule and the clock; every replica
// computes it and the first to write the slot down tells that it is due, so that
// it is made once, late if nobody was there in time. What it says and what a
// reply means are package services/internal/review/page; what an answer changes is
// services/internal/review.
package digest
