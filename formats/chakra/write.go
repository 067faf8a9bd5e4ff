// SPDX-License-Identifier: Apache-2.0

package chakra

import (
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// schemaVersion is the version of the schema that Write follows.
const schemaVersion = "0.0.4"

// Write writes a trace; Parse reads it back.
func (t *Trace) Write(w io.Writer) error {
	metadata := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), schemaVersion)
	buffer := protowire.AppendBytes(nil, metadata)
	for i := range t.Nodes {
		buffer = protowire.AppendBytes(buffer, t.Nodes[i].message())
		if len(buffer) < 1<<16 {
			continue
		}
		if _, err := w.Write(buffer); err != nil {
			return err
		}
		buffer = buffer[:0]
	}
	_, err := w.Write(buffer)
	return err
}

// message is a node in the schema's form.
func (n *Node) message() []byte {
	number := func(b []byte, field protowire.Number, value uint64) []byte {
		if value == 0 {
			return b // the default of the schema
		}
		return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), value)
	}
	b := number(nil, fieldID, n.ID)
	b = protowire.AppendString(protowire.AppendTag(b, fieldName, protowire.BytesType), n.Name)
	b = number(b, fieldType, uint64(n.Type))
	var after []byte
	for _, id := range n.After {
		after = protowire.AppendVarint(after, id)
	}
	if len(after) > 0 {
		b = protowire.AppendBytes(protowire.AppendTag(b, fieldData, protowire.BytesType), after)
	}
	b = number(b, fieldDuration, n.Micros)
	for _, a := range n.attributes() {
		b = protowire.AppendBytes(protowire.AppendTag(b, fieldAttr, protowire.BytesType), a.message())
	}
	return b
}

// attributes lists the attributes of a node.
func (n *Node) attributes() []attribute {
	whole := func(name string, field protowire.Number, value uint64) attribute {
		return attribute{name: name, field: field, number: value, whole: true}
	}
	list := []attribute{whole("is_cpu_op", attrBool, 0)}
	if n.OnCPU {
		list[0].number = 1
	}
	if n.Cycles >= 0 {
		list = append(list, whole("meshwright_cycles", attrInt64, uint64(n.Cycles)))
	}
	if !n.Comm {
		return list
	}
	list = append(list, whole("comm_size", attrInt64, n.Bytes))
	switch n.Type {
	case Collective:
		list = append(list, whole("comm_type", attrInt64, uint64(n.Kind)), whole("root_rank", attrInt64, n.Root))
		if n.Group != "" {
			list = append(list, attribute{name: "pg_name", field: attrString, text: n.Group})
		}
	case Send:
		list = append(list, whole("comm_dst", attrInt32, n.Peer), whole("comm_tag", attrInt32, n.Tag))
		if n.Route != "" {
			list = append(list, attribute{name: "meshwright_route", field: attrString, text: n.Route})
		}
	case Receive:
		list = append(list, whole("comm_src", attrInt32, n.Peer), whole("comm_tag", attrInt32, n.Tag))
	}
	return list
}

// message is an attribute in the schema's form.
func (a attribute) message() []byte {
	b := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), a.name)
	if a.whole {
		return protowire.AppendVarint(protowire.AppendTag(b, a.field, protowire.VarintType), a.number)
	}
	return protowire.AppendString(protowire.AppendTag(b, a.field, protowire.BytesType), a.text)
}
