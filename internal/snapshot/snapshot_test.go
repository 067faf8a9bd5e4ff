// SPDX-License-Identifier: Apache-2.0

package snapshot_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
	"meshwright/internal/snapshot"
)

type point struct {
	x   uint8
	y   uint32 // behind padding
	has bool
}

type node struct {
	name string
	next *node
}

type shape interface{ area() int }

type square struct{ side int }

func (s *square) area() int { return s.side * s.side }

type unit struct{}

func (unit) area() int { return 1 }

// all has a field of every kind.
type all struct {
	small   int8
	big     uint64
	ratio   float64
	flag    bool
	text    string
	fixed   [3]int16
	points  [2]point
	plain   []uint32
	none    []uint32
	empty   []uint32
	padded  []point
	nested  [][]string
	table   map[[2]int32]*node
	missing map[int32]bool
	first   *node
	second  *node // the same struct as first
	void    *node
	shape   shape
	value   shape
	nobody  shape
	random  *rand.Rand
	wiring  []int32          `snapshot:"start"`
	scratch func()           `snapshot:"-"`
	byName  map[string]int32 `snapshot:"-"`
	words   []uint32         // shares its memory with shared
}

// built is a value before any work, as every run builds it.
func built() (*all, []uint32) {
	shared := make([]uint32, 4)
	return &all{shape: &square{}, value: unit{}, random: rand.New(rand.NewPCG(1, 2)), wiring: []int32{1, 2}, words: shared}, shared
}

// worked is a value in the middle of its work.
func worked() *all {
	a, shared := built()
	a.small, a.big, a.ratio, a.flag, a.text, a.fixed = -3, 1<<63, 0.5, true, "text", [3]int16{1, -2, 3}
	a.points = [2]point{{1, 2, true}, {3, 4, false}}
	a.plain, a.empty, a.padded, a.nested = []uint32{5, 6}, []uint32{}, []point{{7, 8, true}}, [][]string{{"a", ""}, nil, {}}
	a.first = &node{"first", &node{name: "last"}}
	a.first.next.next = a.first // a circle
	a.second = a.first
	a.table = map[[2]int32]*node{{2, 1}: a.first, {1, 2}: {name: "alone"}}
	a.shape.(*square).side = 9
	a.random.IntN(10)
	copy(shared, []uint32{1, 2, 3, 4})
	a.scratch = func() {}
	a.none, a.missing, a.void, a.nobody = nil, nil, nil, nil
	return a
}

func bytesOf(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	a := snapshot.NewWriter(&b)
	require.NoError(t, a.Keep(v))
	require.NoError(t, a.Flush())
	return b.Bytes()
}

func TestStatesAreReadIntoWhatIsBuilt(t *testing.T) {
	want := worked()
	file := bytesOf(t, want)
	require.Equal(t, file, bytesOf(t, want), "twice the same bytes")
	got, shared := built()
	require.NoError(t, snapshot.NewReader(bytes.NewReader(file), int64(len(file))).Keep(got))
	require.Equal(t, file, bytesOf(t, got))
	require.Equal(t, []uint32{1, 2, 3, 4}, shared, "memory that others share is filled in place")
	require.Same(t, got.first, got.second)
	require.Same(t, got.first, got.first.next.next)
	require.Same(t, got.first, got.table[[2]int32{2, 1}])
	require.Equal(t, want.random.Uint64(), got.random.Uint64())
	want.scratch, want.random, got.random = nil, nil, nil
	require.Equal(t, want, got)
}

func TestDigestsTellWhatIsFixed(t *testing.T) {
	digest := func(change func(*all)) snapshot.Digest {
		a, _ := built()
		change(a)
		d, err := snapshot.Of(a)
		require.NoError(t, err)
		return d
	}
	plain := digest(func(*all) {})
	require.Equal(t, plain, digest(func(a *all) { a.byName = map[string]int32{"x": 1} }))
	require.NotEqual(t, plain, digest(func(a *all) { a.wiring[1] = 3 }))
	require.NotEqual(t, plain, digest(func(a *all) { a.big = 3 }))
	require.NotEqual(t, plain, digest(func(a *all) { a.empty = []uint32{} }))
	require.NotEqual(t, plain, digest(func(a *all) { a.value = &square{} }))
}

func TestWhatHasNoFormIsNamed(t *testing.T) {
	for _, row := range []struct {
		value any
		want  string
	}{
		{&struct{ f func() }{}, "the state of struct { f func() }.f cannot be kept: it is a func"},
		{&struct{ c []chan int }{c: make([]chan int, 1)}, "the state of chan int cannot be kept: it is a chan"},
		{&struct{ m map[string]int }{m: map[string]int{"a": 1}}, "the state of struct { m map[string]int }.m cannot be kept: a key of the map is not a number"},
		{&struct{ p *int }{}, "the state of struct { p *int }.p cannot be kept: it is a ptr"},
	} {
		require.EqualError(t, snapshot.NewWriter(&bytes.Buffer{}).Keep(row.value), row.want)
	}
}

// own is a keeper.
type own struct{ content string }

func (o *own) Snapshot(a *snapshot.Archive) error {
	if !a.Reads() {
		return a.Stream(bytes.NewReader([]byte(o.content)), int64(len(o.content)))
	}
	from, size, err := a.Source()
	if err != nil {
		return err
	}
	content := make([]byte, size)
	_, err = from.Read(content)
	o.content = string(content)
	return err
}

func TestKeepersKeepThemselves(t *testing.T) {
	type holder struct {
		before int
		own    own
		after  int
	}
	want := holder{1, own{"content"}, 2}
	file := bytesOf(t, &want)
	var got holder
	require.NoError(t, snapshot.NewReader(bytes.NewReader(file), int64(len(file))).Keep(&got))
	require.Equal(t, want, got)
}

// header is that of the runs of these tests.
func header() *snapshot.Header {
	return &snapshot.Header{Version: "1", Start: snapshot.Digest{1}, Facts: []snapshot.Fact{{Name: "--topology", Value: "mesh:4x4"}, {Name: "--seed", Value: "1"}, {Name: "--trace"}}}
}

// written is a file of a worked value.
func written(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "state")
	require.NoError(t, snapshot.WriteFile(path, header(), worked()))
	return path
}

func TestFilesAreReadBack(t *testing.T) {
	path := written(t)
	got, _ := built()
	require.NoError(t, snapshot.ReadFile(path, header(), got))
	require.Equal(t, bytesOf(t, worked()), bytesOf(t, got))
}

func TestFilesOfOthersAreRefused(t *testing.T) {
	path := written(t)
	for _, row := range []struct {
		change func(*snapshot.Header)
		want   string
	}{
		{func(h *snapshot.Header) { h.Version = "2" }, ": the checkpoint is of version 1 (expected one of 2)"},
		{func(h *snapshot.Header) { h.Start[3], h.Facts[1].Value = 1, "2" }, ": the checkpoint is of another job: --seed 1 (expected 2)"},
		{func(h *snapshot.Header) { h.Start[3], h.Facts[2].Value = 1, ".csv" }, ": the checkpoint is of another job: --trace none (expected .csv)"},
		{func(h *snapshot.Header) { h.Start[3] = 1 }, ": the checkpoint is of another job: other programs, words or files (expected the job that wrote it)"},
	} {
		h := header()
		row.change(h)
		require.EqualError(t, snapshot.ReadFile(path, h, worked()), path+row.want)
	}
	var other struct{ a int }
	require.EqualError(t, snapshot.ReadFile(path, header(), &other), path+": the checkpoint is of another form: the state has another form (expected one of this version and of the same job)")
	none := filepath.Join(t.TempDir(), "none")
	require.EqualError(t, snapshot.ReadFile(none, header(), worked()), none+": no such file or directory (expected a file that can be read)")
	folder := t.TempDir()
	require.EqualError(t, snapshot.ReadFile(folder, header(), worked()), folder+": not a regular file (expected a file that --checkpoint has written)")
}

// A file that is damaged in any byte, or cut at any length, is refused.
func TestDamagedFilesAreRefused(t *testing.T) {
	path := written(t)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	refused := func(content []byte, what string, k int) {
		got, _ := built()
		err := snapshot.Read(bytes.NewReader(content), int64(len(content)), header(), got)
		require.ErrorAs(t, err, new(*input.Error), "%s %d", what, k)
		require.NotContains(t, err.Error(), "\n")
	}
	for k := range whole {
		damaged := bytes.Clone(whole)
		damaged[k] ^= 1 << (k % 8)
		refused(damaged, "damaged byte", k)
		refused(whole[:k], "cut to", k)
	}
	refused(append(bytes.Clone(whole), 0), "longer by", 1)
	for _, row := range []struct{ content, want string }{
		{"meshwright checkpoint 2\nwith more behind it, which nobody knows", ": a checkpoint of form 2 (expected form 1)"},
		{"node,flits\n", ": not a checkpoint (expected a file that --checkpoint has written)"},
		{"", ": not a checkpoint (expected a file that --checkpoint has written)"},
		{string(whole[:60]), ": the checkpoint is cut short or damaged (expected it as --checkpoint wrote it)"},
	} {
		require.NoError(t, os.WriteFile(path, []byte(row.content), 0o600))
		require.EqualError(t, snapshot.ReadFile(path, header(), worked()), path+row.want)
	}
}

// A file with any content, even under a right checksum, is refused or read; it never
// ends the program.
func FuzzFilesAreReadOrRefused(f *testing.F) {
	whole, err := os.ReadFile(written(f))
	require.NoError(f, err)
	f.Add(whole[:len(whole)-12])
	f.Add(whole[:100])
	f.Add([]byte("meshwright checkpoint 1\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		content = binary.LittleEndian.AppendUint64(content, uint64(len(content)+12))
		content = binary.LittleEndian.AppendUint32(content, crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli)))
		got, _ := built()
		if err := snapshot.Read(bytes.NewReader(content), int64(len(content)), header(), got); err != nil {
			require.ErrorAs(t, err, new(*input.Error))
			require.NotContains(t, err.Error(), "\n")
		}
	})
}
