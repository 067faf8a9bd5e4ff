; SPDX-License-Identifier: Apache-2.0
; Scatter and gather over several trees, a node that sends: pieces of blocks,
; each along a route of its own, in the cycles that the schedule gives them.
; Memory: the parameters, the list, the blocks.

; parameters
.equ COUNT, 0        ; pieces in the list
.equ LIST, 1         ; address of the first entry
.equ PARAMETERS, 2
; an entry
.equ NODE, 0         ; destination
.equ ADDRESS, 1      ; of the piece
.equ WORDS, 2        ; in the piece
.equ START, 3        ; cycle in which it is handed over
.equ TAG, 4          ; by which the destination knows the piece
.equ ROUTE, 5        ; number in the route table
.equ ENTRY, 6

	ld   r1, [r0+COUNT]
	ld   r2, [r0+LIST]
next:	beq  r1, r0, done
	ld   r3, [r2+NODE]
	ld   r4, [r2+ADDRESS]
	ld   r5, [r2+WORDS]
	ld   r6, [r2+START]
	ld   r7, [r2+TAG]
	ld   r8, [r2+ROUTE]
	wait r6
	sendv r3, r4, r5, r7, r8
	addi r2, r2, ENTRY
	addi r1, r1, -1
	jmp  next
done:	halt
