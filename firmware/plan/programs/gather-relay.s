; SPDX-License-Identifier: Apache-2.0
; Gather, a node that sends its packets, and relays those of its children, in the
; cycles that the schedule gives them. Children's packets come in the order in
; which they go on.
; Memory: the parameters, the list, the block, a place for a packet (scratch).

; parameters
.equ PARENT, 0
.equ SELF, 1         ; this node, the tag of its packets
.equ COUNT, 2        ; packets in the list
.equ LIST, 3         ; address of the first entry
.equ RELAYED, 4      ; address of the place for a packet
.equ PARAMETERS, 5
; an entry
.equ WORDS, 0        ; in the packet; 0: a child's
.equ ADDRESS, 1      ; of an own packet
.equ START, 2        ; cycle in which it is handed over
.equ ENTRY, 3

	ld    r1, [r0+COUNT]
	ld    r2, [r0+LIST]
	ld    r4, [r0+PARENT]
next:	beq   r1, r0, done
	ld    r7, [r2+WORDS]
	ld    r3, [r2+ADDRESS]
	ld    r5, [r0+SELF]
	bne   r7, r0, go
	ld    r3, [r0+RELAYED]
	probe r7, r8, r5         ; words, child, source
	recv  r7, r8, r3
go:	ld    r6, [r2+START]
	wait  r6
	send  r4, r3, r7, r5
	addi  r2, r2, ENTRY
	addi  r1, r1, -1
	jmp   next
done:	halt
