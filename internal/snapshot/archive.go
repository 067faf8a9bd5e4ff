// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"unsafe"
)

// Archive writes values, reads them, or adds them to a digest.
type Archive struct {
	layouts layouts
	objects []object       // structs that pointers lead to, in the order of the first pointers
	number  map[object]int // their places in objects
	digest  bool

	out *bufio.Writer // nil: the archive reads
	in  *bufio.Reader
	// left is how many bytes there are to read: no value may be longer.
	left int64
	// scratch holds a number on its way.
	scratch [binary.MaxVarintLen64]byte
}

// object is a struct that a pointer leads to.
type object struct {
	at unsafe.Pointer
	of reflect.Type
}

// Digest is a hash of a state.
type Digest [sha256.Size]byte

// errShort is the error of an archive that ends in the middle of a value.
var errShort = errors.New("a value is longer than the file")

// NewWriter returns an archive that writes; Flush ends it.
func NewWriter(w io.Writer) *Archive {
	return &Archive{layouts: layouts{}, number: map[object]int{}, out: bufio.NewWriterSize(w, 1<<16)}
}

// NewReader returns an archive that reads size bytes.
func NewReader(r io.Reader, size int64) *Archive {
	return &Archive{layouts: layouts{}, number: map[object]int{}, in: bufio.NewReaderSize(r, 1<<16), left: size}
}

// Of returns the digest of the state of a value, with what is fixed: two values have the same
// digest only if they are built alike and in the same state. The error, when a part of the value has no
// form in a file, is an *input.Error.
func Of(pointer any) (Digest, error) {
	hash := sha256.New()
	a := NewWriter(hash)
	a.digest = true
	err := a.Keep(pointer)
	if err == nil {
		err = a.Flush()
	}
	if without := new(*unsupported); errors.As(err, without) {
		err = (*without).fault()
	}
	return Digest(hash.Sum(nil)), err
}

// Reads reports whether the archive reads; otherwise it writes.
func (a *Archive) Reads() bool { return a.out == nil }

// Keep writes the value that a pointer leads to, or reads it into its place.
func (a *Archive) Keep(pointer any) error {
	v := reflect.ValueOf(pointer)
	l, err := a.layouts.layoutOf(v.Type().Elem())
	if err != nil {
		return err
	}
	p := v.UnsafePointer()
	if a.Reads() {
		if err := a.readPrint(l); err != nil {
			return err
		}
		a.meet(object{p, l.of})
		return a.load(l, p)
	}
	if err := a.writePrint(l); err != nil {
		return err
	}
	a.meet(object{p, l.of})
	return a.save(l, p)
}

// meet enters a struct whose content comes next.
func (a *Archive) meet(o object) {
	a.number[o] = len(a.objects)
	a.objects = append(a.objects, o)
}

// Flush ends the writing.
func (a *Archive) Flush() error { return a.out.Flush() }

// bytes returns memory as bytes.
func bytes(p unsafe.Pointer, size uintptr) []byte { return unsafe.Slice((*byte)(p), size) }

// at returns the variable of type t at p.
func at(t reflect.Type, p unsafe.Pointer) reflect.Value { return reflect.NewAt(t, p).Elem() }
