; SPDX-License-Identifier: Apache-2.0
; Insertion into a sorted list: the entry at r5, of lag r7, goes behind all entries of
; the list at r3 whose lag is not larger. The list begins with its head, an entry of
; lag 0. r4 is the last entry before and after; r5 becomes the place of the next one.
;
; The program that includes this file names the parts of an entry: NEXT, which is 0 in
; the last entry, and LAG; and ENTRY, the words of an entry. r0 is 0. r11 to r13 change.

	mov   r11, r4            ; most often it is the last
	ld    r12, [r4+LAG]
	bge   r7, r12, append
	mov   r11, r3
place:	ld    r12, [r11+NEXT]
	ld    r13, [r12+LAG]
	blt   r7, r13, insert
	mov   r11, r12
	jmp   place
append:	mov   r4, r5
	li    r12, 0
insert:	st    [r5+NEXT], r12
	st    [r11+NEXT], r5
	addi  r5, r5, ENTRY
