// Package consult decides whether a model is asked, what it is shown and what
// that may cost.
//
// A question is redacted once more, whatever was done before. It is noted in the
// store before it is asked, and its answer is kept, redacted, before anybody uses
// it: a worker that dies in between asks again under the same key, which counts
// once, or finds the answer and does not ask at all. A tenant's tokens have a
// daily limit. A server that fails again and again is left alone for a while, and
// meanwhile every question gets its last error at once.
//
// What the answer is worth is not decided here.
package consult
