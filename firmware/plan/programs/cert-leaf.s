; SPDX-License-Identifier: Apache-2.0
; Transmission certification, a node without children: it answers the token in
; the same cycle with its certificate, lag 1 and its own length, and the order s
; of cycle t with its message, whose first flit stands in the injection register
; in cycle t + s - 1, so that the parent sees it in t + s.
; Memory: the parameters, the block.

; parameters
.equ ROOT, 0
.equ PARENT, 1
.equ SELF, 2         ; this node, the message's tag
.equ ADDRESS, 3      ; of the block
.equ WORDS, 4        ; in the block
.equ PARAMETERS, 5

	ld    r1, [r0+PARENT]
	ld    r2, [r0+WORDS]
	li    r3, 1
	recvw r4, r5          ; the token
	sendw certificate, r1, r3, r2

	recvw r4, r5          ; s
	now   r6              ; t
	add   r6, r6, r4
	addi  r6, r6, -1
	wait  r6
	ld    r7, [r0+ROOT]
	ld    r8, [r0+ADDRESS]
	ld    r9, [r0+SELF]
	send  r7, r8, r2, r9
	halt
