; Root of a scatter: sends LENGTH words to each node from LAST down to 1.
.equ LENGTH, 4
.equ LAST, 0x7       # highest node
.equ BLOCKS, 0x00400000

	li	r1, LAST
	la	r2, BLOCKS+LENGTH-1   ; two words
	li	r3, LENGTH
	li	r4, 1
	li	r5, 0
next:
again:	blt	r1, r4, done
	send	r1, r2, r3, r5
	send	r1, r2, r3, r5, 2
	sendw	token, r1, r4, r5
	add	r2, r2, r3
	addi	r5, r5, 1
	addi	r1, r1, -1
	jmp	next
done:	recv	r6, r7, r2
	recvw	r8, r9
	st	[r2-LENGTH], r8
	ld	r8, [r2]
	beq	r8, r9, .+2
	wait	r9
	halt
end:
