// SPDX-License-Identifier: Apache-2.0

package router

// delayLines are the links of machines on which a hop takes several cycles: the flits that
// arrive, by cycle modulo the cycles of the longest hop.
type delayLines [][]arrival

// arriving takes out the flits that arrive at the end of cycle t; the list is valid until
// the next call of enter.
func (d delayLines) arriving(t Cycle) []arrival {
	at := int(t) % len(d)
	list := d[at]
	d[at] = d[at][:0]
	return list
}

// enter puts in a flit that crosses in cycle t a link with the longest hop.
func (d delayLines) enter(t Cycle, a arrival) {
	at := int(t+Cycle(len(d))-1) % len(d)
	d[at] = append(d[at], a)
}

// enterHop puts in a flit that crosses in cycle t a link with a hop of several cycles.
func (d delayLines) enterHop(t Cycle, hop int, a arrival) {
	at := int(t+Cycle(hop)-1) % len(d)
	d[at] = append(d[at], a)
}

// size counts the flits.
func (d delayLines) size() int {
	n := 0
	for _, line := range d {
		n += len(line)
	}
	return n
}
