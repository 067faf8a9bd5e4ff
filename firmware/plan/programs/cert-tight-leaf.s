; SPDX-License-Identifier: Apache-2.0
; Transmission certification without waiting, a node without children: HOLD
; cycles after the token it answers with its certificate, lag 1 and its own
; length; without words it is done then. The order s of cycle t it answers with
; its message, whose first flit stands in the injection register in cycle
; t + s - 1, so that the parent sees it in t + s.
; Memory: the parameters, the block.

; parameters
.equ ROOT, 0
.equ PARENT, 1
.equ SELF, 2         ; this node, the message's tag
.equ ADDRESS, 3      ; of the block
.equ WORDS, 4        ; in the block
.equ HOLD, 5         ; cycles from token to certificate
.equ PARAMETERS, 6

	ld    r1, [r0+PARENT]
	ld    r2, [r0+WORDS]
	li    r3, 1
	recvw r4, r5          ; the token
	now   r4
	ld    r5, [r0+HOLD]
	add   r4, r4, r5
	wait  r4
	sendw certificate, r1, r3, r2
	beq   r2, r0, done

	recvw r4, r5          ; s
	now   r6              ; t
	add   r6, r6, r4
	addi  r6, r6, -1
	wait  r6
	ld    r7, [r0+ROOT]
	ld    r8, [r0+ADDRESS]
	ld    r9, [r0+SELF]
	send  r7, r8, r2, r9
done:	halt
