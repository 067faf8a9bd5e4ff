; SPDX-License-Identifier: Apache-2.0
; Gather, a node whose message leaves in packets: sends each to the root in the
; cycle that the schedule gives it.
; Memory: the parameters, the list, the block.

; parameters
.equ ROOT, 0
.equ SELF, 1         ; this node, the packets' tag
.equ ADDRESS, 2      ; of the block
.equ COUNT, 3        ; packets in the list
.equ LIST, 4         ; address of the first entry
.equ PARAMETERS, 5
; an entry
.equ WORDS, 0        ; in the packet
.equ START, 1        ; cycle in which it is handed over
.equ ENTRY, 2

	ld   r1, [r0+ROOT]
	ld   r2, [r0+SELF]
	ld   r3, [r0+ADDRESS]
	ld   r6, [r0+COUNT]
	ld   r7, [r0+LIST]
next:	beq  r6, r0, done
	ld   r4, [r7+WORDS]
	ld   r5, [r7+START]
	wait r5
	send r1, r3, r4, r2
	add  r3, r3, r4
	addi r7, r7, ENTRY
	addi r6, r6, -1
	jmp  next
done:	halt
