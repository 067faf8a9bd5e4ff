; Ping-pong: PE 0 sends a block to the last PE, which sends it back, ROUNDS times.
; PE 0 then stores the cycles that this took at address CYCLES.
; All PEs run this program: r15 is a PE's own number, r14 the number of PEs.
.equ ROUNDS, 4
.equ WORDS,  8          ; words of the block, which begins at address 0
.equ CYCLES, WORDS      ; where PE 0 stores the time

	addi	r1, r14, -1     ; the last PE
	li	r2, 0           ; address of the block
	li	r3, WORDS
	li	r4, 0           ; number of the round, and tag of its messages
	li	r5, ROUNDS
	beq	r15, r2, ping
	beq	r15, r1, pong
	halt                    ; all others have nothing to do

ping:	send	r1, r2, r3, r4
	recv	r6, r1, r2      ; wait for the block to come back
	addi	r4, r4, 1
	blt	r4, r5, ping
	now	r7
	st	[r3+CYCLES-WORDS], r7
	halt

pong:	li	r8, 0           ; from PE 0
	recv	r6, r8, r2
	send	r8, r2, r3, r4
	addi	r4, r4, 1
	blt	r4, r5, pong
	halt
