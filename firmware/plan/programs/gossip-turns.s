; SPDX-License-Identifier: Apache-2.0
; Gossip along lines, one way at a time: for PEs with one channel or one port.
; A turn moves one stream of blocks along a line: the node sends its own block
; to one neighbour, then sends on what it takes from the other one.
; Empty blocks are not awaited, and to send one does nothing.
; Memory: the parameters, the turns, their lists of blocks, the words of all nodes.

; parameters
.equ TURNS, 0
.equ FIRST, 1        ; address of the first turn's record
.equ PARAMETERS, 2
; a turn
.equ START, 0        ; first cycle of the turn
.equ TO, 1           ; neighbour to send to
.equ FROM, 2         ; neighbour to take from
.equ LIST, 3         ; blocks of the stream, own block first
.equ SENDS, 4        ; how many of them to send
.equ TAKES, 5        ; how many to take, from the second on
.equ DRAIN, 6        ; cycles to rest at the end, until what was sent last has left the port
.equ TURN, 7
; a block
.equ ADDRESS, 0
.equ WORDS, 1
.equ TAG, 2          ; lowest node whose words are in it
.equ BLOCK, 3

	ld   r14, [r0+TURNS]
	ld   r13, [r0+FIRST]
turn:	beq  r14, r0, done
	ld   r1, [r13+START]
	wait r1
	ld   r1, [r13+TO]
	ld   r2, [r13+FROM]
	ld   r3, [r13+LIST]
	ld   r4, [r13+SENDS]
	ld   r5, [r13+TAKES]

step:	add  r6, r4, r5
	beq  r6, r0, over
	beq  r4, r0, take
	ld   r6, [r3+ADDRESS]
	ld   r7, [r3+WORDS]
	ld   r8, [r3+TAG]
	send r1, r6, r7, r8
	addi r4, r4, -1
take:	addi r3, r3, BLOCK
	beq  r5, r0, step
	addi r5, r5, -1
	ld   r6, [r3+ADDRESS]
	ld   r7, [r3+WORDS]
	beq  r7, r0, step
	recv r8, r2, r6
	jmp  step

over:	now  r6
	ld   r7, [r13+DRAIN]
	add  r6, r6, r7
	wait r6
	addi r13, r13, TURN
	addi r14, r14, -1
	jmp  turn
done:	halt
