// SPDX-License-Identifier: Apache-2.0

package wave

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"meshwright/internal/atomicfile"
	"meshwright/internal/scratch"
	"meshwright/rtl/tool"
)

// Extensions lists the forms of waveforms, by the extension of their file.
func Extensions() []string { return []string{".fst", ".svg", ".vcd"} }

// isFST reports whether a file is to be in GTKWave's form.
func isFST(path string) bool { return strings.EqualFold(filepath.Ext(path), ".fst") }

// Find returns a *tool.Missing when the program that writes the form of a file is not there.
func Find(path string) error {
	if !isFST(path) {
		return nil
	}
	return tool.Find([]string{"vcd2fst"}, []string{"gtkwave"})
}

// views returns the files that Create writes beside a waveform: views of it for GTKWave and Surfer.
func views(path string) (gtkwave, surfer string) {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	return stem + ".gtkw", stem + ".sucl"
}

// Files are the files of a waveform that is being written. They appear together, or not at all.
type Files struct{ files []*atomicfile.File }

// Create writes a waveform, in the form that its extension says, and its views. A view is left out where a file of its
// name is there that is not ours: viewers save views in the same files. The files appear with Commit.
func (d *Dump) Create(ctx context.Context, path string) (*Files, error) {
	write := d.writeVCD
	if isFST(path) {
		write = func(w io.Writer) error { return d.writeFST(ctx, w) }
	}
	picture := strings.EqualFold(filepath.Ext(path), ".svg")
	if picture {
		write = d.writeSVG
	}
	gtkwave, surfer := views(path)
	all := &Files{}
	for _, part := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{path, write}, {gtkwave, func(w io.Writer) error { return d.writeGTKWave(w, path) }}, {surfer, d.writeSurfer},
	} {
		if part.path != path && (picture || !mayReplace(part.path)) {
			continue
		}
		f, err := atomicfile.Create(part.path)
		if err != nil {
			return all, err
		}
		all.files = append(all.files, f)
		if err := part.write(f); err != nil {
			return all, err
		}
	}
	return all, nil
}

// Finish completes the files beside their paths.
func (f *Files) Finish() error {
	for _, file := range f.files {
		if err := file.Finish(); err != nil {
			return err
		}
	}
	return nil
}

// Commit puts the finished files at their paths.
func (f *Files) Commit() error {
	for _, file := range f.files {
		if err := file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// Abort removes what was written. It does nothing after Commit.
func (f *Files) Abort() error {
	if f == nil {
		return nil
	}
	var err error
	for _, file := range f.files {
		err = errors.Join(err, file.Abort())
	}
	return err
}

// writeFST writes the dump in GTKWave's form.
func (d *Dump) writeFST(ctx context.Context, w io.Writer) error {
	tmp, err := scratch.NewTemporary("wave")
	if err != nil {
		return err
	}
	defer tmp.Remove()
	vcd, fst := filepath.Join(tmp.Path, "wave.vcd"), filepath.Join(tmp.Path, "wave.fst")
	if err := atomicfile.Write(vcd, d.writeVCD); err != nil {
		return err
	}
	if text, err := tool.Output(ctx, filepath.Join(tmp.Path, "none"), "vcd2fst", "wave.vcd", "wave.fst"); err != nil {
		return fmt.Errorf("vcd2fst: %w: %s", err, tool.LastLines(string(text), 1))
	}
	f, err := os.Open(fst)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}
