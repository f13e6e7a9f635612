package dot

import "golang.org/x/sys/cpu"

// vectorised says that the processor has the instructions of eights and sixteens.
var vectorised = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// eights is the inner product of n values, n a multiple of 8.
//
//go:noescape
func eights(a, b *float32, n int) float32

// sixteens is the inner product of n values, n a multiple of 16.
//
//go:noescape
func sixteens(a *int16, b *int8, n int) int32

// foursixteens is sixteens of one vector with each of four.
//
//go:noescape
func foursixteens(a *int16, b0, b1, b2, b3 *int8, n int, sums *[4]int32)

// fetch has the processor bring the 256 bytes from p into its cache, if it may.
//
//go:noescape
func fetch(p *byte)
