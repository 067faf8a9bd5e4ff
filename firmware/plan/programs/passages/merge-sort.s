; SPDX-License-Identifier: Apache-2.0
; Merge sort: takes a certificate (lag c, flits n) of each child and lists those with
; flits by rising lag, then by node. r6 is the first entry of the list, 0 if there is
; none.
;
; Many certificates may be there in one cycle, so that they are sorted by merging:
; those that come in rising order of lag and node form a run; run i of the table
; is made of 2^i of them, or there is none.
;
; The program that includes this file names its parameters CHILDREN, how many there are,
; and SORTED, the address of scratch memory: the table of runs, the head of the list that
; is merged, an entry a child. r0 is 0. r1 keeps its value, r2 to r15 change.

; an entry; of the head only the first word is there
.equ NEXT, 0         ; address of the next entry, 0: none
.equ LAG, 1
.equ FLITS, 2
.equ NODE, 3
.equ ENTRY, 4
.equ RUNS, 24        ; places in the table
.equ HEAD, 25        ; words before the first entry

	ld    r2, [r0+CHILDREN]
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
