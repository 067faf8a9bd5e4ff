; PE 0 sends two messages to PE 2; the first may be lost. PE 2 waits for one only.
	li	r4, 1
	li	r5, 2
	li	r6, 3
	beq	r15, r0, first
	bne	r15, r5, done
	recv	r1, r0, r6
done:	halt
first:	send	r5, r0, r4, r0
	send	r5, r4, r5, r4
