; SPDX-License-Identifier: Apache-2.0
; Gather, the root: takes the messages of a list, in the list's order.
; Those that come early wait in the inbox.
; Memory: the parameters, the list, the blocks of all nodes.

; parameters
.equ COUNT, 0        ; messages in the list
.equ LIST, 1         ; address of the first entry
.equ PARAMETERS, 2
; an entry
.equ NODE, 0         ; source
.equ ADDRESS, 1      ; where its block goes
.equ ENTRY, 2

	ld   r1, [r0+COUNT]
	ld   r2, [r0+LIST]
next:	beq  r1, r0, done
	ld   r3, [r2+NODE]
	ld   r4, [r2+ADDRESS]
	recv r5, r3, r4
	addi r2, r2, ENTRY
	addi r1, r1, -1
	jmp  next
done:	halt
