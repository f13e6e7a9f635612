// Package static is the embedder of every installation: a table with one vector for
// each token, in the binary, in pure Go (SPEC §9).
//
// A text is split into tokens as the teacher's tokenizer does it (BERT's basic split
// and WordPiece); its vector is the direction of the sum of their rows. A row's length
// is the token's weight: "the" is short, "postgres" is long. There is no context in
// such a vector, so word order and negation are invisible: it knows that a puppy is a
// dog, not that "not" reverses a sentence. It is therefore always used together with
// the words themselves.
//
// The table is derived from sentence-transformers/all-MiniLM-L6-v2 (Apache License 2.0;
// see NOTICE in this folder) by tools/distill, whose README has the measurements behind
// the choice. The teacher's language is English; words of other languages are spelt
// from pieces and match only where they share words.
package static
