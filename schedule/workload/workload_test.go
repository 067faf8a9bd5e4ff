// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

func ExampleParseLengths() {
	lengths, err := ParseLengths("2,3,0", 4, 0) // nodes 1 to 3, the root is 0
	fmt.Println(lengths, err)
	_, err = ParseLengths("2,3", 4, 0)
	fmt.Println(err)
	// Output:
	// [0 2 3 0] <nil>
	// 2 lengths (expected 3, one for each node but the root)
}

func TestParseLengthsLeavesTheRootOut(t *testing.T) {
	for _, row := range []struct {
		text string
		root router.NodeID
		want []int
	}{
		{"1,2,3", 0, []int{0, 1, 2, 3}}, {"1,2,3", 2, []int{1, 2, 0, 3}}, {"1, 2,3", 3, []int{1, 2, 3, 0}},
		{"1,0,3,4", router.None, []int{1, 0, 3, 4}},
	} {
		got, err := ParseLengths(row.text, 4, row.root)
		require.NoError(t, err)
		require.Equal(t, row.want, got)
	}
}

func TestBadLengths(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"1,2", "2 lengths (expected 3, one for each node but the root)"},
		{"1,2,-3", `node 3: length "-3" (` + lengthRange + ")"},
		{"1,,3", `node 2: length "" (` + lengthRange + ")"},
		{"1,2,x", `node 3: length "x" (` + lengthRange + ")"},
		{"@", "no file name behind @ (expected @FILE)"},
		{"@nowhere.csv", "nowhere.csv: no such file or directory (expected a file that can be read)"},
	} {
		_, err := ParseLengths(row.text, 4, 0)
		require.EqualError(t, err, row.want)
	}
	_, err := ParseLengths("1", 4, router.None)
	require.EqualError(t, err, "1 length (expected 4, one for each node)")
}

func TestLengthFiles(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"negative", "node,flits\n1,-2\n", `l.csv:2: length "-2" (` + lengthRange + ")"},
		{"no such node", "4,1\n", `l.csv:1: "4" is not a node (expected 0 to 3)`},
		{"the root", "# root\n0,1\n", "l.csv:2: node 0 is the root (expected no row for it)"},
		{"twice", "1,1\n1,2\n", "l.csv:2: node 1 has a row already, in line 1 (expected one row a node)"},
		{"columns", "1\n", "l.csv:1: 1 column (expected node,flits)"},
		{"quote", "1,\"2\n", `l.csv:1: a field that begins with a quotation mark does not end with one (expected node,flits)`},
		{"empty", "node,flits\n", "l.csv: no lengths (expected rows of node,flits)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := scanLengths([]byte(row.text), "l.csv", 4, 0)
			require.EqualError(t, err, row.want)
		})
	}
	got, err := scanLengths([]byte("node,flits\n3,7\n1,2\n"), "l.csv", 4, 0)
	require.NoError(t, err)
	require.Equal(t, []int{0, 2, 0, 7}, got)
}

func FuzzLengthFile(f *testing.F) {
	f.Add("node,flits\n1,2\n")
	f.Add("flits,node\n2,1\n")
	f.Add("node,node\n2,1\n")
	f.Add("node,flit\n2,1\n")
	f.Add("1,-1\n")
	f.Add("\"\n#,")
	f.Fuzz(func(t *testing.T, text string) {
		lengths, err := scanLengths([]byte(text), "l.csv", 4, 0)
		if err == nil {
			require.Zero(t, lengths[0])
		}
	})
}

func TestPayloadGivesEachNodeAFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "b"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("hello"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b", "c"), []byte{1, 2, 3, 4}, 0o644))
	p, err := ReadPayload(dir, 4, 1, 32)
	require.NoError(t, err)
	require.Equal(t, []int{2, 0, 1, 0}, p.Lengths)
	require.Equal(t, []uint32{0x04030201}, p.Words[2])
	require.Equal(t, "hello", string(Unpack(p.Words[0], 4, 5)))

	wide, err := ReadPayload(dir, 4, 1, 64)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0, 1, 0}, wide.Lengths)
	require.Equal(t, []uint32{0x04030201, 0}, wide.Words[2])
	require.Equal(t, "hello", string(Unpack(wide.Words[0], 8, 5)))
	wide.Even()
	require.Equal(t, []int{1, 1, 1, 1}, wide.Lengths)
	require.Equal(t, []uint32{0, 0}, wide.Words[3])
	wide.Divide(3)
	require.Len(t, wide.Words[0], 6)
	require.Equal(t, []int{1, 1, 1, 1}, wide.Lengths)

	_, err = ReadPayload(dir, 2, 0, 32)
	require.EqualError(t, err, dir+": 2 files (expected at most one file for the only PE but the root)")
	_, err = ReadPayload(t.TempDir(), 4, 0, 32)
	require.ErrorContains(t, err, "the directory has no files (expected files with the blocks of PEs)")
	_, err = ReadPayload(filepath.Join(dir, "nowhere"), 4, 0, 32)
	require.EqualError(t, err, dir+"/nowhere: no such file or directory (expected a directory with a file for each PE)")
	_, err = ReadPayload(filepath.Join(dir, "a"), 4, 0, 32)
	require.EqualError(t, err, dir+"/a: a file (expected a directory)")
	_, err = ReadPayload(dir, 4, 0, 12)
	require.EqualError(t, err, "width 12: a payload's words are whole bytes (expected width 8, 16, 24, 32, 64, 128, 256 or 512)")
}

// folder is a folder of files, each with its own name in it.
func folder(t *testing.T, names ...string) string {
	dir := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644))
	}
	return dir
}

func TestNumbersOfFilesAreNodes(t *testing.T) {
	for _, row := range []struct {
		names []string
		nodes []router.NodeID // of the files in the order of their paths
	}{
		{[]string{"1.txt", "2.txt", "10.txt"}, []router.NodeID{1, 10, 2}},
		{[]string{"1.txt", "3.txt"}, []router.NodeID{1, 3}},
		{[]string{"03-last", "1/block"}, []router.NodeID{3, 1}},
		{[]string{"node1", "node10"}, []router.NodeID{1, 2}},
	} {
		p, err := ReadPayload(folder(t, row.names...), 16, 0, 8)
		require.NoError(t, err)
		for i, file := range p.Files {
			require.Equal(t, row.nodes[i], file.Node, "%v", row.names)
			require.Equal(t, file.Bytes, p.Lengths[file.Node])
		}
		require.Len(t, p.Files, len(row.names))
	}
}

func TestBadNumbersOfFiles(t *testing.T) {
	for _, row := range []struct {
		names []string
		want  string
	}{
		{[]string{"1.txt", "4.txt"}, "/4.txt: the number of the name is not a node (expected names that begin with 0 to 3, or some that begin with no number)"},
		{[]string{"99999999999999999999"}, "/99999999999999999999: the number of the name is not a node (expected names that begin with 0 to 3, or some that begin with no number)"},
		{[]string{"1.txt", "notes.txt"}, "/notes.txt: the name begins with no number, but that of 1.txt does (expected names that all begin with a node's number, or none that does)"},
		{[]string{"0.txt", "1.txt"}, "/0.txt: node 0 is the root (expected no file for it)"},
		{[]string{"01.txt", "1.txt"}, "/1.txt: node 1 has a file already, 01.txt (expected one file a node)"},
		{[]string{"1", "2", "3", "4"}, ": 4 files (expected at most one file for each of the 3 PEs but the root)"},
	} {
		dir := folder(t, row.names...)
		_, err := ReadPayload(dir, 4, 0, 32)
		require.EqualError(t, err, dir+row.want)
	}
	dir := folder(t, "a", "b", "c")
	_, err := ReadPayload(dir, 2, router.None, 32)
	require.EqualError(t, err, dir+": 3 files (expected at most one file for each of the 2 PEs)")
}

// A broadcast has one file, whatever its name.
func TestTheBlockOfTheRoot(t *testing.T) {
	p, err := ReadBlock(folder(t, "7.txt"), 4, 2, 8)
	require.NoError(t, err)
	require.Equal(t, []int{0, 0, 5, 0}, p.Lengths)
	require.Equal(t, router.NodeID(2), p.Files[0].Node)
	dir := folder(t, "a", "b")
	_, err = ReadBlock(dir, 4, 2, 8)
	require.EqualError(t, err, dir+": 2 files (expected one file, for the root)")
	_, err = ReadBlock(dir, 4, 4, 8)
	require.EqualError(t, err, "root 4 (expected a node)")
}

func TestPayloadFollowsLinksToFiles(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(elsewhere, []byte{7}, 0o644))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "a")))
	top := filepath.Join(t.TempDir(), "top")
	require.NoError(t, os.Symlink(dir, top))
	p, err := ReadPayload(top, 2, 0, 32)
	require.NoError(t, err)
	require.Equal(t, []File{{top + "/a", 1, 1}}, p.Files)
	require.NoError(t, os.Symlink(filepath.Dir(elsewhere), filepath.Join(dir, "b")))
	_, err = ReadPayload(top, 3, 0, 32)
	require.EqualError(t, err, top+"/b: neither (expected files and directories)")
}

func ExamplePack() {
	fmt.Printf("%x\n", Pack([]byte("abcde"), 4))
	// Output: [64636261 65]
}
