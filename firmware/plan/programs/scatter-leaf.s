; SPDX-License-Identifier: Apache-2.0
; Scatter, a node with a message to come: takes it from the root.
; Memory: the parameters, the block.

; parameters
.equ ROOT, 0
.equ ADDRESS, 1      ; where the block goes
.equ PARAMETERS, 2

	ld   r1, [r0+ROOT]
	ld   r2, [r0+ADDRESS]
	recv r3, r1, r2
	halt
