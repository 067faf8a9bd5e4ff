; A table of constants in the data memory, which a memory image fills: each PE stores its entry at address 0.
.equ TABLE, 16

	ld	r1, [r15+TABLE]
	st	[r0], r1
