// Package topic decides about topics and their summaries: what a memory is about,
// whether a summary may be stored, and whether a stored one is still current.
//
// A summary stands at the top of every search for its topic. A wrong one is believed
// and built upon, so the bar is high (S2.27): the topic must have ten memories, the
// text 200 tokens, the author must have searched deeply and read twenty memories in
// full (D17), and the text may state nothing that no memory of the topic states and
// nothing that one of them contradicts. These checks bound the damage. They cannot
// prove that a summary is good.
//
// All functions are pure and safe for concurrent use. Who reads the rows and commits
// the result is the caller's.
package topic
