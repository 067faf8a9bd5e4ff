; SPDX-License-Identifier: Apache-2.0
; Scatter, a node whose message comes in packets: takes them from the root, each
; behind the one before. Packets between two nodes do not overtake one another.
; Memory: the parameters, the block.

; parameters
.equ ROOT, 0
.equ ADDRESS, 1      ; where the block goes
.equ COUNT, 2        ; packets
.equ PARAMETERS, 3

	ld   r1, [r0+ROOT]
	ld   r2, [r0+ADDRESS]
	ld   r4, [r0+COUNT]
next:	beq  r4, r0, done
	recv r3, r1, r2
	add  r2, r2, r3
	addi r4, r4, -1
	jmp  next
done:	halt
