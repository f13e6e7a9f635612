// Package eval measures Winnow's judgement against labelled data: triage,
// drain, security, distillation, retrieval, pairs and clusters, one suite per
// file, with its data format and its score in files of the same first name.
//
// It defines how a suite is scored, what its 95 % interval is, and when a report is
// worse than a baseline. It runs the pure rules in memory, without a store, so the same
// data gives the same report on every machine.
package eval
