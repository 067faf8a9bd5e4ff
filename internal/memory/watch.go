// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"runtime/metrics"
	"time"
)

// watchEvery is how often Watch looks: a program that fills 2 GB a second is
// seen 40 MB later.
const watchEvery = 20 * time.Millisecond

// Watch looks now and then whether the process has taken more than the limit
// after all. It calls over, from another goroutine, each time it has, with
// what is taken, until the context ends.
func Watch(ctx context.Context, limit Bytes, over func(taken Bytes)) {
	go func() {
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if taken := Taken(); taken > limit {
					over(taken)
				}
			}
		}
	}()
}

// Taken is what the process has of the system: its heap, garbage and fragments
// included, stacks and the collector's tables.
func Taken() Bytes {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return Bytes(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}
