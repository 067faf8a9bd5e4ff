; SPDX-License-Identifier: Apache-2.0
; Any collective, as a list of actions: messages that are put together from
; pieces of the memory, and taken apart into pieces of it, stored or added.
; A message in one piece leaves from, and arrives at, its place; others pass
; through the buffer.
; Memory: the parameters, the actions, the pieces, the block; scratch words:
; the buffer, and for every node the tokens that it has sent and nobody used.

; parameters
.equ ACTIONS, 0
.equ FIRST, 1        ; address of the first action
.equ BUFFER, 2       ; address of the buffer
.equ TOKENS, 3       ; address of the tokens of node 0
.equ PARAMETERS, 4
; an action
.equ KIND, 0
.equ PEER, 1         ; the other node
.equ TAG, 2          ; by which the message is known
.equ WORDS, 3        ; of the message
.equ PLACE, 4        ; of the message: its only piece, or the buffer
.equ PIECES, 5       ; pieces that pass through the buffer, 0: none
.equ LIST, 6         ; address of the first of them
.equ START, 7        ; cycle before which it is not sent
.equ ROUTE, 8        ; number in the route table, 0: the machine's own
.equ ACTION, 9
; kinds of actions
.equ GRANT, 0        ; a token to the peer: it may send
.equ AWAIT, 1        ; wait for the peer's token
.equ PACK, 2         ; pieces into the buffer
.equ SEND, 3         ; the same, and send
.equ STORE, 4        ; pieces out of the buffer
.equ SUM, 5          ; the same, added to what is there
.equ TAKE, 6         ; take a message, and store it
.equ TAKESUM, 7      ; take a message, and add it
; a piece
.equ ADDRESS, 0
.equ LENGTH, 1
.equ PIECE, 2

	ld   r14, [r0+ACTIONS]
	ld   r13, [r0+FIRST]
next:	beq  r14, r0, done
	ld   r1, [r13+KIND]
	ld   r2, [r13+PEER]
	ld   r3, [r13+TAG]
	ld   r4, [r13+WORDS]
	ld   r5, [r13+PLACE]
	ld   r6, [r13+PIECES]
	ld   r7, [r13+LIST]
	ld   r12, [r0+BUFFER]
	li   r8, STORE
	bge  r1, r8, in
	li   r8, PACK
	bge  r1, r8, out
	beq  r1, r0, grant

	ld   r8, [r0+TOKENS]
	add  r8, r8, r2
token:	ld   r9, [r8+0]
	bne  r9, r0, use
	recvw r9, r10           ; from whom ever: it is kept for that peer
	ld   r11, [r0+TOKENS]
	add  r11, r11, r10
	ld   r9, [r11+0]
	addi r9, r9, 1
	st   [r11+0], r9
	jmp  token
use:	addi r9, r9, -1
	st   [r8+0], r9
	jmp  over

grant:	sendw token, r2, r0, r3
	jmp  over

out:	ld   r8, [r13+START]
	wait r8
	beq  r6, r0, packed
pack:	ld   r8, [r7+ADDRESS]
	ld   r9, [r7+LENGTH]
	copy r12, r8, r9
	add  r12, r12, r9
	addi r7, r7, PIECE
	addi r6, r6, -1
	bne  r6, r0, pack
packed:	li   r8, PACK
	beq  r1, r8, over
	ld   r8, [r13+ROUTE]
	sendv r2, r5, r4, r3, r8
	jmp  over

in:	li   r8, TAKE
	blt  r1, r8, unpack
	recv r8, r2, r5, r3
unpack:	beq  r6, r0, over
	li   r10, SUM
	beq  r1, r10, sum
	li   r10, TAKESUM
	beq  r1, r10, sum
store:	ld   r8, [r7+ADDRESS]
	ld   r9, [r7+LENGTH]
	copy r8, r12, r9
	add  r12, r12, r9
	addi r7, r7, PIECE
	addi r6, r6, -1
	bne  r6, r0, store
	jmp  over
sum:	ld   r8, [r7+ADDRESS]
	ld   r9, [r7+LENGTH]
	add  r9, r8, r9         ; end of the piece
word:	beq  r8, r9, piece
	ld   r10, [r8+0]
	ld   r11, [r12+0]
	add  r10, r10, r11
	st   [r8+0], r10
	addi r8, r8, 1
	addi r12, r12, 1
	jmp  word
piece:	addi r7, r7, PIECE
	addi r6, r6, -1
	bne  r6, r0, sum

over:	addi r13, r13, ACTION
	addi r14, r14, -1
	jmp  next
done:	halt
