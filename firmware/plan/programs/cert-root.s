; SPDX-License-Identifier: Apache-2.0
; Transmission certification, the root: it passes the token to one child after
; the other, each time waiting for the certificate (lag c, flits n) of the
; child's subtree, and then acts as a node without words of its own that got, in
; the cycle t of the last certificate, the order s that is its own lag: with d
; children, their certificates sorted by lag,
;   s = d+1 + c_1 + sum over j >= 2 of max(0, c_j - c_{j-1} - n_{j-1}),
; and child j's order leaves in cycle t+j-1 and is s + n_1 + .. + n_{j-1} - 1 - j.
; Then it takes messages, in whatever order they come, until it has all flits
; that were certified.
;
; Memory: the parameters, the blocks of all nodes, a list of the certificates
; sorted by lag (scratch): its head and an entry a child.

; parameters
.equ CHILDREN, 0     ; how many
.equ CHILD_LIST, 1   ; address of their numbers
.equ PLACES, 2       ; address of a table by node: where its block goes
.equ SORTED, 3       ; address of the list's head
.equ PARAMETERS, 4
; an entry of the sorted list; the head is one too, with lag 0
.equ NEXT, 0         ; address of the next entry, 0: none
.equ LAG, 1
.equ FLITS, 2
.equ NODE, 3
.equ ENTRY, 4
.equ HEAD, 4         ; words before the first entry

	ld    r1, [r0+CHILDREN]
	ld    r2, [r0+CHILD_LIST]
	ld    r3, [r0+SORTED]
	mov   r4, r3             ; last entry
	addi  r5, r3, HEAD       ; the next one's place
	addi  r10, r1, 1         ; d+1
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

certify: now  r6                 ; t
	li    r2, 0              ; all flits
	li    r5, 0              ; the lag up to which nothing need be added
	mov   r4, r3
sum:	ld    r4, [r4+NEXT]
	beq   r4, r0, start
	ld    r7, [r4+LAG]
	ld    r8, [r4+FLITS]
	sub   r9, r7, r5
	max   r9, r9, r0
	add   r10, r10, r9       ; becomes s
	add   r5, r7, r8
	add   r2, r2, r8
	jmp   sum

start:	addi  r7, r10, -2        ; the first child's order
pass:	ld    r3, [r3+NEXT]
	beq   r3, r0, take
	ld    r9, [r3+NODE]
	wait  r6
	sendw order, r9, r7, r9
	ld    r9, [r3+FLITS]
	add   r7, r7, r9
	addi  r7, r7, -1
	addi  r6, r6, 1
	jmp   pass

take:	ld    r1, [r0+PLACES]
next:	beq   r2, r0, done
	probe r3, r4             ; words, source
	add   r5, r1, r4
	ld    r5, [r5]
	recv  r3, r4, r5
	sub   r2, r2, r3
	jmp   next
done:	halt
