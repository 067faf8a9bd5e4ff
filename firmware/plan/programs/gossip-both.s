; SPDX-License-Identifier: Apache-2.0
; Gossip along lines, both ways at once: for PEs with a channel per link.
; A phase gossips along one dimension. In it two streams of blocks pass the
; node: one going right, one going left. Each begins with the node's own block;
; what is taken from one neighbour is sent on to the other in the next step.
; Empty blocks are not awaited, and to send one does nothing.
; Memory: the parameters, the phases, their lists of blocks, the words of all nodes.

; parameters
.equ PHASES, 0
.equ FIRST, 1        ; address of the first phase's record
.equ PARAMETERS, 2
; a phase
.equ RIGHT, 0        ; neighbours
.equ LEFT, 1
.equ RIGHT_LIST, 2   ; blocks of the stream that goes right, own block first
.equ LEFT_LIST, 3    ; blocks of the stream that goes left, own block first
.equ RIGHT_SENDS, 4  ; how many of RIGHT_LIST to send to the right
.equ LEFT_SENDS, 5   ; how many of LEFT_LIST to send to the left
.equ RIGHT_TAKES, 6  ; how many to take from the left, into RIGHT_LIST from its second entry on
.equ LEFT_TAKES, 7   ; how many to take from the right, into LEFT_LIST from its second entry on
.equ PHASE, 8
; a block
.equ ADDRESS, 0
.equ WORDS, 1
.equ TAG, 2          ; lowest node whose words are in it
.equ BLOCK, 3

	ld   r14, [r0+PHASES]
	ld   r13, [r0+FIRST]
phase:	beq  r14, r0, done
	ld   r1, [r13+RIGHT]
	ld   r2, [r13+LEFT]
	ld   r3, [r13+RIGHT_LIST]
	ld   r4, [r13+LEFT_LIST]
	ld   r5, [r13+RIGHT_SENDS]
	ld   r6, [r13+LEFT_SENDS]
	ld   r7, [r13+RIGHT_TAKES]
	ld   r8, [r13+LEFT_TAKES]

step:	add  r9, r5, r6
	add  r9, r9, r7
	add  r9, r9, r8
	beq  r9, r0, over

	beq  r5, r0, left
	ld   r9, [r3+ADDRESS]
	ld   r10, [r3+WORDS]
	ld   r11, [r3+TAG]
	send r1, r9, r10, r11
	addi r5, r5, -1
left:	beq  r6, r0, take
	ld   r9, [r4+ADDRESS]
	ld   r10, [r4+WORDS]
	ld   r11, [r4+TAG]
	send r2, r9, r10, r11
	addi r6, r6, -1

take:	addi r3, r3, BLOCK
	addi r4, r4, BLOCK
	beq  r7, r0, other
	addi r7, r7, -1
	ld   r9, [r3+ADDRESS]
	ld   r10, [r3+WORDS]
	beq  r10, r0, other
	recv r11, r2, r9
other:	beq  r8, r0, step
	addi r8, r8, -1
	ld   r9, [r4+ADDRESS]
	ld   r10, [r4+WORDS]
	beq  r10, r0, step
	recv r11, r1, r9
	jmp  step

over:	addi r13, r13, PHASE
	addi r14, r14, -1
	jmp  phase
done:	halt
