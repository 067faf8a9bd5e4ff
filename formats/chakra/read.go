// SPDX-License-Identifier: Apache-2.0

package chakra

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"meshwright/internal/confine"
	"meshwright/internal/input"
)

// The bounds of a workload.
const (
	maxBytes = 256 << 20 // of a file
	maxNodes = 1 << 22   // of all ranks
	maxRanks = 1 << 16
	maxText  = 1 << 10 // bytes of a node's name that are kept
)

// numbered is a file of one rank.
var numbered = regexp.MustCompile(`^(.*)\.(\d+)\.et$`)

// Read reads a workload: every file NAME.0.et, NAME.1.et … if file is one of them,
// otherwise the file as the only rank. Its errors are *input.Error.
func Read(file string) (*Workload, error) {
	name := numbered.FindStringSubmatch(file)
	if name == nil {
		t, err := readTrace(file)
		if err != nil {
			return nil, err
		}
		return &Workload{Name: file, Traces: []Trace{*t}}, nil
	}
	last, err := strconv.Atoi(name[2])
	if err != nil || last >= maxRanks {
		return nil, input.At(file, 0, fmt.Sprintf("expected rank 0 to %d", maxRanks-1), "rank %s", name[2])
	}
	last = max(last, highest(name[1]))
	w := &Workload{Name: name[1]}
	nodes := 0
	for rank := 0; rank < maxRanks; rank++ {
		t, err := readTrace(fmt.Sprintf("%s.%d.et", name[1], rank))
		if rank > last && errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		if nodes += len(t.Nodes); nodes > maxNodes {
			return nil, input.At(t.File, 0, fmt.Sprintf("expected at most %d in all ranks", maxNodes), "%d nodes", nodes)
		}
		w.Traces = append(w.Traces, *t)
	}
	return w, nil
}

// highest returns the highest rank of which there is a file; -1 if there is none. A rank below it without a file is missing.
func highest(name string) int {
	entries, _ := confine.ReadDir(filepath.Dir(name)) // a folder that cannot be read has files that the caller knows
	most := -1
	for _, e := range entries {
		found := numbered.FindStringSubmatch(e.Name())
		if found == nil || found[1] != filepath.Base(name) {
			continue
		}
		if rank, err := strconv.Atoi(found[2]); err == nil && rank < maxRanks && strconv.Itoa(rank) == found[2] {
			most = max(most, rank)
		}
	}
	return most
}

// Repeat returns a workload in which so many ranks do the work of its first rank.
func (w *Workload) Repeat(ranks int) *Workload {
	r := &Workload{Name: w.Name}
	for range ranks {
		r.Traces = append(r.Traces, w.Traces[0])
	}
	return r
}

// readTrace reads the file of a rank.
func readTrace(file string) (*Trace, error) {
	f, err := input.OpenOnce(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, input.Unreadable(file, err)
	}
	return Parse(file, data)
}

// Parse reads the trace of one rank; file is for errors, which are *input.Error.
func Parse(file string, data []byte) (*Trace, error) {
	if len(data) > maxBytes {
		return nil, input.At(file, 0, fmt.Sprintf("expected at most %d", maxBytes), "more bytes")
	}
	t := &Trace{File: file}
	size := len(data)
	for first := true; len(data) > 0; first = false {
		message, n := protowire.ConsumeBytes(data)
		if n < 0 {
			return nil, input.At(file, 0, "expected messages of the Chakra schema, each behind its length", "the message at byte %d is cut off", size-len(data))
		}
		if err := t.message(message, first); err != nil {
			var fault *input.Error
			if errors.As(err, &fault) {
				return nil, err
			}
			return nil, input.At(file, 0, "expected messages of the Chakra schema", "the message at byte %d: %s", size-len(data), err)
		}
		data = data[n:]
	}
	if t.Version == "" {
		return nil, input.At(file, 0, "expected GlobalMetadata with version, or with an attribute schema", "no version")
	}
	return t, t.index()
}

// Begins reports whether a file begins as a trace does: with metadata that has a version.
func Begins(head []byte) bool {
	message, n := protowire.ConsumeBytes(head)
	if n < 0 {
		return false
	}
	var t Trace
	err := t.metadata(message)
	var fault *input.Error
	return (err == nil || errors.As(err, &fault)) && versioned.MatchString(t.Version)
}

// versioned is how a version begins. Other bytes that could be taken for metadata have no such text in its place.
var versioned = regexp.MustCompile(`^\d+\.\d`)

// message reads the metadata, or a node.
func (t *Trace) message(data []byte, first bool) error {
	if first {
		return t.metadata(data)
	}
	if len(t.Nodes) >= maxNodes {
		return input.At(t.File, 0, fmt.Sprintf("expected at most %d", maxNodes), "more nodes")
	}
	n := Node{Cycles: -1, Self: -1}
	if err := t.node(data, &n); err != nil {
		return err
	}
	t.Nodes = append(t.Nodes, n)
	return nil
}

// errShape is the error of bytes that are no protobuf message of the schema.
var errShape = errors.New("not of the schema's form")

// fields calls see for every field of a message: its number, its type on the wire, and its bytes
// or its number.
func fields(data []byte, see func(field protowire.Number, kind protowire.Type, number uint64, text []byte) error) error {
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return errShape
		}
		data = data[n:]
		var number uint64
		var text []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(data)
		case protowire.Fixed32Type:
			var short uint32
			short, n = protowire.ConsumeFixed32(data)
			number = uint64(short)
		case protowire.BytesType:
			text, n = protowire.ConsumeBytes(data)
		default:
			return errShape // groups are not in the schema
		}
		if n < 0 {
			return errShape
		}
		data = data[n:]
		if err := see(field, kind, number, text); err != nil {
			return err
		}
	}
	return nil
}

// metadata reads GlobalMetadata.
func (t *Trace) metadata(data []byte) error {
	err := fields(data, func(field protowire.Number, kind protowire.Type, _ uint64, text []byte) error {
		switch {
		case field == 1 && kind == protowire.BytesType:
			t.Version = string(text)
		case field == 2 && kind == protowire.BytesType:
			a, err := readAttribute(text)
			if err != nil {
				return err
			}
			if a.name == "schema" && t.Version == "" {
				t.Version = a.text
			}
		default:
			return errShape
		}
		return nil
	})
	if err != nil {
		return err
	}
	major, _, _ := strings.Cut(t.Version, ".")
	if t.Version != "" && major != "0" && major != "1" {
		return input.At(t.File, 0, "expected 0.x or 1.x, such as 0.0.4", "Chakra schema version %q", input.Clip(t.Version))
	}
	return nil
}

// The field numbers of a node.
const (
	fieldID, fieldName, fieldType, fieldCtrl, fieldData, fieldStart, fieldDuration, fieldInputs, fieldOutputs, fieldAttr = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
)

// node reads a Node.
func (t *Trace) node(data []byte, n *Node) error {
	var attributes []attribute
	err := fields(data, func(field protowire.Number, kind protowire.Type, number uint64, text []byte) error {
		bytes := kind == protowire.BytesType
		if kind != protowire.VarintType && !bytes {
			return errShape
		}
		switch {
		case field == fieldID && !bytes:
			n.ID = number
		case field == fieldName && bytes:
			n.Name = string(text[:min(len(text), maxText)])
		case field == fieldType && !bytes:
			n.Type = NodeType(number)
		case field == fieldCtrl:
			return dependences(&n.Callers, number, text, bytes)
		case field == fieldData:
			return dependences(&n.After, number, text, bytes)
		case field == fieldStart && !bytes: // when it began where it was recorded
		case field == fieldDuration && !bytes:
			n.Micros = number
		case (field == fieldInputs || field == fieldOutputs) && bytes: // shapes of tensors
		case field == fieldAttr && bytes:
			a, err := readAttribute(text)
			attributes = append(attributes, a)
			return err
		default:
			return errShape
		}
		return nil
	})
	if err != nil {
		return err
	}
	if n.Type == Invalid || n.Type >= nodeTypes {
		return t.fault(n, "expected 1 to 7: metadata, memory load or store, computation, send, reception, collective", "unknown node type %d", n.Type)
	}
	for _, a := range attributes {
		if err := t.attribute(n, a); err != nil {
			return err
		}
	}
	return nil
}

// dependences adds the nodes before a node: packed, or one.
func dependences(to *[]uint64, number uint64, text []byte, packed bool) error {
	if !packed {
		*to = append(*to, number)
		return nil
	}
	for len(text) > 0 {
		id, k := protowire.ConsumeVarint(text)
		if k < 0 {
			return errShape
		}
		*to = append(*to, id)
		text = text[k:]
	}
	return nil
}

// attribute is a value with a name.
type attribute struct {
	name   string
	field  protowire.Number
	number uint64 // of the integer types and bool; whole is set
	whole  bool
	text   string
}

// The field numbers of the values of an attribute that are read.
const (
	attrInt32, attrInt64, attrUint32, attrUint64, attrSint32, attrSint64, attrBool, attrBoolList, attrString = 7, 9, 11, 13, 15, 17, 27, 28, 29
	attrFixed32, attrFixed64, attrSfixed32, attrSfixed64                                                     = 19, 21, 23, 25
	attrLast                                                                                                 = 32
)

// readAttribute reads an AttributeProto.
func readAttribute(data []byte) (attribute, error) {
	var a attribute
	err := fields(data, func(field protowire.Number, kind protowire.Type, number uint64, text []byte) error {
		switch field {
		case 1:
			a.name = string(text)
		case 2: // doc_string
		case attrInt32, attrInt64, attrUint32, attrUint64, attrBool, attrFixed32, attrFixed64, attrSfixed32, attrSfixed64:
			a.field, a.number, a.whole = field, number, true
		case attrSint32, attrSint64:
			a.field, a.number, a.whole = field, uint64(protowire.DecodeZigZag(number)), true
		case attrString, attrBoolList:
			a.field, a.text = field, string(text)
		default:
			if field > attrLast {
				return errShape
			}
		}
		if (field <= 2 || field == attrString || field == attrBoolList) && kind != protowire.BytesType {
			return errShape
		}
		return nil
	})
	return a, err
}

// attribute gives a node the value of an attribute. Attributes with other names only describe the node.
func (t *Trace) attribute(n *Node, a attribute) error {
	var to *uint64
	switch a.name {
	case "is_cpu_op":
		n.OnCPU = a.number != 0
		return nil
	case "comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag", "root_rank", "meshwright_cycles", "num_ops":
	case "pg_name":
		if n.Group = a.text; a.whole {
			n.Group = fmt.Sprint(a.number)
		}
		return nil
	case "meshwright_route":
		n.Route = a.text
		return nil
	case "involved_dim":
		return t.dimensions(n, a)
	default:
		return nil
	}
	if !a.whole || a.number > math.MaxInt64 {
		return t.fault(n, "expected a whole number, at least 0", "attribute %s", a.name)
	}
	switch a.name {
	case "comm_type":
		n.Kind = CollectiveType(a.number)
	case "comm_size":
		n.Bytes, n.Comm = a.number, true
	case "comm_tag":
		to = &n.Tag
	case "root_rank":
		to = &n.Root
	case "meshwright_cycles":
		n.Cycles = int64(a.number)
	case "num_ops":
		n.Ops = a.number > 0
	case "comm_src", "comm_dst":
		if (a.name == "comm_dst") == (n.Type == Send) {
			to = &n.Peer
		} else {
			n.Self = int64(a.number)
		}
	}
	if to != nil {
		*to = a.number
	}
	return nil
}

// dimensions accepts involved_dim if it names all dimensions: the list is packed truths.
func (t *Trace) dimensions(n *Node, a attribute) error {
	err := fields([]byte(a.text), func(field protowire.Number, kind protowire.Type, number uint64, text []byte) error {
		values := text
		if kind == protowire.VarintType {
			values = []byte{byte(min(number, 1))}
		}
		for _, value := range values {
			if value == 0 {
				return t.fault(n, "expected all dimensions: groups of ranks are given by pg_name", "attribute involved_dim leaves out a dimension")
			}
		}
		if field != 1 {
			return errShape
		}
		return nil
	})
	return err
}

// index refuses nodes with the same id, and takes out dependences on nodes that do not exist.
func (t *Trace) index() error {
	known := make(map[uint64]bool, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if known[n.ID] {
			return t.fault(n, "expected each id once", "the id is given again")
		}
		known[n.ID] = true
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.After = t.present(n, n.After, known, &t.missing[0])
		n.Callers = t.present(n, n.Callers, known, &t.missing[1])
	}
	return nil
}

// present returns the ids of a list that the file has.
func (t *Trace) present(n *Node, ids []uint64, known map[uint64]bool, m *missing) []uint64 {
	return slices.DeleteFunc(ids, func(before uint64) bool {
		if known[before] {
			return false
		}
		if m.count++; m.first == nil {
			m.first = t.fault(n, "expected the id of a node of the file", "depends on node %d, which does not exist", before)
		}
		return true
	})
}
