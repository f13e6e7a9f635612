// Package static is the embedder that every installation has: a table of one
// vector a token, in the binary, in pure Go (SPEC §9).
//
// A text is cut into tokens as its teacher's tokenizer cuts it (BERT's basic
// split and WordPiece); its vector is the direction of the sum of their rows. A
// row's length is the token's weight: "the" is short, "postgres" is long. There
// is no context in such a vector, so word order and negation are invisible to
// it. It knows that a puppy is a dog, not that "not" turns a sentence round,
// and is therefore always used together with the words themselves.
//
// The table is derived from sentence-transformers/all-MiniLM-L6-v2 (Apache
// License 2.0; see NOTICE in this folder) by tools/distill, whose README has
// the measurements it was chosen by. The language of the teacher is English;
// other languages are spelt from pieces and meet only where they share words.
package static
