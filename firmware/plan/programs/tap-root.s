; SPDX-License-Identifier: Apache-2.0
; Shoulder tap, the root: taps the first node of each arm with an order
; "transmit after VALUE steps", then takes the messages of a list, in
; the list's order, which is that of their arrival.
; Memory: the parameters, the taps, the list, the blocks of all nodes.

; parameters
.equ TAPS, 0         ; arms
.equ TAP_LIST, 1     ; address of the first tap
.equ COUNT, 2        ; messages in the list
.equ LIST, 3         ; address of the first entry
.equ PARAMETERS, 4
; a tap
.equ FIRST, 0        ; the arm's first node, and the order's tag
.equ VALUE, 1        ; the order
.equ START, 2        ; cycle of the tap
.equ TAP, 3
; an entry
.equ NODE, 0         ; source
.equ ADDRESS, 1      ; where its block goes
.equ ENTRY, 2

	ld   r1, [r0+TAPS]
	ld   r2, [r0+TAP_LIST]
arm:	beq  r1, r0, take
	ld   r3, [r2+FIRST]
	ld   r4, [r2+VALUE]
	ld   r5, [r2+START]
	wait r5
	sendw order, r3, r4, r3
	addi r2, r2, TAP
	addi r1, r1, -1
	jmp  arm

take:	ld   r1, [r0+COUNT]
	ld   r2, [r0+LIST]
next:	beq  r1, r0, done
	ld   r3, [r2+NODE]
	ld   r4, [r2+ADDRESS]
	recv r5, r3, r4
	addi r2, r2, ENTRY
	addi r1, r1, -1
	jmp  next
done:	halt
