; SPDX-License-Identifier: Apache-2.0
; Transmission certification II (Tsai), the root: it passes the token to all
; children, collects their certificates (lag c, slots n) as they come, and then
; sends orders as a node without packets of its own that got, in the tick t of the
; last certificate, the least order s that it can act on:
;   s = max over j of (c_j + SHIFT + j*COST - F_j),
; where F_j are the slots of the children before child j, sorted by lag. Child j
; gets its order in t + j*COST: s + F_j - SHIFT - j*COST. (See cert-ii-node.s.)
; Then it takes packets until it has all slots that were certified. A packet's
; tag says whose it is; those of one source come in their order.
;
; Memory: the parameters, the children, a table by node, the blocks of all nodes,
; and scratch: a list of certificates sorted by lag, its head and an entry a
; child; a table by node: how many of its words are there.

; parameters
.equ CHILDREN, 0     ; how many
.equ CHILD_LIST, 1   ; address of their numbers
.equ PLACES, 2       ; address of a table by node: where its block goes
.equ SORTED, 3       ; address of the list's head
.equ TAKEN, 4        ; address of the table of words
.equ SETUP, 5        ; of a packet, the startup included
.equ FLIT, 6         ; of a word
.equ COST, 7         ; slot of an order
.equ SHIFT, 8        ; slot of the largest packet
.equ PARAMETERS, 9
; an entry of the sorted list; the head is one too, with lag 0
.equ NEXT, 0         ; address of the next entry, 0: none
.equ LAG, 1
.equ SLOTS, 2
.equ NODE, 3
.equ ENTRY, 4

	ld    r1, [r0+CHILDREN]
	ld    r2, [r0+CHILD_LIST]
	mov   r6, r1
wake:	beq   r6, r0, collect
	ld    r7, [r2]
	sendw token, r7, r0, r7
	addi  r2, r2, 1
	addi  r6, r6, -1
	jmp   wake

collect: ld   r3, [r0+SORTED]
	mov   r4, r3             ; last entry
	addi  r5, r3, ENTRY      ; the next one's place
	li    r15, 0             ; slots
hear:	beq   r1, r0, certify
	addi  r1, r1, -1
	recvw r7, r8, r9         ; c, child, n
	beq   r9, r0, hear
	add   r15, r15, r9
	st    [r5+LAG], r7
	st    [r5+SLOTS], r9
	st    [r5+NODE], r8
.include "passages/insertion.s" ; the entry r5 into the list r3
	jmp   hear

certify: li   r6, 0              ; F
	ld    r11, [r0+COST]
	ld    r12, [r0+SHIFT]    ; becomes SHIFT + j*COST
	li    r13, 0             ; s
	mov   r7, r3
lag:	ld    r7, [r7+NEXT]
	beq   r7, r0, start
	add   r12, r12, r11
	ld    r8, [r7+LAG]
	add   r8, r8, r12
	sub   r8, r8, r6
	max   r13, r13, r8
	ld    r8, [r7+SLOTS]
	add   r6, r6, r8
	jmp   lag

start:	ld    r7, [r0+SHIFT]
	sub   r7, r13, r7        ; s + F - SHIFT
	now   r10                ; t: the tick of the next order
pass:	ld    r3, [r3+NEXT]
	beq   r3, r0, take
	sub   r7, r7, r11
	ld    r9, [r3+NODE]
	wait  r10
	sendw order, r9, r7, r9
	add   r10, r10, r11
	ld    r9, [r3+SLOTS]
	add   r7, r7, r9
	jmp   pass

take:	ld    r1, [r0+PLACES]
	ld    r2, [r0+TAKEN]
	ld    r12, [r0+FLIT]
	ld    r13, [r0+SETUP]
next:	beq   r15, r0, done
	probe r7, r8, r5         ; words, child, source
	add   r3, r1, r5
	ld    r3, [r3]
	add   r4, r2, r5
	ld    r6, [r4]
	add   r3, r3, r6
	add   r6, r6, r7
	st    [r4], r6
	recv  r7, r8, r3
	sub   r15, r15, r13      ; its slot: words times FLIT, by doubling
times:	beq   r7, r0, next
	li    r9, 1
	mov   r10, r12
double:	add   r11, r9, r9
	blt   r7, r11, count
	mov   r9, r11
	add   r10, r10, r10
	jmp   double
count:	sub   r15, r15, r10
	sub   r7, r7, r9
	jmp   times
done:	halt
