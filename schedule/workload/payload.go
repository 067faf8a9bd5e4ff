// SPDX-License-Identifier: Apache-2.0

// Package workload reads what a collective moves: lengths of messages, and
// real bytes from files.
package workload

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

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

// ReadPayload gives the regular files below dir, in the order of their paths,
// to the nodes in rising order, the root left out (router.None: no root). A
// word holds width/8 bytes, the first one lowest; the last word of a file is
// filled up with zeros. Nodes without a file have an empty block.
func ReadPayload(dir string, nodes int, root router.NodeID, width int) (*Payload, error) {
	if width%8 != 0 {
		return nil, input.Errorf("expected width 8, 16, 24, 32, 64, 128, 256 or 512", "width %d: a payload's words are whole bytes", width)
	}
	paths, err := listFiles(dir)
	if err != nil {
		return nil, err
	}
	room := nodes
	if root != router.None {
		room--
	}
	if len(paths) == 0 {
		return nil, input.At(dir, 0, "expected a file for each PE", "the directory has no files")
	}
	if len(paths) > room {
		return nil, input.At(dir, 0, "expected at most one file for each of "+strconv.Itoa(room)+" PEs", "%d files", len(paths))
	}
	p := &Payload{Words: make([][]uint32, nodes), Lengths: make([]int, nodes), elements: max(1, width/32)}
	node := router.NodeID(0)
	for _, path := range paths {
		if node == root {
			node++
		}
		data, err := readBytes(path)
		if err != nil {
			return nil, err
		}
		p.Words[node] = Pack(data, width/8)
		p.Lengths[node] = p.words(p.Words[node])
		p.Files = append(p.Files, File{path, node, len(data)})
		node++
	}
	return p, nil
}

// maxPayload bounds a file of a payload, in bytes: all PEs together have at most 2^28 words.
const maxPayload = 1 << 30

// readBytes reads a file of any content.
func readBytes(path string) ([]byte, error) {
	f, err := os.Open(path)
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

// MoveTo gives the words of the first of nodes nodes to node n. It does nothing if n is
// not one of them.
func (p *Payload) MoveTo(n router.NodeID, nodes int) {
	if n < 0 || int(n) >= nodes || len(p.Words) == 0 || len(p.Lengths) == 0 {
		return
	}
	words, lengths := make([][]uint32, nodes), make([]int, nodes)
	words[n], lengths[n] = p.Words[0], p.Lengths[0]
	p.Words, p.Lengths = words, lengths
	for i := range p.Files {
		p.Files[i].Node = n
	}
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
	if info, err := os.Stat(dir); err != nil {
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
		info, err := os.Stat(path)
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
	fault := input.Unreadable(dir, err)
	fault.Want = "expected a directory with a file for each PE"
	return fault
}
