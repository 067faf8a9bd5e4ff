// SPDX-License-Identifier: Apache-2.0

package bound

import "math"

// weights are those of some rows, at least 0 and 1 together, with which the most profitable plans of all kinds together are worth least. A plan is worth the sum of weight * what it has in the row. Each row has a value of its own besides:
//
//	minimise    sum of weight*own  +  sum over kinds of count*(weight*first plan + slack of the first plan)
//	subject to  slack of a plan = slack of the kind's first plan + weight*(first plan - plan)  >=  0
//
// The first plan of each kind is given, others are added. A plan adds a line to the table. If its slack is negative, the dual simplex method exchanges variables until none is. So the table has a line for a plan, not for a row, and is small.
type weights struct {
	rows  int
	first [][]float64 // by kind
	cost  []float64   // what each free variable adds to the sum
	sum   float64     // if they are 0
	lines []line
	free  []int // by column: the variable. Weights come first, then the slacks of first plans, then the others
	place []int // by variable: its column, or -1-(its line)
}

// line gives a variable by the free ones.
type line struct {
	variable int
	value    float64   // if they are 0
	change   []float64 // what each of them adds
}

// tiny is a part of a word, or of a weight, that counts as nothing.
const tiny = 1e-9

// newWeights returns the weights of the first plan of each kind: 1 for the row that is worth least.
func newWeights(own, count []float64, first [][]float64) *weights {
	w := &weights{rows: len(own), first: first, place: make([]int, len(own)+len(first))}
	worth, least, size := make([]float64, len(own)), 0, 0.0
	for r := range own {
		worth[r] = own[r]
		for k, plan := range first {
			worth[r] += count[k] * plan[r]
		}
		if worth[r] < worth[least] {
			least = r
		}
		size = max(size, math.Abs(own[r]))
	}
	only := line{variable: least, value: 1}
	w.sum, w.place[least] = worth[least], -1
	add := func(variable int, cost, change float64) {
		w.place[variable] = len(w.free)
		w.free, w.cost, only.change = append(w.free, variable), append(w.cost, cost), append(only.change, change)
	}
	for r := range own {
		if r != least {
			add(r, worth[r]-worth[least]+size*unlike(r), -1)
		}
	}
	for k := range first {
		add(len(own)+k, count[k], 0)
	}
	w.lines = []line{only}
	return w
}

// unlike makes costs differ a little. Equal ones can lead the exchanges in a circle.
func unlike(r int) float64 { return 1e-8 * float64(1+r*97%101) }

// add adds a plan of each kind, and reports whether the weights change.
func (w *weights) add(plans [][]float64) bool {
	lines := len(w.lines)
	for kind, plan := range plans {
		if slack := w.slack(kind, plan); slack.value < -tiny {
			w.place = append(w.place, -1-len(w.lines))
			w.lines = append(w.lines, slack)
		}
	}
	w.solve()
	return len(w.lines) > lines
}

// slack returns the line of a plan.
func (w *weights) slack(kind int, plan []float64) line {
	slack := line{variable: len(w.place), change: make([]float64, len(w.free))}
	slack.add(w, w.rows+kind, 1)
	for r, x := range w.first[kind] {
		if x != plan[r] {
			slack.add(w, r, x-plan[r])
		}
	}
	return slack
}

// add adds a multiple of a variable.
func (l *line) add(w *weights, variable int, times float64) {
	at := w.place[variable]
	if at >= 0 {
		l.change[at] += times
		return
	}
	l.value += times * w.lines[-1-at].value
	for c, x := range w.lines[-1-at].change {
		l.change[c] += times * x
	}
}

// solve exchanges variables until none is negative. It may stop before: the sum is never more than the least one.
func (w *weights) solve() {
	for range maxExchanges {
		leaves := 0
		for i, l := range w.lines {
			if l.value < w.lines[leaves].value {
				leaves = i
			}
		}
		if w.lines[leaves].value >= -tiny {
			return
		}
		enters, ratio := -1, math.Inf(1)
		for c, x := range w.lines[leaves].change {
			if x > tiny && w.cost[c] < ratio*x {
				enters, ratio = c, w.cost[c]/x
			}
		}
		if enters < 0 {
			return
		}
		w.exchange(leaves, enters)
	}
}

// maxExchanges bounds the work for a plan.
const maxExchanges = 500

// exchange frees the variable of a line, and gives a free one the line.
func (w *weights) exchange(i, c int) {
	l := &w.lines[i]
	x := l.change[c]
	for other := range l.change {
		l.change[other] /= -x
	}
	l.change[c] = 1 / x
	l.value /= -x
	for other := range w.lines {
		if o := &w.lines[other]; other != i {
			o.value += put(o.change, l, c)
		}
	}
	w.sum += put(w.cost, l, c)
	l.variable, w.free[c] = w.free[c], l.variable
	w.place[l.variable], w.place[w.free[c]] = -1-i, c
}

// put puts the line of a variable that was free for the variable, and returns what this adds to the value.
func put(change []float64, l *line, c int) float64 {
	x := change[c]
	if x == 0 {
		return 0
	}
	change[c] = 0
	for other, y := range l.change {
		change[other] += x * y
	}
	return x * l.value
}

// list returns the weights of all rows.
func (w *weights) list() []float64 {
	list := make([]float64, w.rows)
	for r := range list {
		if at := w.place[r]; at < 0 {
			list[r] = max(0, w.lines[-1-at].value)
		}
	}
	return list
}
