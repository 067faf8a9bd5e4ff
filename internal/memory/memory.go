// SPDX-License-Identifier: Apache-2.0

// Package memory knows how much memory there is, and refuses work that needs more before
// any of it is allocated.
//
// Code that allocates much memory first estimates the amount, and calls [Need]. The limit
// travels in the context, so two jobs of one process may have different limits. A context
// without a limit allows everything:
//
//	ctx = memory.With(ctx, 8*memory.GB)
//	if err := memory.Need(ctx, "the network", bytes); err != nil {
//		return err // a *TooLarge
//	}
package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
)

// Bytes is an amount of memory. Amounts that are too large to count stay at
// the largest one.
type Bytes int64

// Units, as disks and data sheets count.
const (
	KB Bytes = 1e3
	MB Bytes = 1e6
	GB Bytes = 1e9
	TB Bytes = 1e12
)

// Most is an amount that nobody has.
const Most Bytes = math.MaxInt64

// units are the suffixes that Parse knows, the longer ones first.
var units = []struct {
	name string
	size Bytes
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"TB", TB}, {"GB", GB}, {"MB", MB}, {"KB", KB}, {"kB", KB}, {"B", 1},
}

// String gives two digits at least and a unit: 850 MB, 1.5 GB, 41 GB.
func (b Bytes) String() string {
	for _, u := range []struct {
		name string
		size Bytes
	}{{"TB", TB}, {"GB", GB}, {"MB", MB}, {"kB", KB}} {
		if b < u.size {
			continue
		}
		value := float64(b) / float64(u.size)
		if value < 9.95 {
			return strconv.FormatFloat(value, 'f', 1, 64) + " " + u.name
		}
		return strconv.FormatFloat(value, 'f', 0, 64) + " " + u.name
	}
	return fmt.Sprintf("%d bytes", int64(b))
}

// Parse reads a size: a number, which may have a fraction, and a unit, B, KB,
// MB, GB, TB (powers of 1000) or KiB, MiB, GiB, TiB (of 1024).
func Parse(text string) (Bytes, error) {
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if err != nil || !(value > 0) || value*float64(u.size) < 1 {
			break
		}
		return Of(value * float64(u.size)), nil
	}
	return 0, errSize
}

var errSize = errors.New("not a size")

// Of is an amount computed in floating point, where products cannot overflow.
func Of(bytes float64) Bytes {
	if !(bytes < float64(Most)) {
		return Most
	}
	return Bytes(bytes)
}

// TooLarge is work that was refused since it needs more memory than there is.
type TooLarge struct {
	What      string // what needs the memory
	Needed    Bytes  // about, together with what is in use already
	Available Bytes  // the limit
	Taken     bool   // nobody foresaw it: so much was taken when it was stopped
	Instead   string // the largest work of the kind that fits; "": not known
}

// Error names the work, the memory that it needs and the memory that is available.
func (e *TooLarge) Error() string {
	if e.Taken {
		return fmt.Sprintf("%s needs more than %s, %s are there", e.What, e.Needed, e.Available)
	}
	return fmt.Sprintf("%s needs about %s, %s are there", e.What, e.Needed, e.Available)
}

// key is the key of the account in a context.
type key struct{}

// account is a limit, and the most that was asked for.
type account struct {
	limit Bytes
	most  atomic.Int64
}

// With limits the memory of work that is done with the context. The limit includes the
// memory that the process uses for other things.
func With(ctx context.Context, limit Bytes) context.Context {
	return context.WithValue(ctx, key{}, &account{limit: limit})
}

// Asked returns the most that was needed at once, by the estimates of all that
// asked with the context; 0 when it has no limit.
func Asked(ctx context.Context) Bytes {
	if a, ok := ctx.Value(key{}).(*account); ok {
		return Bytes(a.most.Load())
	}
	return 0
}

// Need asks for so many bytes more than are in use. The error is a *TooLarge,
// when the context has a limit and that is beyond it.
func Need(ctx context.Context, what string, bytes Bytes) error {
	a, ok := ctx.Value(key{}).(*account)
	if !ok {
		return nil
	}
	needed := plus(bytes, inUse())
	if needed > a.limit && bytes <= a.limit {
		runtime.GC() // what is in use may be garbage
		needed = plus(bytes, inUse())
	}
	a.note(needed)
	if needed > a.limit {
		return &TooLarge{What: what, Needed: needed, Available: a.limit}
	}
	return nil
}

// NeedEach is Need for so many parts of one size. The refusal says what fits instead, by the number of parts that do.
func NeedEach(ctx context.Context, what string, parts int, each Bytes, fits func(parts int) string) error {
	err := Need(ctx, what, Of(float64(parts)*float64(each)))
	var large *TooLarge
	if errors.As(err, &large) {
		large.Instead = fits(int(max(0, large.Available-inUse()) / each))
	}
	return err
}

// note keeps the most.
func (a *account) note(needed Bytes) {
	for most := a.most.Load(); int64(needed) > most && !a.most.CompareAndSwap(most, int64(needed)); {
		most = a.most.Load()
	}
}

// plus adds without overflow.
func plus(a, b Bytes) Bytes {
	if a > Most-b {
		return Most
	}
	return a + b
}

// inUse returns the size of the heap, garbage that has not been swept included.
func inUse() Bytes {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return Bytes(sample[0].Value.Uint64())
}
