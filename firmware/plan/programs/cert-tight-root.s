; SPDX-License-Identifier: Apache-2.0
; Transmission certification without waiting, the root: it passes the token to
; its children in consecutive cycles and collects their certificates (lag c,
; flits n). In the cycle t of the last one it starts the stream, so that its first
; flit is here in cycle t + max over k of c_k + k - F_k, for the children with
; flits sorted by lag, F_k = n_1 + .. + n_{k-1}: with
;   s = max over k of c_k + k + 1 - F_k
; child k's order leaves in cycle t+k-1 and is s + F_k - 1 - k. Then it takes
; messages, in whatever order they come, until it has all flits that were
; certified.
;
; Memory: the parameters, the blocks of all nodes; scratch: the table of runs, the
; head of the list that is merged, an entry a child.

; parameters
.equ CHILDREN, 0     ; how many
.equ CHILD_LIST, 1   ; address of their numbers, in the order of the tokens
.equ PLACES, 2       ; address of a table by node: where its block goes
.equ SORTED, 3       ; address of the table of runs
.equ PARAMETERS, 4

	now   r1
	ld    r2, [r0+CHILDREN]
	ld    r3, [r0+CHILD_LIST]
wake:	beq   r2, r0, collect
	ld    r4, [r3]
	wait  r1
	sendw token, r4, r0, r4
	addi  r1, r1, 1
	addi  r3, r3, 1
	addi  r2, r2, -1
	jmp   wake

collect: .include "passages/merge-sort.s" ; those with flits: the list r6

	now   r1                 ; t; all are in r6
	li    r2, 0              ; F_k, all flits in the end
	li    r4, 1              ; k, then k+1
	li    r5, 0
	mov   r3, r6
sum:	beq   r3, r0, start
	addi  r4, r4, 1
	ld    r7, [r3+LAG]
	add   r7, r7, r4
	sub   r7, r7, r2
	max   r5, r5, r7         ; s in the end
	ld    r8, [r3+FLITS]
	add   r2, r2, r8
	ld    r3, [r3+NEXT]
	jmp   sum

start:	addi  r7, r5, -2         ; the first child's order
pass:	beq   r6, r0, take
	ld    r9, [r6+NODE]
	wait  r1
	sendw order, r9, r7, r9
	ld    r9, [r6+FLITS]
	add   r7, r7, r9
	addi  r7, r7, -1
	addi  r1, r1, 1
	ld    r6, [r6+NEXT]
	jmp   pass

take:	ld    r1, [r0+PLACES]
more:	beq   r2, r0, done
	probe r3, r4             ; words, source
	add   r5, r1, r4
	ld    r5, [r5]
	recv  r3, r4, r5
	sub   r2, r2, r3
	jmp   more
done:	halt
