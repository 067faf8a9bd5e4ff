; SPDX-License-Identifier: Apache-2.0
; Scatter and gather over several trees, a node that takes: pieces of blocks,
; as they come. The tag says which piece it is: below NODES the beginning (or
; the whole) of that node's block, else the piece that begins at word
; tag - NODES of all blocks.
; Memory: the parameters, the addresses of the blocks that come, the blocks.

; parameters
.equ COUNT, 0        ; pieces to come
.equ NODES, 1        ; in the network
.equ TABLE, 2        ; block of node n: address in word TABLE+n
.equ REST, 3         ; address of word w of all blocks, less NODES
.equ PARAMETERS, 4

	ld   r1, [r0+COUNT]
	ld   r2, [r0+NODES]
	ld   r3, [r0+TABLE]
	ld   r4, [r0+REST]
next:	beq  r1, r0, done
	probe r5, r6, r7
	add  r8, r4, r7
	bge  r7, r2, take
	add  r8, r3, r7
	ld   r8, [r8+0]
take:	recv r5, r6, r8
	addi r1, r1, -1
	jmp  next
done:	halt
