// Package norm tells whether a sentence without a word of obligation obliges, advises
// or plans all the same: "fixtures live next to the test", "a release without NEWS is
// no release", "in June the old sync gets switched off".
//
// A sentence is parsed a little ([parse]: what opens it, its subject, its finite verb)
// and [signs] are looked for: whom or what it is about (everything of a kind that a
// team makes, or one thing), what its verb does (places and names, or happens), who
// speaks (us, a vendor, a standard), and when. Each sign has a weight, and their sum
// decides. The weights were fitted once (see the ADR on it) and are constants: the same
// text is read alike everywhere.
//
// Words that oblige by themselves ("must", "never") are read in package wording.
// Functions are pure and safe for concurrent use.
package norm
