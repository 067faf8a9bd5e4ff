// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"strconv"
	"strings"

	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/packet"
)

// maxPackets bounds the packets of a message: all are lists in memory.
const maxPackets = 1 << 22

const packetForms = "expected a number of packets, or their flits such as 2+1"

// ParsePackets reads how messages of these lengths are split, and returns the
// flits of every node's packets in order: "3", three even packets of every
// message; "0,2,2+1,1", an entry for each node in rising order, the root
// (router.None: no root) left out; or "@FILE", a CSV of node,packets in which
// nodes without a row have one packet. An entry is a number of even packets or
// the flits of all of them.
func ParsePackets(text string, lengths []int, root router.NodeID) ([][]int, error) {
	if file, ok := strings.CutPrefix(text, "@"); ok {
		if file == "" {
			return nil, input.Errorf("expected @FILE", "no file name behind @")
		}
		content, err := input.ReadFile(file)
		if err != nil {
			return nil, err
		}
		return scanPackets(content, file, lengths)
	}
	fields := strings.Split(text, ",")
	if len(fields) == 1 && !strings.Contains(text, "+") {
		return samePackets(text, lengths)
	}
	return listedPackets(fields, lengths, root)
}

// samePackets splits every message into the same number of packets.
func samePackets(text string, lengths []int) ([][]int, error) {
	sizes := make([][]int, len(lengths))
	for n, length := range lengths {
		if length == 0 {
			continue
		}
		var err error
		if sizes[n], err = splitMessage(n, text, length); err != nil {
			return nil, err
		}
	}
	return sizes, nil
}

func listedPackets(fields []string, lengths []int, root router.NodeID) ([][]int, error) {
	room := len(lengths)
	if root != router.None {
		room--
	}
	if len(fields) != room {
		return nil, input.Errorf("expected 1 for all, or "+strconv.Itoa(room)+", one for each node but the root", "%s", input.Count(len(fields), "split"))
	}
	sizes := make([][]int, len(lengths))
	node := 0
	for _, field := range fields {
		if router.NodeID(node) == root {
			node++
		}
		var err error
		if sizes[node], err = splitMessage(node, strings.TrimSpace(field), lengths[node]); err != nil {
			return nil, err
		}
		node++
	}
	return sizes, nil
}

func scanPackets(text []byte, file string, lengths []int) ([][]int, error) {
	const form = "node,packets"
	sizes, lines := make([][]int, len(lengths)), make([]int, len(lengths))
	for n, length := range lengths {
		if length > 0 {
			sizes[n] = []int{length}
		}
	}
	rows := 0
	err := input.Rows(file, text, form, func(fields []string, line int) error {
		rows++
		node, err := strconv.Atoi(fields[0])
		switch {
		case err != nil || node < 0 || node >= len(lengths):
			return input.Errorf("expected 0 to "+strconv.Itoa(len(lengths)-1), "%q is not a node", fields[0])
		case lines[node] != 0:
			return input.Errorf("expected one row a node", "node %d has a row already, in line %d", node, lines[node])
		}
		lines[node] = line
		sizes[node], err = splitMessage(node, fields[1], lengths[node])
		return err
	})
	if err == nil && rows == 0 {
		err = input.At(file, 0, "expected rows of "+form, "no packets")
	}
	if err != nil {
		return nil, err
	}
	return sizes, nil
}

// splitMessage cuts a node's message by an entry.
func splitMessage(node int, entry string, length int) ([]int, error) {
	if length == 0 {
		if entry != "" && entry != "0" {
			return nil, input.Errorf("expected 0: it has no message", "node %d: packets %q", node, entry)
		}
		return nil, nil
	}
	if !strings.Contains(entry, "+") {
		return evenPackets(node, entry, length)
	}
	var sizes []int
	sum := 0
	for _, part := range strings.Split(entry, "+") {
		size, err := strconv.Atoi(part)
		if err != nil || size < 1 || size > length {
			return nil, input.Errorf(packetForms, "node %d: packets %q", node, entry)
		}
		sizes = append(sizes, size)
		sum += size
	}
	if sum != length {
		return nil, input.Errorf("expected "+strconv.Itoa(length)+", its length", "node %d: packets %s are %d flits", node, entry, sum)
	}
	return sizes, nil
}

func evenPackets(node int, entry string, length int) ([]int, error) {
	count, err := strconv.Atoi(entry)
	if err != nil || count < 1 {
		return nil, input.Errorf(packetForms, "node %d: packets %q", node, entry)
	}
	if count > length {
		return nil, input.Errorf("expected at most one for each flit", "node %d: %d packets of %s", node, count, input.Count(length, "flit"))
	}
	if count > maxPackets {
		return nil, input.Errorf("expected at most "+strconv.Itoa(maxPackets), "node %d: %d packets", node, count)
	}
	split, err := packet.EvenSplit(int64(length), int64(count))
	if err != nil {
		return nil, err
	}
	return split.Sizes(), nil
}
