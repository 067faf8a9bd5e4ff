; SPDX-License-Identifier: Apache-2.0
; Transmission certification over all links at once, the root: it passes the
; token to all children, and answers a certificate (lag c, flits n) at once with
; the order c, since each child's stream comes over a link of its own. Then it
; takes messages, in whatever order they come, until it has all flits that were
; certified.
; Memory: the parameters, the blocks of all nodes.

; parameters
.equ CHILDREN, 0     ; how many
.equ CHILD_LIST, 1   ; address of their numbers
.equ PLACES, 2       ; address of a table by node: where its block goes
.equ PARAMETERS, 3

	ld    r1, [r0+CHILDREN]
	ld    r2, [r0+CHILD_LIST]
wake:	beq   r1, r0, collect
	ld    r3, [r2]
	sendw token, r3, r0, r3
	addi  r2, r2, 1
	addi  r1, r1, -1
	jmp   wake

collect: ld   r1, [r0+CHILDREN]
	li    r2, 0              ; all flits
next:	beq   r1, r0, take
	addi  r1, r1, -1
	recvw r3, r4, r5         ; c, child, n
	beq   r5, r0, next
	add   r2, r2, r5
	sendw order, r4, r3, r4
	jmp   next

take:	ld    r1, [r0+PLACES]
more:	beq   r2, r0, done
	probe r3, r4             ; words, source
	add   r5, r1, r4
	ld    r5, [r5]
	recv  r3, r4, r5
	sub   r2, r2, r3
	jmp   more
done:	halt
