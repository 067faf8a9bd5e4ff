// SPDX-License-Identifier: Apache-2.0

package store

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// deadMan is the byte of SQLite's index of the journal that every process locks as long as it has the database open
// (UNIX_SHM_DMS in SQLite's os_unix.c).
const deadMan = 128

// index is the end of the name of that file.
const index = "-shm"

// Other returns a process that has a store open, here or on another computer: then its number is 0. ok is false if there is none, or none that is
// known. It is to be asked before this process opens the store: whoever closes a file loses the locks that the process has on it.
func Other(path string) (process int, ok bool) {
	f, err := os.Open(path + index)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: deadMan, Len: 1}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock); err != nil || lock.Type == unix.F_UNLCK {
		return 0, false
	}
	return max(0, int(lock.Pid)), true
}
