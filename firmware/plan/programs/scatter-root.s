; SPDX-License-Identifier: Apache-2.0
; Scatter, the root: sends the messages of a list, in the list's order.
; A message leaves as soon as its channel is free, and not before its START.
; Memory: the parameters, the list, the blocks of all nodes.

; parameters
.equ COUNT, 0        ; messages in the list
.equ LIST, 1         ; address of the first entry
.equ PARAMETERS, 2
; an entry
.equ NODE, 0         ; destination, and the message's tag
.equ ADDRESS, 1      ; of the block
.equ WORDS, 2        ; in the block
.equ START, 3        ; first cycle in which the block may be handed over
.equ ENTRY, 4

	ld   r1, [r0+COUNT]
	ld   r2, [r0+LIST]
next:	beq  r1, r0, done
	ld   r3, [r2+NODE]
	ld   r4, [r2+ADDRESS]
	ld   r5, [r2+WORDS]
	ld   r6, [r2+START]
	wait r6
	send r3, r4, r5, r3
	addi r2, r2, ENTRY
	addi r1, r1, -1
	jmp  next
done:	halt
