// Package eval measures Winnow's judgement against labelled data: triage,
// drain, security, distillation, retrieval, pairs and clusters, one suite per
// file, with its data format and its score in files of the same first name.
//
// It decides how a suite is scored, what its 95 % interval is, and when a report
// is worse than a baseline. It runs the pure rules in memory and knows no store,
// so the same data gives the same report everywhere.
package eval
