// Package subject decides what a statement is about: the service, host, file,
// queue, job, table, flag, person, release or other named thing, told apart from
// the values that are stated of it.
//
// [Of] reads the subject of one text once, [Relate] compares two. Another subject
// makes another fact, however alike the sentences are: "checkout listens on 8080"
// and "billing listens on 8081" neither repeat nor contradict each other. Where a
// text leaves its subject open, the answer is [Unclear], and a person is asked.
//
// The subject is the part of a sentence before its finite verb, without dates,
// numbers that measure, and words that fit any sentence. Three forms put it
// elsewhere: a sentence that begins with a pronoun ("we raised the limit of X")
// is about its object, a German sentence that begins with an adverbial is about
// what follows the verb, and "of X" or "for X" behind the verb narrows the
// subject. What else follows the verb is a value: "sessions are kept in Redis" is
// about sessions.
//
// The lists of words are function words and common verbs of English and German.
// No list names things that a text may be about. Functions are pure and safe for
// concurrent use.
package subject
