// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestSizes(t *testing.T) {
	for _, row := range []struct {
		text string
		want Bytes
	}{
		{"8GB", 8 * GB}, {"512MB", 512 * MB}, {"1.5GB", 1500 * MB}, {"2 TB", 2 * TB}, {"64KB", 64 * KB}, {"64kB", 64 * KB},
		{"1KiB", 1024}, {"2GiB", 2 << 30}, {"1TiB", 1 << 40}, {"3MiB", 3 << 20}, {"100B", 100}, {"1e30TB", Most},
	} {
		got, err := Parse(row.text)
		require.NoError(t, err, row.text)
		require.Equal(t, row.want, got, row.text)
	}
	for _, text := range []string{"", "8", "GB", "-1GB", "0GB", "8 Gigabytes", "NaNGB", "0.1B", "8GBs", "0x10MB garbage"} {
		_, err := Parse(text)
		require.Error(t, err, text)
	}
}

func TestSizesAsText(t *testing.T) {
	for _, row := range []struct {
		bytes Bytes
		want  string
	}{
		{41_200 * MB, "41 GB"}, {1540 * MB, "1.5 GB"}, {850 * MB, "850 MB"}, {999, "999 bytes"}, {9960 * KB, "10 MB"},
		{12_345, "12 kB"}, {3 * TB, "3.0 TB"}, {Most, "9223372 TB"},
	} {
		require.Equal(t, row.want, row.bytes.String())
	}
}

func TestOfDoesNotOverflow(t *testing.T) {
	require.Equal(t, Bytes(1e9), Of(1e9))
	require.Equal(t, Most, Of(1e300))
	require.Equal(t, Most, Of(math.Inf(1)))
	require.Equal(t, Most, Of(math.NaN()))
}

func TestNeedIsRefusedBeyondTheLimit(t *testing.T) {
	ctx := context.Background()
	require.NoError(t, Need(ctx, "all", Most), "no limit")
	ctx = With(ctx, 2*GB)
	require.Zero(t, Asked(ctx))
	require.NoError(t, Need(ctx, "little", MB))
	require.GreaterOrEqual(t, Asked(ctx), MB)
	err := Need(ctx, "much", 41*GB)
	var large *TooLarge
	require.True(t, errors.As(err, &large))
	require.Equal(t, 2*GB, large.Available)
	require.GreaterOrEqual(t, large.Needed, 41*GB)
	require.Equal(t, large.Needed, Asked(ctx))
	require.EqualError(t, err, "much needs about 41 GB, 2.0 GB are there")
	require.EqualError(t, Need(ctx, "all", Most), "all needs about 9223372 TB, 2.0 GB are there")
}

func TestNeedOfPartsSaysHowManyFit(t *testing.T) {
	some := func(parts int) string { return fmt.Sprintf("at most %d", parts) }
	ctx := With(context.Background(), inUse()+64*MB+MB/2)
	require.NoError(t, NeedEach(ctx, "few", 32, MB, some))
	var large *TooLarge
	require.True(t, errors.As(NeedEach(ctx, "many", 1000, MB, some), &large))
	require.Regexp(t, "^at most 6[0-5]$", large.Instead)
	require.True(t, errors.As(NeedEach(With(context.Background(), 1), "one", 1, MB, some), &large))
	require.Equal(t, "at most 0", large.Instead)
}

// What is in use counts, and garbage does not.
func TestNeedCountsWhatIsInUse(t *testing.T) {
	held := make([]byte, 64*MB)
	held[0] = 1
	limit := inUse() + 32*MB
	require.NoError(t, Need(With(context.Background(), limit), "some", 16*MB))
	require.Error(t, Need(With(context.Background(), limit), "some", 48*MB))
	require.EqualValues(t, 1, held[0])
	held = nil
	require.NoError(t, Need(With(context.Background(), limit), "some", 48*MB))
}

func TestThere(t *testing.T) {
	const meminfo = "MemTotal:       24684084 kB\nMemAvailable:   20000000 kB\n"
	const status = "Name:\tx\nVmSize:\t 1000000 kB\nVmData:\t  100000 kB\n"
	const free = 20_000_000 << 10
	for _, row := range []struct {
		name          string
		files         map[string]string
		address, data uint64
		want          uint64 // of which a job may take four fifths
	}{
		{"nothing is known", nil, math.MaxUint64, math.MaxUint64, math.MaxUint64},
		{"the machine", map[string]string{"proc/meminfo": meminfo}, math.MaxUint64, math.MaxUint64, free},
		{"version 2", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "3000000000\n"}, math.MaxUint64, math.MaxUint64, 3e9},
		{"version 2, a group around it", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "2000000000\n"},
			math.MaxUint64, math.MaxUint64, 2e9},
		{"version 2, in a container", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/host/name\n", "sys/fs/cgroup/memory.max": "1000000000\n"}, math.MaxUint64, math.MaxUint64, 1e9},
		{"version 1", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "7:blkio:/c\n4:cpu,memory:/c\n", "sys/fs/cgroup/memory/c/memory.limit_in_bytes": "4000000000\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"},
			math.MaxUint64, math.MaxUint64, 4e9},
		{"ulimit -v", map[string]string{"proc/meminfo": meminfo, "proc/self/status": status}, 4_000_000 << 10, math.MaxUint64, 3_000_000<<10 - spare},
		{"ulimit -d", map[string]string{"proc/meminfo": meminfo, "proc/self/status": status}, math.MaxUint64, 1_100_000 << 10, 1_000_000<<10 - spare},
		{"ulimit -v, all taken", map[string]string{"proc/self/status": status}, 900_000 << 10, math.MaxUint64, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			system := fstest.MapFS{}
			for name, text := range row.files {
				system[name] = &fstest.MapFile{Data: []byte(text)}
			}
			want := Most
			if row.want != math.MaxUint64 {
				want = Bytes(share * float64(row.want))
			}
			require.Equal(t, want, there(system, func(kind rlimit) uint64 {
				return map[rlimit]uint64{addressSpace: row.address, dataSegment: row.data}[kind]
			}))
		})
	}
	require.Positive(t, There())
}

func TestWatchTells(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := make(chan Bytes, 1)
	Watch(ctx, 1, func(taken Bytes) {
		select {
		case told <- taken:
		default:
		}
	})
	require.Greater(t, <-told, Bytes(1))
}
