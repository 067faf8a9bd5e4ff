; A barrier: no PE goes on before all have come. PE 0 takes a token from each other PE, then it sends a token to each.
; Before it PE k works for 10 k cycles. After it every PE stores the cycle at address 0.

	now	r1
	mov	r2, r15
work:	beq	r2, r0, come
	addi	r1, r1, 10
	addi	r2, r2, -1
	jmp	work
come:	wait	r1

	bne	r15, r0, other
	addi	r3, r14, -1     ; PE 0: how many are still to come
count:	beq	r3, r0, all
	recvw	r4, r5
	addi	r3, r3, -1
	jmp	count
all:	addi	r3, r14, -1
tell:	beq	r3, r0, past
	sendw	token, r3, r0, r0
	addi	r3, r3, -1
	jmp	tell
other:	sendw	token, r0, r0, r0
	recvw	r4, r5

past:	now	r6
	st	[r0], r6
