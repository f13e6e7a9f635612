// Package consult calls language models for the workers, with redaction, stored
// answers, a token budget and a circuit breaker.
//
// A question is redacted again, also where it was redacted before. It is recorded in
// the store before the call, and its answer is stored, redacted, before use: a worker
// that dies in between either asks again under the same key, which counts once, or
// finds the stored answer. A tenant's tokens have a daily limit. After repeated
// failures a circuit breaker stops calls to the server for a while, and meanwhile every
// question gets the last error at once.
//
// Judging the answer is the caller's part.
package consult
