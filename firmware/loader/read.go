// SPDX-License-Identifier: Apache-2.0

package loader

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"meshwright/firmware/image"
	"meshwright/firmware/isa"
	"meshwright/internal/confine"
	"meshwright/internal/input"
)

// IsProgram reports whether a name has the extension of a program: .s assembler text, .mem an
// image.
func IsProgram(name string) bool {
	extension := filepath.Ext(name)
	return extension == textExtension || extension == imageExtension
}

const textExtension, imageExtension = ".s", ".mem"

// Begins reports whether a program begins with a line: an image, or assembler text.
func Begins(line []byte) bool {
	if bytes.HasPrefix(line, []byte("//")) || bytes.HasPrefix(line, []byte("/*")) {
		return true // the comment of an image
	}
	_, err := image.Parse("", line)
	return err == nil || isa.IsLine(string(line))
}

// ReadProgram reads a program: .s is assembler text, .mem is an image of
// instructions; any other file is an image when it has the form of one. Its
// errors are *input.Error, isa.ErrorList or input.List.
func ReadProgram(path string) (*isa.Program, error) {
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	isImage := filepath.Ext(path) == imageExtension
	if !isImage && filepath.Ext(path) != textExtension {
		_, err := image.Parse(path, text)
		isImage = err == nil
	}
	if isImage {
		p, err := parseProgram(path, text)
		return judged(path, p, err)
	}
	return assemble(path, text)
}

// Assemble reads a program that is assembler text, whatever its extension, with the files that
// it includes. Its errors are the errors of ReadProgram.
func Assemble(path string) (*isa.Program, error) {
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return assemble(path, text)
}

func assemble(path string, text []byte) (*isa.Program, error) {
	p, err := isa.AssembleFiles(input.Name(path), bytes.NewReader(text), open)
	return judged(path, p, err)
}

// open opens an included file; - is a file of that name.
func open(path string) (io.ReadCloser, error) { return confine.Open(path) }

// judged returns a program that was read, unless it has no words, or branches that lead out of it.
func judged(path string, p *isa.Program, err error) (*isa.Program, error) {
	if err != nil {
		return nil, err
	}
	if len(p.Code) == 0 {
		return nil, input.At(path, 0, "expected a program such as: halt", "no instructions")
	}
	if size := len(p.Code); size > maxProgram { // an image of so many words has been refused
		return nil, input.At(path, 0, "expected at most 2^21", "a program of %d words", size)
	}
	if err := p.Stray(); err != nil {
		return nil, err
	}
	return p, nil
}

// Includes returns the files that assembler text includes, as far as they can be read
// twice: what comes from a pipe is left for the reader of the program.
func Includes(path string) []string {
	if path != input.Stdin && !isRegular(path) || filepath.Ext(path) == imageExtension {
		return nil
	}
	text, err := input.ReadFile(path)
	if err != nil {
		return nil
	}
	return isa.Includes(input.Name(path), bytes.NewReader(text), func(path string) (io.ReadCloser, error) {
		if !isRegular(path) {
			return nil, fs.ErrNotExist
		}
		return open(path)
	})
}

func isRegular(path string) bool {
	info, err := confine.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// maxProgram bounds the words of a program, the reach of a jump.
const maxProgram = 1 << 21

// ReadImage reads a program that is an image, whatever its extension. Its branches may lead out of it. Its errors are *input.Error or
// input.List.
func ReadImage(path string) (*isa.Program, error) {
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseProgram(path, text)
}

// parseProgram reads an image of instructions. The source lines of the program are the lines
// of the image, with the instructions as text. Words between segments are 0: halt.
func parseProgram(path string, text []byte) (*isa.Program, error) {
	img, err := image.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if err := img.Fits(1); err != nil {
		return nil, err
	}
	if size := img.Size(); size > maxProgram {
		return nil, input.At(path, img.LastLine(), "expected at most 2^21", "a program of %d words", size)
	}
	p := &isa.Program{Name: input.Name(path), Code: make([]uint32, img.Size())}
	p.Source = make([]isa.Line, len(p.Code))
	img.CopyTo(p.Code, 1)
	var wrong input.List
	for _, s := range img.Segments {
		for k, word := range s.Words {
			i, err := isa.Decode(word)
			var fault *isa.Fault
			if errors.As(err, &fault) {
				wrong = append(wrong, input.At(path, s.Lines[k], fault.Want, "word %08x: %s", word, fault.What))
			}
			p.Source[s.Address+k] = isa.Line{Number: s.Lines[k], Text: i.String()}
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return p, nil
}

// Images are the memory images of nodes; nil: none.
type Images []*image.Image

// ReadImages reads arguments as Place does, of memory images. A file that is a
// folder has an image for each node in it: 0.mem, 1.mem …
func ReadImages(flag string, arguments []string, nodes int) (Images, error) {
	p, err := Place(flag, arguments, nodes)
	if err != nil {
		return nil, err
	}
	images := make(Images, nodes)
	for k, file := range p.Files {
		one, several, err := readImage(file, nodes)
		if err != nil {
			return nil, err
		}
		for n, of := range p.Of {
			switch {
			case of != int32(k):
			case several != nil:
				images[n] = several[n]
			default:
				images[n] = one
			}
		}
	}
	return images, nil
}

// readImage reads a file, or the files of a folder.
func readImage(path string, nodes int) (one *image.Image, several Images, err error) {
	if info, err := confine.Stat(path); err != nil || !info.IsDir() {
		one, err := image.Read(path)
		return one, nil, err
	}
	entries, err := confine.ReadDir(path)
	if err != nil {
		return nil, nil, input.Unreadable(path, err)
	}
	several = make(Images, nodes)
	found := false
	for _, entry := range entries {
		number, ok := strings.CutSuffix(entry.Name(), imageExtension)
		n, err := strconv.Atoi(number)
		if !ok || err != nil || n < 0 || n >= nodes {
			return nil, nil, input.At(filepath.Join(path, entry.Name()), 0,
				"expected only 0.mem to "+strconv.Itoa(nodes-1)+".mem", "not the image of a node")
		}
		if several[n], err = image.Read(filepath.Join(path, entry.Name())); err != nil {
			return nil, nil, err
		}
		found = true
	}
	if !found {
		return nil, nil, input.At(path, 0, "expected 0.mem, 1.mem …", "the folder is empty")
	}
	return nil, several, nil
}
