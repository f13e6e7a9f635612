// Package dot computes the inner product of float32 vectors at the speed of memory:
// eight values at a time where the processor has AVX2 and FMA, plain Go everywhere
// else.
//
// Both implementations may differ in the rounding of the last bits only. A caller that
// compares with a threshold computes the few products near it again in float64.
//
// [Coarse] is the product of the same vectors in whole numbers, to decide which rows
// are worth an exact product.
package dot
