// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	gobytes "bytes"
	"encoding/binary"
	"io"
	"reflect"
	"slices"
	"unsafe"
)

// save writes the parts of a value. Errors are those of the file, or *unsupported.
func (a *Archive) save(l *layout, p unsafe.Pointer) error {
	for i := range l.parts {
		if err := a.savePart(&l.parts[i], unsafe.Add(p, l.parts[i].offset)); err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) savePart(x *part, p unsafe.Pointer) error {
	switch x.kind {
	case copied:
		return a.write(bytes(p, x.size))
	case truth:
		if *(*bool)(p) {
			return a.out.WriteByte(1)
		}
		return a.out.WriteByte(0)
	case text:
		s := *(*string)(p)
		if err := a.writeNumber(uint64(len(s))); err != nil {
			return err
		}
		_, err := a.out.WriteString(s)
		return err
	case array:
		return a.saveElements(x, p, x.of.Len())
	case list:
		return a.saveList(x, p)
	case table:
		return a.saveTable(x, p)
	case reference:
		return a.saveReference(x, p)
	case holder:
		return a.saveHolder(x, p)
	case own:
		return at(x.of, p).Addr().Interface().(keeper).Snapshot(a)
	case fixed:
		return a.saveFixed(x, p)
	}
	return nil
}

// saveFixed adds what is not kept to a digest.
func (a *Archive) saveFixed(x *part, p unsafe.Pointer) error {
	if !a.digest {
		return nil
	}
	l, err := a.layouts.layoutOf(x.of)
	if err != nil {
		return err
	}
	return a.save(l, p)
}

// saveElements writes elements that lie one after the other.
func (a *Archive) saveElements(x *part, p unsafe.Pointer, n int) error {
	l, err := a.layouts.layoutOf(x.of.Elem())
	if err != nil {
		return named(err, x)
	}
	size := l.of.Size()
	if l.plain {
		return a.write(bytes(p, uintptr(n)*size))
	}
	for i := range uintptr(n) {
		if err := a.save(l, unsafe.Add(p, i*size)); err != nil {
			return err
		}
	}
	return nil
}

// saveList writes a slice: its length plus 1, 0 for nil, then its elements.
func (a *Archive) saveList(x *part, p unsafe.Pointer) error {
	v := at(x.of, p)
	if v.IsNil() {
		return a.writeNumber(0)
	}
	if err := a.writeNumber(uint64(v.Len()) + 1); err != nil {
		return err
	}
	return a.saveElements(x, v.UnsafePointer(), v.Len())
}

// saveTable writes a map as a slice of keys and values, in the order of the keys' bytes.
func (a *Archive) saveTable(x *part, p unsafe.Pointer) error {
	v := at(x.of, p)
	if v.IsNil() {
		return a.writeNumber(0)
	}
	key, err := a.layouts.layoutOf(x.of.Key())
	if err == nil && !key.plain {
		err = &unsupported{Why: "a key of the map is not a number"}
	}
	value, err := either(a, x.of.Elem(), err)
	if err != nil {
		return named(err, x)
	}
	if err := a.writeNumber(uint64(v.Len()) + 1); err != nil {
		return err
	}
	for _, k := range sortedKeys(v, key) {
		if err := a.save(key, k.UnsafePointer()); err != nil {
			return err
		}
		held := reflect.New(x.of.Elem())
		held.Elem().Set(v.MapIndex(k.Elem()))
		if err := a.save(value, held.UnsafePointer()); err != nil {
			return err
		}
	}
	return nil
}

// either is the layout of a type unless there has been an error.
func either(a *Archive, t reflect.Type, err error) (*layout, error) {
	if err != nil {
		return nil, err
	}
	return a.layouts.layoutOf(t)
}

// sortedKeys returns pointers to the keys of a map.
func sortedKeys(v reflect.Value, l *layout) []reflect.Value {
	var keys []reflect.Value
	for it := v.MapRange(); it.Next(); {
		k := reflect.New(l.of)
		k.Elem().Set(it.Key())
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y reflect.Value) int {
		return gobytes.Compare(bytes(x.UnsafePointer(), l.of.Size()), bytes(y.UnsafePointer(), l.of.Size()))
	})
	return keys
}

// saveReference writes a pointer: 0 for nil, 1 and the struct the first time, and
// later its number plus 2.
func (a *Archive) saveReference(x *part, p unsafe.Pointer) error {
	to := object{*(*unsafe.Pointer)(p), x.of.Elem()}
	if to.at == nil {
		return a.writeNumber(0)
	}
	if k, met := a.number[to]; met {
		return a.writeNumber(uint64(k) + 2)
	}
	l, err := a.layouts.layoutOf(to.of)
	if err != nil {
		return named(err, x)
	}
	if err := a.writeNumber(1); err != nil {
		return err
	}
	a.meet(to)
	return a.save(l, to.at)
}

// saveHolder writes what an interface holds: nothing, or the print of its type and the value.
func (a *Archive) saveHolder(x *part, p unsafe.Pointer) error {
	v := at(x.of, p)
	if v.IsNil() {
		return a.writeNumber(0)
	}
	held := reflect.New(v.Elem().Type())
	held.Elem().Set(v.Elem())
	l, err := a.layouts.layoutOf(v.Elem().Type())
	if err != nil {
		return named(err, x)
	}
	if err := a.writeNumber(1); err != nil {
		return err
	}
	if err := a.writePrint(l); err != nil {
		return err
	}
	return a.save(l, held.UnsafePointer())
}

// named gives an *unsupported the name of a field that has none.
func named(err error, x *part) error {
	if u, ok := err.(*unsupported); ok && u.Field == "" {
		return &unsupported{x.name, u.Why}
	}
	return err
}

func (a *Archive) write(b []byte) error {
	_, err := a.out.Write(b)
	return err
}

func (a *Archive) writeNumber(n uint64) error {
	return a.write(binary.AppendUvarint(a.scratch[:0], n))
}

func (a *Archive) writePrint(l *layout) error {
	return a.write(binary.LittleEndian.AppendUint64(a.scratch[:0], l.print))
}

// Stream writes size bytes of a source; of an archive that reads see Source.
func (a *Archive) Stream(from io.Reader, size int64) error {
	if err := a.writeNumber(uint64(size)); err != nil {
		return err
	}
	_, err := io.CopyN(a.out, from, size)
	return err
}
