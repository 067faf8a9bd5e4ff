; SPDX-License-Identifier: Apache-2.0
; Transmission certification over all links at once, a node with children: it
; passes the token to all of them, collects their certificates (lag c, flits n)
; and answers in the cycle of the last one with its own; on the order it makes
; those of its children and sends all at once. A subtree without flits gets none.
;
; With L words of its own, the children with flits sorted by lag, and F_k =
; L + n_1 + .. + n_{k-1} the flits before child k's part:
;   n = L + sum n_k,  c = max(1, max over k of c_k + 2 - F_k)
; On the order s in cycle t:
;   child k's order leaves in cycle t and is s + F_k - 2;
;   the own first flit stands in the injection register in cycle t + s - 1.
;
; Memory: the parameters, the block; scratch: the table of runs, the head of the
; list that is merged, an entry a child.

; parameters
.equ ROOT, 0
.equ PARENT, 1
.equ SELF, 2         ; this node, the message's tag
.equ ADDRESS, 3      ; of the block
.equ WORDS, 4        ; in the block
.equ CHILDREN, 5     ; how many
.equ CHILD_LIST, 6   ; address of their numbers
.equ SORTED, 7       ; address of the table of runs
.equ PARAMETERS, 8

	recvw r1, r2             ; the token
	ld    r2, [r0+CHILDREN]
	ld    r3, [r0+CHILD_LIST]
wake:	beq   r2, r0, collect
	ld    r4, [r3]
	sendw token, r4, r0, r4
	addi  r3, r3, 1
	addi  r2, r2, -1
	jmp   wake

collect: .include "passages/merge-sort.s" ; those with flits: the list r6

	ld    r1, [r0+WORDS]     ; all are in r6
	mov   r2, r1             ; F_k, n in the end
	li    r4, 1              ; c in the end
	mov   r3, r6
sum:	beq   r3, r0, answer
	ld    r7, [r3+LAG]
	addi  r7, r7, 2
	sub   r7, r7, r2
	max   r4, r4, r7
	ld    r8, [r3+FLITS]
	add   r2, r2, r8
	ld    r3, [r3+NEXT]
	jmp   sum
answer:	ld    r5, [r0+PARENT]
	sendw certificate, r5, r4, r2
	beq   r2, r0, done

	recvw r4, r5             ; s
	now   r8                 ; t
	add   r7, r4, r1
	addi  r7, r7, -2         ; the first child's order
pass:	beq   r6, r0, own
	ld    r9, [r6+NODE]
	sendw order, r9, r7, r9
	ld    r9, [r6+FLITS]
	add   r7, r7, r9
	ld    r6, [r6+NEXT]
	jmp   pass

own:	add   r8, r8, r4
	addi  r8, r8, -1
	wait  r8
	ld    r7, [r0+ROOT]
	ld    r8, [r0+ADDRESS]
	ld    r9, [r0+SELF]
	send  r7, r8, r1, r9
done:	halt
