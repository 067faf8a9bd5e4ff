; Every instruction that works on all elements of a word, on words 0 and 1; the results follow from word 2 on.
; PE 1 sends what it has, PE 0 stores it behind its own results.
	ld	r1, [r0]
	ld	r2, [r0+1]
	mov	r3, r2
	st	[r0+2], r3
	add	r3, r1, r2
	st	[r0+3], r3
	sub	r3, r1, r2
	st	[r0+4], r3
	min	r3, r1, r2
	st	[r0+5], r3
	max	r3, r1, r2
	st	[r0+6], r3
	addi	r3, r2, -1
	st	[r0+7], r3
	lih	r3, 1
	st	[r0+8], r3
	li	r3, 9
	st	[r0+9], r3
	ld	r3, [r0+1]
	now	r3
	st	[r0+10], r3
	ld	r3, [r0]
	beq	r3, r1, same
	halt
same:	li	r4, 1
	ld	r5, [r0]
	bne	r4, r5, more        ; element 0 alone is the same
	halt
more:	li	r4, 2
	blt	r5, r4, less        ; element 0 alone counts
	halt
less:	wait	r5
	li	r6, 20
	li	r7, 11
	beq	r15, r0, first
	sendw	order, r0, r2, r1
	send	r0, r0, r7, r1
	halt
first:	recvw	r8, r9, r10
	st	[r0+12], r8
	st	[r0+13], r9
	st	[r0+14], r10
	ld	r8, [r0+1]
	recv	r8, r9, r6, r1      ; the tag is that of element 0
	st	[r0+15], r8
	li	r6, 16
	li	r7, 20
	copy	r6, r7, r4
	poll	r2, r9, r6
	st	[r0+18], r2
