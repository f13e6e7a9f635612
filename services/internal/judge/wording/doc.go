// Package wording decides what can be read from a text alone: its dates, names
// and details, whether it obliges, prefers, orders or announces, and what it
// says that changed.
//
// [Analyzer.Text] takes a text apart once, [Extract] reads the [Features] that
// the rules of package judge may know. Nothing here looks at another text or at
// what is stored. The lists of words, English and German, are data in
// detectors.go and beside the functions that read them, so that people can see
// and extend what is known.
package wording
