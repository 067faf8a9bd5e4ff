; SPDX-License-Identifier: Apache-2.0
; A collective of messages from neighbour to neighbour, each in several copies. The PE goes
; by the clock and never waits for a message: what has not come in its cycle is lost,
; and a copy that is lost is not sent on. In the end the PE chooses for each message
; one of the copies that came.
;
; A copy has a slot: one word that is not 0 if the copy is there, the words of the message
; and, with checksums, their sum.
; Memory: the parameters, the lists, the block; scratch words: the slots.

; parameters
.equ OWN, 0          ; messages that begin at this PE
.equ OWN_LIST, 1     ; address of the first of them
.equ ACTIONS, 2
.equ ACTION_LIST, 3
.equ RESULTS, 4      ; messages that end at this PE
.equ RESULT_LIST, 5
.equ SUMS, 6         ; words of a checksum: 0 or 1
.equ SHIFT, 7        ; bits of a register that a flit does not have
.equ VOTE, 8         ; 1: the copy that is there most often; 0: the first one
.equ PARAMETERS, 9
; a message that begins here
.equ ADDRESS, 0      ; of its words, also of a message that ends here
.equ WORDS, 1
.equ SLOT, 2         ; also of an action
.equ OWN_MESSAGE, 3
; an action
.equ CYCLE, 0
.equ PEER, 1         ; the neighbour
.equ FLITS, 3        ; of the message
.equ TAG, 4
.equ TAKE, 5         ; 1: take a copy, 0: send one
.equ ACTION, 6
; a message that ends here; the addresses of the slots of its copies follow
.equ MARK, 2         ; address of the number of its copies that came intact
.equ COPIES, 3
.equ RESULT, 4

	ld   r14, [r0+OWN]
	ld   r13, [r0+OWN_LIST]
own:	beq  r14, r0, begin
	ld   r1, [r13+ADDRESS]
	ld   r2, [r13+WORDS]
	ld   r3, [r13+SLOT]
	st   [r3], r2
	addi r3, r3, 1
	copy r3, r1, r2
	ld   r4, [r0+SUMS]
	beq  r4, r0, ready
	add  r4, r3, r2
	li   r5, 0
plus:	beq  r3, r4, total
	ld   r6, [r3]
	add  r5, r5, r6
	addi r3, r3, 1
	jmp  plus
total:	st   [r3], r5
ready:	addi r13, r13, OWN_MESSAGE
	addi r14, r14, -1
	jmp  own

begin:	ld   r14, [r0+ACTIONS]
	ld   r13, [r0+ACTION_LIST]
next:	beq  r14, r0, end
	ld   r1, [r13+CYCLE]
	wait r1
	ld   r1, [r13+PEER]
	ld   r2, [r13+SLOT]
	ld   r3, [r13+FLITS]
	ld   r4, [r13+TAG]
	addi r5, r2, 1
	ld   r6, [r13+TAKE]
	bne  r6, r0, take
	ld   r6, [r2]
	beq  r6, r0, over        ; it has not come
	send r1, r5, r3, r4
	jmp  over
take:	poll r6, r1, r5, r4
	st   [r2], r6
over:	addi r13, r13, ACTION
	addi r14, r14, -1
	jmp  next

end:	ld   r14, [r0+RESULTS]
	ld   r13, [r0+RESULT_LIST]
result:	beq  r14, r0, done
	ld   r6, [r13+WORDS]
	addi r2, r13, RESULT     ; the slots of the copies
	ld   r1, [r13+COPIES]
	add  r1, r1, r2          ; and their end
	li   r3, 0               ; copies that came intact
	mov  r7, r2
check:	beq  r7, r1, checked
	ld   r8, [r7]
	ld   r9, [r8]
	beq  r9, r0, other
	ld   r9, [r0+SUMS]
	beq  r9, r0, intact
	addi r9, r8, 1
	add  r10, r9, r6         ; the checksum
	li   r11, 0
sum:	beq  r9, r10, summed
	ld   r12, [r9]
	add  r11, r11, r12
	addi r9, r9, 1
	jmp  sum
summed:	ld   r12, [r10]
	sub  r11, r11, r12
	ld   r12, [r0+SHIFT]     ; only the bits of a flit count
shift:	beq  r12, r0, compare
	add  r11, r11, r11
	addi r12, r12, -1
	jmp  shift
compare: beq r11, r0, intact
	st   [r8], r0            ; damaged: as if it had not come
	jmp  other
intact:	addi r3, r3, 1
other:	addi r7, r7, 1
	jmp  check
checked: ld  r7, [r13+MARK]
	st   [r7], r3

	li   r4, 0               ; the slot that is chosen
	li   r5, 0               ; copies that are like it
	mov  r7, r2
choose:	beq  r7, r1, chosen
	ld   r8, [r7]
	ld   r9, [r8]
	beq  r9, r0, worse
	ld   r9, [r0+VOTE]
	beq  r9, r0, first
	li   r9, 0               ; copies that are like this one
	mov  r10, r2
voter:	beq  r10, r1, counted
	ld   r11, [r10]
	ld   r12, [r11]
	beq  r12, r0, unlike
	addi r12, r8, 1
	add  r15, r12, r6
word:	addi r11, r11, 1
	beq  r12, r15, like
	ld   r3, [r11]
	ld   r6, [r12]
	addi r12, r12, 1
	beq  r3, r6, word
	jmp  unlike
like:	addi r9, r9, 1
unlike:	ld   r6, [r13+WORDS]
	addi r10, r10, 1
	jmp  voter
counted: bge r5, r9, worse
	mov  r5, r9
	mov  r4, r8
worse:	addi r7, r7, 1
	jmp  choose
first:	mov  r4, r8
chosen:	beq  r4, r0, found
	ld   r7, [r13+ADDRESS]
	addi r4, r4, 1
	copy r7, r4, r6
found:	mov  r13, r1             ; the next one stands behind the slots
	addi r14, r14, -1
	jmp  result
done:	halt
