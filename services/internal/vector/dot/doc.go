// Package dot is the inner product of float32 vectors, as fast as memory
// delivers them: eight values at a time where the processor has AVX2 and FMA,
// plain Go everywhere else.
//
// Both ways round differently in the last bits, and that is all they may differ
// in. Whoever decides something by a threshold computes the few products near it
// again in float64.
//
// [Coarse] is the product of the same vectors in whole numbers, for whoever only
// wants to know which rows are worth an exact look.
package dot
