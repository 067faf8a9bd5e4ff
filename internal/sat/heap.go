// SPDX-License-Identifier: Apache-2.0

package sat

// heap holds variables, the most active first.
type heap struct {
	list     []int32
	at       []int32 // by variable: its place in list; -1: not there
	activity []float64
}

func (h *heap) push(v int32) {
	if h.at[v] < 0 {
		h.at[v] = int32(len(h.list))
		h.list = append(h.list, v)
		h.up(v)
	}
}

func (h *heap) put(i int32, v int32) { h.list[i], h.at[v] = v, i }

// up moves a variable that has become more active.
func (h *heap) up(v int32) {
	i := h.at[v]
	if i < 0 {
		return
	}
	for i > 0 {
		parent := (i - 1) / 2
		if h.activity[h.list[parent]] >= h.activity[v] {
			break
		}
		h.put(i, h.list[parent])
		i = parent
	}
	h.put(i, v)
}

func (h *heap) pop() int32 {
	top := h.list[0]
	h.remove(top)
	return top
}

// remove takes a variable out, if it is there.
func (h *heap) remove(v int32) {
	i := h.at[v]
	if i < 0 {
		return
	}
	h.at[v] = -1
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	if last == v {
		return
	}
	for {
		child := 2*i + 1
		if int(child) >= len(h.list) {
			break
		}
		if int(child)+1 < len(h.list) && h.activity[h.list[child+1]] > h.activity[h.list[child]] {
			child++
		}
		if h.activity[h.list[child]] <= h.activity[last] {
			break
		}
		h.put(i, h.list[child])
		i = child
	}
	h.put(i, last)
	h.up(last)
}
