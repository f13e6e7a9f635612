#include "textflag.h"

// func eights(a, b *float32, n int) float32
//
// Four sums of eight lanes hide the latency of the fused multiply-add. The upper
// halves are cleared as soon as they are folded: scalar code after dirty upper
// halves runs many times slower on some processors.
TEXT ·eights(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

thirtytwo:
	CMPQ CX, $32
	JLT  eight
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VFMADD231PS (DI), Y4, Y0
	VFMADD231PS 32(DI), Y5, Y1
	VFMADD231PS 64(DI), Y6, Y2
	VFMADD231PS 96(DI), Y7, Y3
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, CX
	JMP  thirtytwo

eight:
	CMPQ CX, $8
	JLT  fold
	VMOVUPS (SI), Y4
	VFMADD231PS (DI), Y4, Y0
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JMP  eight

fold:
	VADDPS Y1, Y0, Y0
	VADDPS Y3, Y2, Y2
	VADDPS Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VZEROUPPER
	VADDPS X1, X0, X0
	VHADDPS X0, X0, X0
	VHADDPS X0, X0, X0
	VMOVSS X0, ret+24(FP)
	RET

// func sixteens(a *int16, b *int8, n int) int32
//
// Bytes are widened as they are read; a multiply-add of pairs makes eight sums of
// them. Four accumulators, as above.
TEXT ·sixteens(SB), NOSPLIT, $0-28
	MOVQ a+0(FP), SI
	MOVQ b+8(FP), DI
	MOVQ n+16(FP), CX
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

sixtyfour:
	CMPQ CX, $64
	JLT  sixteen
	VPMOVSXBW (DI), Y4
	VPMOVSXBW 16(DI), Y5
	VPMOVSXBW 32(DI), Y6
	VPMOVSXBW 48(DI), Y7
	VPMADDWD (SI), Y4, Y4
	VPMADDWD 32(SI), Y5, Y5
	VPMADDWD 64(SI), Y6, Y6
	VPMADDWD 96(SI), Y7, Y7
	VPADDD Y4, Y0, Y0
	VPADDD Y5, Y1, Y1
	VPADDD Y6, Y2, Y2
	VPADDD Y7, Y3, Y3
	ADDQ $128, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JMP  sixtyfour

sixteen:
	CMPQ CX, $16
	JLT  gather
	VPMOVSXBW (DI), Y4
	VPMADDWD (SI), Y4, Y4
	VPADDD Y4, Y0, Y0
	ADDQ $32, SI
	ADDQ $16, DI
	SUBQ $16, CX
	JMP  sixteen

gather:
	VPADDD Y1, Y0, Y0
	VPADDD Y3, Y2, Y2
	VPADDD Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VZEROUPPER
	VPADDD X1, X0, X0
	VPHADDD X0, X0, X0
	VPHADDD X0, X0, X0
	VMOVD X0, AX
	MOVL AX, ret+24(FP)
	RET

// func foursixteens(a *int16, b0, b1, b2, b3 *int8, n int, sums *[4]int32)
//
// As sixteens, of four rows: a is read once for all of them, and their sums are folded
// together.
TEXT ·foursixteens(SB), NOSPLIT, $0-56
	MOVQ a+0(FP), SI
	MOVQ b0+8(FP), R8
	MOVQ b1+16(FP), R9
	MOVQ b2+24(FP), R10
	MOVQ b3+32(FP), R11
	MOVQ n+40(FP), CX
	MOVQ sums+48(FP), DI
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	XORQ AX, AX

next:
	CMPQ AX, CX
	JGE  together
	VMOVDQU (SI)(AX*2), Y8
	VPMOVSXBW (R8)(AX*1), Y4
	VPMOVSXBW (R9)(AX*1), Y5
	VPMOVSXBW (R10)(AX*1), Y6
	VPMOVSXBW (R11)(AX*1), Y7
	VPMADDWD Y8, Y4, Y4
	VPMADDWD Y8, Y5, Y5
	VPMADDWD Y8, Y6, Y6
	VPMADDWD Y8, Y7, Y7
	VPADDD Y4, Y0, Y0
	VPADDD Y5, Y1, Y1
	VPADDD Y6, Y2, Y2
	VPADDD Y7, Y3, Y3
	ADDQ $16, AX
	JMP  next

together:
	VPHADDD Y1, Y0, Y0
	VPHADDD Y3, Y2, Y2
	VPHADDD Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VZEROUPPER
	VPADDD X1, X0, X0
	VMOVDQU X0, (DI)
	RET

// func fetch(p *byte)
//
// Four lines: what follows them, the processor fetches itself once a row is read in order.
TEXT ·fetch(SB), NOSPLIT, $0-8
	MOVQ p+0(FP), SI
	PREFETCHT0 (SI)
	PREFETCHT0 64(SI)
	PREFETCHT0 128(SI)
	PREFETCHT0 192(SI)
	RET
