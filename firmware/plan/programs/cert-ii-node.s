; SPDX-License-Identifier: Apache-2.0
; Transmission certification II (Tsai), a node other than the root. It passes the
; token to all children, one behind the other, collects their certificates (lag
; c, slots n) as they come, and answers with its own; on the order it makes those
; of its children. Then it sends its own packets and relays those of its
; children, in one stream without gaps. A packet's slot is the time that it takes
; from PE to PE, SETUP + FLIT a word, and so is all that follows, in ticks. A node
; relays a packet SHIFT, the slot of the largest packet, after it began to come.
;
; Of the children with something to send, sorted by lag, let F_j be the slots in
; front of child j's: the own ones and those of the children before it. With d
; of them:
;   n = own slots + sum n_j
;   c = max(d*COST, max over j of (c_j + SHIFT + j*COST - F_j)), 0 if d = 0.
; On the order s in tick t the own stream begins in t + s. Child j gets its order
; in t + j*COST: s + F_j - SHIFT - j*COST.
;
; Memory: the parameters, the children, the own packets, the block, and scratch:
; a list of certificates sorted by lag, its head and an entry a child; a place for
; a packet that is relayed.

; parameters
.equ PARENT, 0
.equ SELF, 1         ; this node, the packets' tag
.equ ADDRESS, 2      ; of the block
.equ COUNT, 3        ; own packets
.equ PACKET_LIST, 4  ; address of the first own packet's entry
.equ OWN, 5          ; slots of the own packets
.equ CHILDREN, 6     ; how many
.equ CHILD_LIST, 7   ; address of their numbers
.equ SORTED, 8       ; address of the list's head
.equ RELAYED, 9      ; address of the place for a packet
.equ SETUP, 10       ; of a packet, the startup included
.equ FLIT, 11        ; of a word
.equ COST, 12        ; slot of an order
.equ SHIFT, 13       ; slot of the largest packet
.equ PARAMETERS, 14
; an entry of the own packets
.equ WORDS, 0
.equ TIME, 1         ; its slot
.equ PACKET, 2
; an entry of the sorted list; the head is one too, with lag 0
.equ NEXT, 0         ; address of the next entry, 0: none
.equ LAG, 1
.equ SLOTS, 2
.equ NODE, 3
.equ ENTRY, 4

	recvw r1, r2             ; the token
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
	ld    r15, [r0+OWN]      ; n
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

certify: ld   r6, [r0+OWN]       ; F
	ld    r11, [r0+COST]
	ld    r12, [r0+SHIFT]    ; becomes SHIFT + j*COST
	li    r13, 0             ; c
	li    r14, 0             ; j*COST
	mov   r7, r3
lag:	ld    r7, [r7+NEXT]
	beq   r7, r0, answer
	add   r12, r12, r11
	add   r14, r14, r11
	ld    r8, [r7+LAG]
	add   r8, r8, r12
	sub   r8, r8, r6
	max   r13, r13, r8
	ld    r8, [r7+SLOTS]
	add   r6, r6, r8
	jmp   lag
answer:	max   r13, r13, r14
	ld    r4, [r0+PARENT]
	sendw certificate, r4, r13, r15
	beq   r15, r0, done      ; nothing to send, no order

	recvw r8, r9             ; s
	now   r6                 ; t
	ld    r7, [r0+SHIFT]
	sub   r7, r8, r7
	ld    r9, [r0+OWN]
	add   r7, r7, r9         ; s + F - SHIFT
	mov   r10, r6            ; the tick of the next order
pass:	ld    r3, [r3+NEXT]
	beq   r3, r0, stream
	sub   r7, r7, r11
	ld    r9, [r3+NODE]
	wait  r10
	sendw order, r9, r7, r9
	add   r10, r10, r11
	ld    r9, [r3+SLOTS]
	add   r7, r7, r9
	jmp   pass

stream:	add   r6, r6, r8         ; the tick of the next slot
	ld    r1, [r0+COUNT]
	ld    r2, [r0+PACKET_LIST]
	ld    r3, [r0+ADDRESS]
	ld    r5, [r0+SELF]
own:	beq   r1, r0, relay
	ld    r7, [r2+WORDS]
	ld    r8, [r2+TIME]
	wait  r6
	send  r4, r3, r7, r5
	add   r3, r3, r7
	add   r6, r6, r8
	sub   r15, r15, r8       ; slots to come
	addi  r2, r2, PACKET
	addi  r1, r1, -1
	jmp   own

relay:	ld    r3, [r0+RELAYED]
	ld    r12, [r0+FLIT]
	ld    r13, [r0+SETUP]
next:	beq   r15, r0, done
	probe r7, r8, r5         ; words, child, source
	recv  r7, r8, r3
	wait  r6
	send  r4, r3, r7, r5
	mov   r8, r13            ; its slot: words times FLIT, by doubling
times:	beq   r7, r0, gone
	li    r9, 1
	mov   r10, r12
double:	add   r11, r9, r9
	blt   r7, r11, take
	mov   r9, r11
	add   r10, r10, r10
	jmp   double
take:	add   r8, r8, r10
	sub   r7, r7, r9
	jmp   times
gone:	add   r6, r6, r8
	sub   r15, r15, r8
	jmp   next
done:	halt
