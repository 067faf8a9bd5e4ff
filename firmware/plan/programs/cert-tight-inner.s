; SPDX-License-Identifier: Apache-2.0
; Transmission certification without waiting, a node with children: it passes
; the token to its children in consecutive cycles, collects their certificates
; (lag c, flits n), which arrive apart since each is held back for a time of its
; own, and HOLD cycles after the token sends its own; on the order it makes those
; of its children. A subtree without flits gets no order.
;
; With L words of its own and d children with flits, their certificates sorted by
; lag, and F_k = L + n_1 + .. + n_{k-1} the flits before child k's part:
;   n = L + sum n_k,  c = max(d+1, max over k of c_k + k + 1 - F_k)
; On the order s in cycle t:
;   child k's order leaves in cycle t+k-1 and is s + F_k - 1 - k;
;   the own first flit stands in the injection register in cycle t + s - 1.
;
; Memory: the parameters, the block; scratch: the table of runs, the head of the
; list that is merged, an entry a child.

; parameters
.equ ROOT, 0
.equ PARENT, 1
.equ SELF, 2         ; this node, the message's tag
.equ ADDRESS, 3      ; of the block
.equ WORDS, 4        ; in the block
.equ HOLD, 5         ; cycles from token to certificate
.equ CHILDREN, 6     ; how many
.equ CHILD_LIST, 7   ; address of their numbers, in the order of the tokens
.equ SORTED, 8       ; address of the table of runs
.equ PARAMETERS, 9

	recvw r1, r2             ; the token
	now   r5
	ld    r1, [r0+HOLD]
	add   r1, r1, r5         ; cycle of the certificate
	ld    r2, [r0+CHILDREN]
	ld    r3, [r0+CHILD_LIST]
wake:	beq   r2, r0, collect
	ld    r4, [r3]
	wait  r5
	sendw token, r4, r0, r4
	addi  r5, r5, 1
	addi  r3, r3, 1
	addi  r2, r2, -1
	jmp   wake

collect: .include "passages/merge-sort.s" ; those with flits: the list r6

	ld    r10, [r0+WORDS]    ; all are in r6
	mov   r2, r10            ; F_k, n in the end
	li    r4, 1              ; k, then k+1
	li    r5, 0
	mov   r3, r6
sum:	beq   r3, r0, answer
	addi  r4, r4, 1
	ld    r7, [r3+LAG]
	add   r7, r7, r4
	sub   r7, r7, r2
	max   r5, r5, r7
	ld    r8, [r3+FLITS]
	add   r2, r2, r8
	ld    r3, [r3+NEXT]
	jmp   sum
answer:	max   r4, r4, r5         ; c
	ld    r5, [r0+PARENT]
	wait  r1
	sendw certificate, r5, r4, r2
	beq   r2, r0, done

	recvw r4, r5             ; s
	now   r8                 ; t
	mov   r9, r8             ; cycle of the next order
	add   r7, r4, r10
	addi  r7, r7, -2         ; the first child's order
pass:	beq   r6, r0, own
	ld    r11, [r6+NODE]
	wait  r9
	sendw order, r11, r7, r11
	ld    r11, [r6+FLITS]
	add   r7, r7, r11
	addi  r7, r7, -1
	addi  r9, r9, 1
	ld    r6, [r6+NEXT]
	jmp   pass

own:	add   r8, r8, r4
	addi  r8, r8, -1
	wait  r8
	ld    r7, [r0+ROOT]
	ld    r8, [r0+ADDRESS]
	ld    r9, [r0+SELF]
	send  r7, r8, r10, r9
done:	halt
