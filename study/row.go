// SPDX-License-Identifier: Apache-2.0

package study

import (
	"strconv"

	"meshwright/internal/input"
	"meshwright/router"
)

// Source says where a row's cycles are from.
type Source string

// The sources.
const (
	Model     Source = "model"     // run as firmware, every word compared
	Predicted Source = "predicted" // predicted by following all PEs, message by message: exact where no PE is sent to while it sends
	Formula   Source = "formula"   // not run, and neither predicted message by message
)

// formerPredicted is the source of predicted rows in files that were written before it
// got that name.
const formerPredicted = "foretold"

// Point names one run: it is the key of a row.
type Point struct {
	Collective string
	Topology   string // its spec
	Machine    string // as machine.Describe says it
	Sync       bool   // with tokens
	Contender
	Flits  int // of a PE's block
	Source Source
}

// Contender is an algorithm, and how it begins.
type Contender struct{ Algorithm, Start string }

// String returns algorithm/start, the form of ParseContender.
func (c Contender) String() string {
	if c.Start == "" {
		return c.Algorithm
	}
	return c.Algorithm + "/" + c.Start
}

// Row is the result of one run.
type Row struct {
	Point
	A, B    int // bridgeheads and steps of a round, 0: none
	Bytes   int // of a PE's block, in whole flits
	Cycles  router.Cycle
	Formula router.Cycle
}

// columns of a row in a file, in order.
var columns = []struct {
	name string
	get  func(*Row) string
	set  func(*Row, string) error
}{
	{"collective", func(r *Row) string { return r.Collective }, func(r *Row, s string) error { r.Collective = s; return nil }},
	{"topology", func(r *Row) string { return r.Topology }, func(r *Row, s string) error { r.Topology = s; return nil }},
	{"machine", func(r *Row) string { return r.Machine }, func(r *Row, s string) error { r.Machine = s; return nil }},
	{"sync", func(r *Row) string { return strconv.FormatBool(r.Sync) }, func(r *Row, s string) error { return parseBool(&r.Sync, s) }},
	{"algorithm", func(r *Row) string { return r.Algorithm }, func(r *Row, s string) error { r.Algorithm = s; return nil }},
	{"start", func(r *Row) string { return r.Start }, func(r *Row, s string) error { r.Start = s; return nil }},
	{"a", func(r *Row) string { return strconv.Itoa(r.A) }, func(r *Row, s string) error { return parseCount(&r.A, s) }},
	{"b", func(r *Row) string { return strconv.Itoa(r.B) }, func(r *Row, s string) error { return parseCount(&r.B, s) }},
	{"bytes", func(r *Row) string { return strconv.Itoa(r.Bytes) }, func(r *Row, s string) error { return parseCount(&r.Bytes, s) }},
	{"flits", func(r *Row) string { return strconv.Itoa(r.Flits) }, func(r *Row, s string) error { return parseCount(&r.Flits, s) }},
	{"source", func(r *Row) string { return string(r.Source) }, parseSource},
	{"cycles", func(r *Row) string { return strconv.FormatInt(int64(r.Cycles), 10) }, func(r *Row, s string) error { return parseCycles(&r.Cycles, s) }},
	{"formula", func(r *Row) string { return strconv.FormatInt(int64(r.Formula), 10) }, func(r *Row, s string) error { return parseCycles(&r.Formula, s) }},
}

func parseBool(to *bool, text string) error {
	value, err := strconv.ParseBool(text)
	if err != nil {
		return input.Errorf("expected true or false", "%q", text)
	}
	*to = value
	return nil
}

func parseCount(to *int, text string) error {
	value, err := strconv.Atoi(text)
	if err != nil || value < 0 {
		return input.Errorf("expected a whole number from 0", "%q", text)
	}
	*to = value
	return nil
}

func parseCycles(to *router.Cycle, text string) error {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || value < 0 {
		return input.Errorf("expected a whole number from 0", "%q", text)
	}
	*to = router.Cycle(value)
	return nil
}

func parseSource(r *Row, text string) error {
	if text == formerPredicted {
		text = string(Predicted)
	}
	if r.Source = Source(text); r.Source != Model && r.Source != Predicted && r.Source != Formula {
		return input.Errorf("expected model, predicted or formula", "source %q", text)
	}
	return nil
}
