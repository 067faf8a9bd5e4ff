// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// share is the part of what is there that a job may take: the rest is for the
// heap's fragments, for stacks, and for what others start meanwhile.
const share = 0.8

// spare is the memory that a running Go program maps besides its heap: threads, each with a
// stack, and the collector's tables.
const spare = 128 << 20

// There returns how much memory a job of this process may take: four fifths of
// the least of what the machine has available, the control groups (v1 and v2)
// that the process is in, and its resource limits (ulimit -v, -d). It is Most
// where the system tells none of them.
func There() Bytes { return there(os.DirFS("/"), resourceLimit) }

// rlimit is a resource limit that counts memory.
type rlimit int

// The resource limits: ulimit -v and -d.
const (
	addressSpace rlimit = iota
	dataSegment
)

// there is There for a file system and for limits, math.MaxUint64 when there is none.
func there(system fs.FS, limitOf func(rlimit) uint64) Bytes {
	least := available(system)
	for _, dir := range groups(system) {
		for _, file := range []string{"memory.max", "memory.limit_in_bytes"} {
			if n, ok := number(system, path.Join(dir, file)); ok {
				least = min(least, n)
			}
		}
	}
	if least == math.MaxUint64 {
		least = uint64(Most)
	}
	for _, r := range []struct {
		kind  rlimit
		field string // of what is taken already
	}{{addressSpace, "VmSize"}, {dataSegment, "VmData"}} {
		if limit := limitOf(r.kind); limit != math.MaxUint64 {
			taken := field(system, "proc/self/status", r.field) + spare
			least = min(least, limit-min(limit, taken))
		}
	}
	if least >= uint64(Most) {
		return Most
	}
	return Bytes(share * float64(least))
}

// Limited reports whether a resource limit (ulimit -v, -d) bounds the memory.
func Limited() bool {
	return resourceLimit(addressSpace) != math.MaxUint64 || resourceLimit(dataSegment) != math.MaxUint64
}

// available returns the memory that the machine can give without swapping.
func available(system fs.FS) uint64 {
	if bytes := field(system, "proc/meminfo", "MemAvailable"); bytes > 0 {
		return bytes
	}
	return math.MaxUint64
}

// groups lists the folders of the control groups that the process is in, and
// the folders around them. In a container the listed names may be the host's names,
// which do not exist inside; the topmost folder then is the container's own.
func groups(system fs.FS) []string {
	const root = "sys/fs/cgroup"
	text, err := fs.ReadFile(system, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var dirs []string
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:path
		if len(parts) != 3 {
			continue
		}
		base := root
		if parts[1] != "" { // version 1: a folder for each controller
			base = path.Join(root, "memory")
			if !strings.Contains(","+parts[1]+",", ",memory,") {
				continue
			}
		}
		for at := path.Clean("/" + parts[2]); ; at = path.Dir(at) {
			dirs = append(dirs, path.Join(base, at))
			if at == "/" {
				break
			}
		}
	}
	return dirs
}

// number reads a file that holds a number of bytes.
func number(system fs.FS, name string) (uint64, bool) {
	text, err := fs.ReadFile(system, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil // "max" is no limit
}

// field reads a line such as "VmSize:  1000 kB"; 0 when there is none.
func field(system fs.FS, name, label string) uint64 {
	text, err := fs.ReadFile(system, name)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, label+":"); ok {
			n, _ := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return n << 10
		}
	}
	return 0
}
