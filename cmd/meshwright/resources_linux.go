// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"syscall"

	"meshwright/internal/input"
)

// The least that a verb needs of the system. Go waits for files with two
// descriptors of its own and runs on some eight threads; what it lacks ends the
// process with a dump, so it is looked at first.
const (
	leastFiles   = 16
	leastThreads = 16
)

// nprocLimit is RLIMIT_NPROC, which package syscall does not name.
const nprocLimit = 6

// scarce says which resource limit leaves too little to begin with; nil: none.
func scarce() error {
	for _, r := range []struct {
		limit int
		least uint64
		name  string
		what  string
	}{
		{syscall.RLIMIT_NOFILE, leastFiles, "ulimit -n", "files open at a time"},
		{nprocLimit, leastThreads, "ulimit -u", "threads"},
	} {
		if r.limit == nprocLimit && os.Geteuid() == 0 { // who may have any number
			continue
		}
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(r.limit, &limit); err == nil && limit.Cur < r.least {
			return input.Errorf("expected "+r.name+" "+itoa(int(r.least))+" or more", "the system allows %d %s", limit.Cur, r.what)
		}
	}
	return nil
}
