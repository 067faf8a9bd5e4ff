; SPDX-License-Identifier: Apache-2.0
; Shoulder tap, the last node of an arm: it has no one to tap. On the order s,
; in cycle t, its first flit stands in the injection register in cycle
; t + max(1, s) - 1, so that the node towards the root sees it in t + max(1, s).
; Memory: the parameters, the block.

; parameters
.equ ROOT, 0
.equ SELF, 1         ; this node, the message's tag
.equ ADDRESS, 2      ; of the block
.equ WORDS, 3        ; in the block
.equ PARAMETERS, 4

	ld    r1, [r0+ROOT]
	ld    r2, [r0+SELF]
	ld    r3, [r0+ADDRESS]
	ld    r4, [r0+WORDS]
	li    r5, 1
	recvw r6, r7          ; r6 = s
	now   r8              ; r8 = t
	max   r6, r6, r5
	add   r8, r8, r6
	addi  r8, r8, -1
	wait  r8
	send  r1, r3, r4, r2
	halt
