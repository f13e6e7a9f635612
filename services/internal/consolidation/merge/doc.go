// Package merge writes the one text that stands for several memories, and proves
// that nothing in it is invented or altered.
//
// [Merge] asks a model when there is one and otherwise joins the sources' own
// sentences ([Concatenate]). The same gate then reads the text, whatever wrote it
// (D12): a sentence that brings a number, path, URL or name which no source has is
// dropped, and so is one that turns a negation, an obligation or a direction round.
// A detail of a source that the text lacks is asked for once, then appended word for
// word under "Details kept" while the text stays within its share of the sources'
// length. What is still missing stays in the archived source, which search follows
// to its successor.
//
// Sources that contradict each other, or are about different things, are refused
// ([Refusal]): they stay as they are, and a person is asked.
//
// All functions but the caller's [Ask] are pure and safe for concurrent use.
package merge
