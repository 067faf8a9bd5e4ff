; SPDX-License-Identifier: Apache-2.0
; Transmission certification, a node with children: it passes the token to one
; child after the other, each time waiting for the certificate (lag c, flits n)
; of the child's subtree, and answers with its own; on the order it makes those
; of its children.
;
; With L words of its own, d children, their certificates sorted by lag:
;   n = L + sum n_j
;   c = d+1 + max(0, c_1 - L) + sum over j >= 2 of max(0, c_j - c_{j-1} - n_{j-1})
; On the order s in cycle t:
;   child j's order leaves in cycle t+j-1 and is s + L + n_1 + .. + n_{j-1} - 1 - j;
;   the own first flit stands in the injection register in cycle t + s - 1.
;
; Memory: the parameters, the block, a list of the certificates sorted by lag
; (scratch): its head and an entry a child.

; parameters
.equ ROOT, 0
.equ PARENT, 1
.equ SELF, 2         ; this node, the message's tag
.equ ADDRESS, 3      ; of the block
.equ WORDS, 4        ; in the block
.equ CHILDREN, 5     ; how many
.equ CHILD_LIST, 6   ; address of their numbers
.equ SORTED, 7       ; address of the list's head
.equ PARAMETERS, 8
; an entry of the sorted list; the head is one too, with lag 0
.equ NEXT, 0         ; address of the next entry, 0: none
.equ LAG, 1
.equ FLITS, 2
.equ NODE, 3
.equ ENTRY, 4
.equ HEAD, 4         ; words before the first entry

	recvw r1, r2             ; the token
	ld    r1, [r0+CHILDREN]
	ld    r2, [r0+CHILD_LIST]
	ld    r3, [r0+SORTED]
	mov   r4, r3             ; last entry
	addi  r5, r3, HEAD       ; the next one's place
ask:	beq   r1, r0, certify
	ld    r6, [r2]
	sendw token, r6, r0, r6
	recvw r7, r8, r9         ; c, child, n
	st    [r5+LAG], r7
	st    [r5+FLITS], r9
	st    [r5+NODE], r8
.include "passages/insertion.s" ; the entry r5 into the list r3
	addi  r2, r2, 1
	addi  r1, r1, -1
	jmp   ask

certify: ld   r1, [r0+WORDS]
	mov   r2, r1             ; n
	ld    r4, [r0+CHILDREN]
	addi  r4, r4, 1          ; c
	mov   r5, r1             ; the lag up to which nothing need be added
	mov   r6, r3
sum:	ld    r6, [r6+NEXT]
	beq   r6, r0, answer
	ld    r7, [r6+LAG]
	ld    r8, [r6+FLITS]
	sub   r9, r7, r5
	max   r9, r9, r0
	add   r4, r4, r9
	add   r5, r7, r8
	add   r2, r2, r8
	jmp   sum
answer:	ld    r5, [r0+PARENT]
	sendw certificate, r5, r4, r2

	recvw r4, r5             ; s
	now   r6                 ; t
	add   r7, r4, r1
	addi  r7, r7, -2         ; the first child's order
	mov   r8, r6             ; and its cycle
pass:	ld    r3, [r3+NEXT]
	beq   r3, r0, own
	ld    r9, [r3+NODE]
	wait  r8
	sendw order, r9, r7, r9
	ld    r9, [r3+FLITS]
	add   r7, r7, r9
	addi  r7, r7, -1
	addi  r8, r8, 1
	jmp   pass

own:	add   r6, r6, r4
	addi  r6, r6, -1
	wait  r6
	ld    r7, [r0+ROOT]
	ld    r8, [r0+ADDRESS]
	ld    r9, [r0+SELF]
	send  r7, r8, r1, r9
	halt
