; SPDX-License-Identifier: Apache-2.0
; Gather, a node with a message: sends it to the root in the cycle that the
; schedule gives it.
; Memory: the parameters, the block.

; parameters
.equ ROOT, 0
.equ SELF, 1         ; this node, the message's tag
.equ ADDRESS, 2      ; of the block
.equ WORDS, 3        ; in the block
.equ START, 4        ; cycle in which it is handed over
.equ PARAMETERS, 5

	ld   r1, [r0+ROOT]
	ld   r2, [r0+SELF]
	ld   r3, [r0+ADDRESS]
	ld   r4, [r0+WORDS]
	ld   r5, [r0+START]
	wait r5
	send r1, r3, r4, r2
	halt
