// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"reflect"
	"unsafe"
)

// errForm is the error of an archive whose values have another form than those
// into which it is read: another version of the program wrote it, or another job.
var errForm = errors.New("the state has another form")

// load reads the parts of a value into its place.
func (a *Archive) load(l *layout, p unsafe.Pointer) error {
	for i := range l.parts {
		if err := a.loadPart(&l.parts[i], unsafe.Add(p, l.parts[i].offset)); err != nil {
			return err
		}
	}
	return nil
}

func (a *Archive) loadPart(x *part, p unsafe.Pointer) error {
	switch x.kind {
	case copied:
		return a.read(bytes(p, x.size))
	case truth:
		return a.loadTruth((*bool)(p))
	case text:
		return a.loadText((*string)(p))
	case array:
		return a.loadElements(x, p, x.of.Len())
	case list:
		return a.loadList(x, p)
	case table:
		return a.loadTable(x, p)
	case reference:
		return a.loadReference(x, p)
	case holder:
		return a.loadHolder(x, p)
	case own:
		return at(x.of, p).Addr().Interface().(keeper).Snapshot(a)
	}
	return nil
}

func (a *Archive) loadTruth(b *bool) error {
	if err := a.read(a.scratch[:1]); err != nil {
		return err
	}
	if a.scratch[0] > 1 {
		return errForm
	}
	*b = a.scratch[0] == 1
	return nil
}

func (a *Archive) loadText(s *string) error {
	n, err := a.readLength(1)
	if err != nil {
		return err
	}
	text := make([]byte, n)
	err = a.read(text)
	*s = string(text)
	return err
}

func (a *Archive) loadElements(x *part, p unsafe.Pointer, n int) error {
	l, err := a.layouts.layoutOf(x.of.Elem())
	if err != nil {
		return err
	}
	size := l.of.Size()
	if l.plain {
		return a.read(bytes(p, uintptr(n)*size))
	}
	for i := range uintptr(n) {
		if err := a.load(l, unsafe.Add(p, i*size)); err != nil {
			return err
		}
	}
	return nil
}

// loadList reads a slice, into the memory that is there where it is large enough: others may
// share it.
func (a *Archive) loadList(x *part, p unsafe.Pointer) error {
	v := at(x.of, p)
	l, err := a.layouts.layoutOf(x.of.Elem())
	if err != nil {
		return err
	}
	least := uint64(1) // bytes of an element in the file
	if l.plain {
		least = uint64(l.of.Size())
	}
	n, some, err := a.readCount(least)
	switch {
	case err != nil:
		return err
	case !some:
		v.SetZero()
		return nil
	case !v.IsNil() && n <= v.Cap():
		v.SetLen(n)
	default:
		v.Set(reflect.MakeSlice(x.of, n, n))
	}
	return a.loadElements(x, v.UnsafePointer(), n)
}

// loadTable reads a map into the map that is there.
func (a *Archive) loadTable(x *part, p unsafe.Pointer) error {
	v := at(x.of, p)
	key, err := a.layouts.layoutOf(x.of.Key())
	value, err := either(a, x.of.Elem(), err)
	if err != nil {
		return err
	}
	n, some, err := a.readCount(1)
	switch {
	case err != nil:
		return err
	case !some:
		v.SetZero()
		return nil
	case v.IsNil():
		v.Set(reflect.MakeMap(x.of))
	default:
		v.Clear()
	}
	for range n {
		k, held := reflect.New(x.of.Key()), reflect.New(x.of.Elem())
		if err := a.load(key, k.UnsafePointer()); err != nil {
			return err
		}
		if err := a.load(value, held.UnsafePointer()); err != nil {
			return err
		}
		v.SetMapIndex(k.Elem(), held.Elem())
	}
	return nil
}

// loadReference reads a pointer. A struct that is there already is filled unless another
// pointer has led to it.
func (a *Archive) loadReference(x *part, p unsafe.Pointer) error {
	n, err := a.readNumber()
	if err != nil {
		return err
	}
	v, of := at(x.of, p), x.of.Elem()
	switch {
	case n == 0:
		v.SetZero()
		return nil
	case n > 1 && n-2 < uint64(len(a.objects)) && a.objects[n-2].of == of:
		v.Set(reflect.NewAt(of, a.objects[n-2].at))
		return nil
	case n > 1:
		return errForm
	}
	l, err := a.layouts.layoutOf(of)
	if err != nil {
		return err
	}
	if _, met := a.number[object{v.UnsafePointer(), of}]; v.IsNil() || met {
		v.Set(reflect.New(of))
	}
	to := object{v.UnsafePointer(), of}
	a.meet(to)
	return a.load(l, to.at)
}

// loadHolder reads what an interface holds; the interface must hold a value of that type.
func (a *Archive) loadHolder(x *part, p unsafe.Pointer) error {
	n, err := a.readNumber()
	if err != nil {
		return err
	}
	v := at(x.of, p)
	switch {
	case n == 0:
		v.SetZero()
		return nil
	case n > 1 || v.IsNil():
		return errForm
	}
	held := reflect.New(v.Elem().Type())
	held.Elem().Set(v.Elem())
	l, err := a.layouts.layoutOf(v.Elem().Type())
	if err != nil {
		return err
	}
	if err := a.readPrint(l); err != nil {
		return err
	}
	err = a.load(l, held.UnsafePointer())
	v.Set(held.Elem())
	return err
}

func (a *Archive) read(b []byte) error {
	if int64(len(b)) > a.left {
		return errShort
	}
	a.left -= int64(len(b))
	_, err := io.ReadFull(a.in, b)
	return err
}

func (a *Archive) readNumber() (uint64, error) {
	for i := range a.scratch {
		if err := a.read(a.scratch[i : i+1]); err != nil {
			return 0, err
		}
		if a.scratch[i] < 0x80 {
			n, size := binary.Uvarint(a.scratch[:i+1])
			if size <= 0 {
				return 0, errForm
			}
			return n, nil
		}
	}
	return 0, errForm
}

// readLength reads a number of elements of at least so many bytes each.
func (a *Archive) readLength(least uint64) (int, error) {
	n, err := a.readNumber()
	if err != nil {
		return 0, err
	}
	if n > math.MaxInt32*uint64(1<<16) || n*least > uint64(a.left) {
		return 0, errShort
	}
	return int(n), nil
}

// readCount reads a number of elements that is written plus 1; false: there are none, not even 0.
func (a *Archive) readCount(least uint64) (n int, some bool, err error) {
	count, err := a.readNumber()
	switch {
	case err != nil || count == 0:
		return 0, false, err
	case count-1 > math.MaxInt32*uint64(1<<16) || (count-1)*least > uint64(a.left):
		return 0, false, errShort
	}
	return int(count - 1), true, nil
}

func (a *Archive) readPrint(l *layout) error {
	if err := a.read(a.scratch[:8]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint64(a.scratch[:8]) != l.print {
		return errForm
	}
	return nil
}

// Source returns what Stream wrote: a reader and its bytes. Read all before the next value.
func (a *Archive) Source() (io.Reader, int64, error) {
	n, err := a.readLength(1)
	a.left -= int64(n)
	return io.LimitReader(a.in, int64(n)), int64(n), err
}
