// Package language decides in which language a text is written: English, German,
// or open where the words do not tell.
//
// It is the only such decision of the house. Comparison, wording, search and
// merging read the answer here, so that a text is not German for one of them and
// English for another. The decision counts function words, which are so common that
// one sentence suffices and which no topic changes. A word of both languages ("am",
// "was", "will") counts for both and so decides nothing.
//
// The closed word classes of both languages are here too ([Determiners], [Prepositions]
// and the rest), so that a word that one rule learns is learned by all that read its class.
//
// Functions are pure and safe for concurrent use.
package language
