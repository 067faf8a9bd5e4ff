; SPDX-License-Identifier: Apache-2.0
; Transmission certification without waiting, the root: it passes the token to
; its children in consecutive cycles and collects their certificates (lag c,
; flits n). In the cycle t of the last one it starts the stream, so that its first
; flit is here in cycle t + max over k of c_k + k - F_k, for the children with
; flits sorted by lag, F_k = n_1 + .. + n_{k-1}: with
;   s = max over k of c_k + k + 1 - F_k
; child k's order leaves in cycle t+k-1 and is s + F_k - 1 - k. Then it takes
; messages, in whatever order they come, until it has all flits that were
; certified.
;
; Many certificates may be there in one cycle, so that they are sorted by merging:
; those that come in rising order of lag and node form a run; run i of the table
; is made of 2^i of them, or there is none.
;
; Memory: the parameters, the blocks of all nodes; scratch: the table of runs, the
; head of the list that is merged, an entry a child.

; parameters
.equ CHILDREN, 0     ; how many
.equ CHILD_LIST, 1   ; address of their numbers, in the order of the tokens
.equ PLACES, 2       ; address of a table by node: where its block goes
.equ SORTED, 3       ; address of the table of runs
.equ PARAMETERS, 4
; an entry; of the head only the first word is there
.equ NEXT, 0         ; address of the next entry, 0: none
.equ LAG, 1
.equ FLITS, 2
.equ NODE, 3
.equ ENTRY, 4
.equ RUNS, 24        ; places in the table
.equ HEAD, 25        ; words before the first entry

	now   r1
	ld    r2, [r0+CHILDREN]
	ld    r3, [r0+CHILD_LIST]
wake:	beq   r2, r0, collect
	ld    r4, [r3]
	wait  r1
	sendw token, r4, r0, r4
	addi  r1, r1, 1
	addi  r3, r3, 1
	addi  r2, r2, -1
	jmp   wake

collect: ld   r2, [r0+CHILDREN]
	ld    r3, [r0+SORTED]
	addi  r15, r3, RUNS      ; the head
	addi  r5, r3, HEAD       ; the next entry's place
	li    r6, 0              ; the run that grows; r13: its last entry
	li    r14, 0             ; 1: all are there
next:	beq   r2, r0, all
	addi  r2, r2, -1
	recvw r7, r8, r9         ; c, child, n
	beq   r9, r0, next
	st    [r5+LAG], r7
	st    [r5+FLITS], r9
	st    [r5+NODE], r8
	beq   r6, r0, begin
	ld    r9, [r13+LAG]
	blt   r9, r7, append
	bne   r9, r7, close
	ld    r9, [r13+NODE]
	blt   r9, r8, append

close:	mov   r4, r3             ; the run goes into the table
level:	ld    r7, [r4]
	bne   r7, r0, merge
	bne   r14, r0, up
	st    [r4], r6
begin:	mov   r6, r5
	jmp   grown
append:	st    [r13+NEXT], r5
grown:	mov   r13, r5
	addi  r5, r5, ENTRY
	jmp   next

all:	li    r14, 1
	jmp   close
merge:	st    [r4], r0           ; r7 and r6 become r6
	mov   r8, r15            ; the last entry merged
	beq   r6, r0, rest7
	ld    r9, [r7+LAG]
	ld    r10, [r6+LAG]
least:	blt   r9, r10, take7
	blt   r10, r9, take6
	ld    r11, [r7+NODE]
	ld    r12, [r6+NODE]
	blt   r11, r12, take7
take6:	st    [r8+NEXT], r6
	mov   r8, r6
	ld    r6, [r6+NEXT]
	beq   r6, r0, rest7
	ld    r10, [r6+LAG]
	jmp   least
take7:	st    [r8+NEXT], r7
	mov   r8, r7
	ld    r7, [r7+NEXT]
	beq   r7, r0, rest6
	ld    r9, [r7+LAG]
	jmp   least
rest7:	mov   r6, r7
rest6:	st    [r8+NEXT], r6
	ld    r6, [r15+NEXT]
up:	addi  r4, r4, 1
	bne   r4, r15, level

	now   r1                 ; t; all are in r6
	li    r2, 0              ; F_k, all flits in the end
	li    r4, 1              ; k, then k+1
	li    r5, 0
	mov   r3, r6
sum:	beq   r3, r0, start
	addi  r4, r4, 1
	ld    r7, [r3+LAG]
	add   r7, r7, r4
	sub   r7, r7, r2
	max   r5, r5, r7         ; s in the end
	ld    r8, [r3+FLITS]
	add   r2, r2, r8
	ld    r3, [r3+NEXT]
	jmp   sum

start:	addi  r7, r5, -2         ; the first child's order
pass:	beq   r6, r0, take
	ld    r9, [r6+NODE]
	wait  r1
	sendw order, r9, r7, r9
	ld    r9, [r6+FLITS]
	add   r7, r7, r9
	addi  r7, r7, -1
	addi  r1, r1, 1
	ld    r6, [r6+NEXT]
	jmp   pass

take:	ld    r1, [r0+PLACES]
more:	beq   r2, r0, done
	probe r3, r4             ; words, source
	add   r5, r1, r4
	ld    r5, [r5]
	recv  r3, r4, r5
	sub   r2, r2, r3
	jmp   more
done:	halt
