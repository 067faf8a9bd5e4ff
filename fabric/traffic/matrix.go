// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"meshwright/internal/input"
	"meshwright/router"
)

// matrix is a pattern in which each source draws its destinations by weights. The destinations of node n, in rising
// order, are at places first[n] to first[n+1]-1 of to; a node without any does not send.
type matrix struct {
	first   []int32
	to      []router.NodeID
	until   []float64 // by place: share of the source's packets that go to this destination or one before it
	sources []router.NodeID
}

func (m *matrix) Sources() []router.NodeID { return m.sources }

func (m *matrix) nodes() int { return len(m.first) - 1 }

// Destination draws a destination, by a binary search. A single destination needs no draw, so that a matrix of a permutation has its packets.
func (m *matrix) Destination(from router.NodeID, rng *rand.Rand) router.NodeID {
	low, high := int(m.first[from]), int(m.first[from+1])-1
	if low == high {
		return m.to[low]
	}
	draw := rng.Float64()
	for low < high { // the first place whose share is above the draw
		middle := (low + high) / 2
		if m.until[middle] > draw {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return m.to[low]
}

// matrixForm names the columns of a matrix file.
const matrixForm = "source,destination,weight"

// readMatrix reads a file of weights. Nodes without a weight above 0 do not send.
func readMatrix(file string, nodes int) (Pattern, error) {
	if file == "" {
		return nil, input.Errorf("expected matrix:FILE", "a matrix without a file")
	}
	text, err := input.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return scanMatrix(text, file, nodes)
}

// weight is a row of a matrix file.
type weight struct {
	source, destination router.NodeID
	weight              float64
	line                int
}

func scanMatrix(text []byte, file string, nodes int) (Pattern, error) {
	var rows []weight
	err := input.Rows(file, text, matrixForm, func(fields []string, line int) error {
		row, err := parseWeight(fields, nodes)
		row.line = line
		rows = append(rows, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, input.At(file, 0, "expected rows of "+matrixForm, "no rows")
	}
	slices.SortStableFunc(rows, func(a, b weight) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.destination, b.destination))
	})
	if err := validPairs(rows, file); err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(row weight) bool { return row.weight == 0 })
	if len(rows) == 0 {
		return nil, input.At(file, 0, "expected at least one", "no weight above 0")
	}
	return newMatrix(rows, nodes), nil
}

func parseWeight(fields []string, nodes int) (row weight, err error) {
	if row.source, err = parseNode(fields[0], nodes); err != nil {
		return row, err
	}
	if row.destination, err = parseNode(fields[1], nodes); err != nil {
		return row, err
	}
	row.weight, err = strconv.ParseFloat(fields[2], 64)
	switch {
	case err != nil || !(row.weight >= 0) || math.IsInf(row.weight, 0):
		return row, input.Errorf("expected a number of at least 0", "weight %q", input.Clip(fields[2]))
	case row.source == row.destination && row.weight > 0:
		return row, input.Errorf("expected two nodes, or the weight 0", "node %d sends to itself", row.source)
	}
	return row, nil
}

// validPairs refuses the first line with a pair that another line has, too. Rows are sorted by pair, then by line.
func validPairs(rows []weight, file string) error {
	again := -1
	for i := 1; i < len(rows); i++ {
		a, b := &rows[i-1], &rows[i]
		if a.source == b.source && a.destination == b.destination && (again < 0 || b.line < rows[again].line) {
			again = i
		}
	}
	if again < 0 {
		return nil
	}
	row := &rows[again]
	return input.At(file, row.line, "expected one row for each pair", "source %d has a row for destination %d already, in line %d",
		row.source, row.destination, rows[again-1].line)
}

// newMatrix sums up the shares of each source. Rows are sorted by pair, and their weights are above 0.
func newMatrix(rows []weight, nodes int) *matrix {
	m := &matrix{first: make([]int32, nodes+1), to: make([]router.NodeID, len(rows)), until: make([]float64, len(rows))}
	for begin := 0; begin < len(rows); {
		source, end := rows[begin].source, begin
		largest := 0.0 // of the source, so that no sum overflows
		for ; end < len(rows) && rows[end].source == source; end++ {
			largest = max(largest, rows[end].weight)
		}
		total := 0.0
		for i := begin; i < end; i++ {
			total += rows[i].weight / largest
			m.to[i], m.until[i] = rows[i].destination, total
		}
		for i := begin; i < end; i++ {
			m.until[i] /= total
		}
		m.sources = append(m.sources, source)
		m.first[source+1] = int32(end - begin)
		begin = end
	}
	for n := range nodes {
		m.first[n+1] += m.first[n]
	}
	if len(m.sources) == nodes {
		m.sources = nil // all
	}
	return m
}
