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

// Watch checks at intervals whether the process uses more memory than the limit. Each time
// it does, Watch calls over from another goroutine, with the memory used, until the
// context ends.
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

// Taken returns the memory that the process has from the system: its heap, garbage and
// fragments included, stacks and the collector's tables.
func Taken() Bytes {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return Bytes(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}
