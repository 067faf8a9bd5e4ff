; SPDX-License-Identifier: Apache-2.0
; Shoulder tap, a node with another one behind it: on the order s it taps the
; next one so that its message follows this node's without a gap, where
; possible, and sends its own.
;
; With L words of its own, tapped in cycle t:
;   the order onward, in cycle t, is max(1, L + max(0, s-2));
;   the own first flit stands in the injection register in cycle t + max(1, s-1),
;   so that the node towards the root sees it in t + max(2, s).
;
; Memory: the parameters, the block.

; parameters
.equ ROOT, 0
.equ SELF, 1         ; this node, the message's tag
.equ NEXT, 2         ; the node behind, away from the root; and the order's tag
.equ ADDRESS, 3      ; of the own block
.equ WORDS, 4        ; in the own block
.equ PARAMETERS, 5

	ld    r2, [r0+NEXT]
	ld    r3, [r0+WORDS]
	li    r4, 1
	recvw r5, r6          ; r5 = s
	now   r7              ; r7 = t
	addi  r8, r5, -2
	max   r8, r8, r0
	add   r8, r8, r3
	max   r8, r8, r4
	sendw order, r2, r8, r2

	addi  r5, r5, -1
	max   r5, r5, r4
	add   r7, r7, r5
	wait  r7
	ld    r8, [r0+ROOT]
	ld    r9, [r0+SELF]
	ld    r10, [r0+ADDRESS]
	send  r8, r10, r3, r9
	halt
