// Package wording extracts what a text alone tells: its dates, names and details;
// whether it obliges, prefers, orders or announces; and which changes it states.
//
// [Analyzer.Text] analyses a text once, and [Extract] reads the [Features] that the
// rules of package judge may use. No other text and no stored row is read. The lists
// of words, English and German, are data in detectors.go and beside the functions
// that read them, so that people can read and extend them.
package wording
