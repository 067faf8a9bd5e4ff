; Sum over a ring: every PE begins with a word at address 0 and ends with the
; sum of all words at address 1. A partial sum goes round: PE 0 sends its word,
; each PE adds its own and passes the sum on; then the total goes round.
; r15 is a PE's own number, r14 the number of PEs.
.equ WORD,  0
.equ TOTAL, 1

	li	r0, 0
	li	r4, 1           ; every message is one word
	addi	r1, r15, 1      ; the next PE; the last one's is PE 0
	blt	r1, r14, inside
	li	r1, 0
inside:	addi	r2, r15, -1     ; the PE before
	bge	r2, r0, start
	addi	r2, r14, -1

start:	ld	r5, [r0+WORD]
	li	r6, TOTAL       ; address of the partial sum
	beq	r15, r0, first

	recv	r7, r2, r6      ; the sum of all PEs before this one
	ld	r8, [r0+TOTAL]
	add	r5, r5, r8
first:	st	[r0+TOTAL], r5
	send	r1, r6, r4, r0
	addi	r9, r14, -1
	beq	r15, r9, done   ; the last PE has the total
	recv	r7, r2, r6      ; the total comes round
	addi	r9, r9, -1
	beq	r15, r9, done   ; the next PE is the last
	send	r1, r6, r4, r4
done:	halt
