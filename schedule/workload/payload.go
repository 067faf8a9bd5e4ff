// SPDX-License-Identifier: Apache-2.0

// Package workload reads what a collective moves: lengths of messages, and
// real bytes from files.
package workload

import (
	"cmp"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"meshwright/internal/confine"
	"meshwright/internal/input"
	"meshwright/router"
)

// File is a file whose bytes are one node's block.
type File struct {
	Path  string
	Node  router.NodeID
	Bytes int
}

// Payload is a directory's files as blocks of words.
type Payload struct {
	Words   [][]uint32 // by node; words of more than 32 bits are several numbers, the lowest first
	Lengths []int      // by node, in words
	Files   []File

	elements int // numbers of a word; 0 is 1
}

// words counts the words of a block.
func (p *Payload) words(block []uint32) int { return len(block) / max(1, p.elements) }

// ReadPayload gives the regular files below dir to nodes, but none to the root (router.None: no
// root). Where all names begin with a number, the number is the node; otherwise the files, in the
// order of their paths, go to the nodes in rising order; names of both kinds are refused. A word holds width/8 bytes, the first one
// lowest; the last word of a file is filled up with zeros. Nodes without a file have an empty block.
func ReadPayload(dir string, nodes int, root router.NodeID, width int) (*Payload, error) {
	paths, err := payloadFiles(dir, width)
	if err != nil {
		return nil, err
	}
	receivers := receiversOf(nodes, root)
	if len(paths) > len(receivers) {
		return nil, input.At(dir, 0, "expected at most one file for "+eachOf(len(receivers), root), "%d files", len(paths))
	}
	numbers, err := numbersOf(dir, paths)
	if err != nil {
		return nil, err
	}
	if numbers != nil {
		if err := checkNumbers(paths, numbers, nodes, root); err != nil {
			return nil, err
		}
		receivers = numbers
	}
	p := newPayload(nodes, width)
	for i, path := range paths {
		if err := p.read(path, receivers[i], width); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// ReadBlock gives the one file below dir to the root, the only node that has a block.
func ReadBlock(dir string, nodes int, root router.NodeID, width int) (*Payload, error) {
	if root < 0 || int(root) >= nodes {
		return nil, input.Errorf("expected a node", "root %d", root)
	}
	paths, err := payloadFiles(dir, width)
	if err != nil {
		return nil, err
	}
	if len(paths) > 1 {
		return nil, input.At(dir, 0, "expected one file, for the root", "%d files", len(paths))
	}
	p := newPayload(nodes, width)
	return p, p.read(paths[0], root, width)
}

func newPayload(nodes, width int) *Payload {
	return &Payload{Words: make([][]uint32, nodes), Lengths: make([]int, nodes), elements: max(1, width/32)}
}

// read takes a file as the block of a node.
func (p *Payload) read(path string, node router.NodeID, width int) error {
	data, err := readBytes(path)
	if err != nil {
		return err
	}
	p.Words[node] = Pack(data, width/8)
	p.Lengths[node] = p.words(p.Words[node])
	p.Files = append(p.Files, File{path, node, len(data)})
	return nil
}

// payloadFiles lists the files below dir, at least one.
func payloadFiles(dir string, width int) ([]string, error) {
	if width%8 != 0 {
		return nil, input.Errorf("expected width 8, 16, 24, 32, 64, 128, 256 or 512", "width %d: a payload's words are whole bytes", width)
	}
	paths, err := listFiles(dir)
	if err == nil && len(paths) == 0 {
		err = input.At(dir, 0, "expected files with the blocks of PEs", "the directory has no files")
	}
	return paths, err
}

// receiversOf returns the nodes that have blocks, in rising order.
func receiversOf(nodes int, root router.NodeID) []router.NodeID {
	var list []router.NodeID
	for n := range router.NodeID(nodes) {
		if n != root {
			list = append(list, n)
		}
	}
	return list
}

// eachOf names so many nodes that have blocks.
func eachOf(count int, root router.NodeID) string {
	switch {
	case root == router.None && count == 1:
		return "the only PE"
	case root == router.None:
		return "each of the " + strconv.Itoa(count) + " PEs"
	case count == 1:
		return "the only PE but the root"
	}
	return "each of the " + strconv.Itoa(count) + " PEs but the root"
}

// noNumber is more than any node.
const noNumber = router.NodeID(math.MaxInt32)

// numbersOf returns the numbers with which all names begin; nil if none begins with a digit. It refuses a mixture: its
// files would go to other nodes than their numbers say.
func numbersOf(dir string, paths []string) ([]router.NodeID, error) {
	var numbers []router.NodeID
	with, without := "", "" // the first file of each kind
	for _, path := range paths {
		name, err := filepath.Rel(dir, path)
		digits := len(name) - len(strings.TrimLeft(name, "0123456789"))
		if err != nil || digits == 0 {
			without = cmp.Or(without, path)
			continue
		}
		with = cmp.Or(with, path)
		number, err := strconv.ParseInt(name[:digits], 10, 32)
		if err != nil {
			number = int64(noNumber)
		}
		numbers = append(numbers, router.NodeID(number))
	}
	if with != "" && without != "" {
		return nil, input.At(without, 0, "expected names that all begin with a node's number, or none that does", "the name begins with no number, but that of %s does", filepath.Base(with))
	}
	return numbers, nil
}

// checkNumbers reports the first file whose number is that of no node with a block, or of another file, too.
func checkNumbers(paths []string, numbers []router.NodeID, nodes int, root router.NodeID) error {
	taken := map[router.NodeID]string{}
	for i, path := range paths {
		n := numbers[i]
		switch first, twice := taken[n]; {
		case int64(n) >= int64(nodes):
			return input.At(path, 0, "expected names that begin with 0 to "+strconv.Itoa(nodes-1)+", or some that begin with no number", "the number of the name is not a node")
		case n == root:
			return input.At(path, 0, "expected no file for it", "node %d is the root", n)
		case twice:
			return input.At(path, 0, "expected one file a node", "node %d has a file already, %s", n, filepath.Base(first))
		}
		taken[n] = path
	}
	return nil
}

// maxPayload bounds a file of a payload, in bytes: all PEs together have at most 2^28 words.
const maxPayload = 1 << 30

// readBytes reads a file of any content.
func readBytes(path string) ([]byte, error) {
	f, err := confine.Open(path)
	if err != nil {
		return nil, input.Unreadable(path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, input.At(path, 0, "expected a file", "not a regular file")
	} else if err == nil && info.Size() > maxPayload {
		return nil, input.At(path, 0, "expected at most "+strconv.Itoa(maxPayload), "%d bytes", info.Size())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxPayload))
	if err != nil {
		return nil, input.Unreadable(path, err)
	}
	return data, nil
}

// Pack puts bytes into words of size bytes each, the first one lowest. A number holds 4 bytes of a word, or
// what is left of them.
func Pack(data []byte, size int) []uint32 {
	size = max(size, 1)
	numbers := (size + 3) / 4 // of a word
	words := make([]uint32, (len(data)+size-1)/size*numbers)
	for i, b := range data {
		words[i/size*numbers+i%size/4] |= uint32(b) << (8 * (i % size % 4))
	}
	return words
}

// Even fills all blocks up with zeros to the length of the longest.
func (p *Payload) Even() {
	if len(p.Lengths) == 0 || len(p.Lengths) != len(p.Words) {
		return
	}
	longest := slices.Max(p.Lengths)
	for n := range p.Words {
		p.Words[n] = append(p.Words[n], make([]uint32, max(0, longest*max(1, p.elements)-len(p.Words[n])))...)
		p.Lengths[n] = longest
	}
}

// Divide cuts each block into parts of equal length, the last one filled up with zeros.
// The lengths then are the lengths of the parts.
func (p *Payload) Divide(parts int) {
	if parts < 1 || len(p.Lengths) != len(p.Words) {
		return
	}
	for n, words := range p.Words {
		p.Lengths[n] = (p.words(words) + parts - 1) / max(1, parts)
		p.Words[n] = append(words, make([]uint32, p.Lengths[n]*parts*max(1, p.elements)-len(words))...)
	}
}

// Unpack is the inverse of Pack for a file of the given length in bytes; it
// returns as many as the words have.
func Unpack(words []uint32, size, length int) []byte {
	size = min(max(size, 1), 4) // bytes of a number
	length = max(0, min(length, len(words)*size))
	data := make([]byte, length)
	for i := range data {
		data[i] = byte(words[i/size] >> (8 * (i % size)))
	}
	return data
}

// listFiles returns the regular files below dir, sorted by path, links to files
// included. Anything else below dir but directories is an error: a payload
// leaves nothing out.
func listFiles(dir string) ([]string, error) {
	if info, err := confine.Stat(dir); err != nil {
		return nil, unreadable(dir, err)
	} else if !info.IsDir() {
		return nil, input.At(dir, 0, "expected a directory", "a file")
	}
	var paths []string
	top := filepath.Clean(dir) + string(filepath.Separator) // a link to a directory is one
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return unreadable(path, err)
		}
		if entry.IsDir() {
			return nil
		}
		info, err := confine.Stat(path)
		if err != nil {
			return input.Unreadable(path, err)
		}
		if !info.Mode().IsRegular() {
			return input.At(path, 0, "expected files and directories", "neither")
		}
		paths = append(paths, path)
		return nil
	})
	return paths, err
}

// unreadable says why a directory cannot be used.
func unreadable(dir string, err error) error {
	return input.Unusable(dir, err, "expected a directory with a file for each PE")
}
