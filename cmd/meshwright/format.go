// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture/readback"
	"meshwright/firmware/loader"
	"meshwright/formats/chakra"
	"meshwright/internal/confine"
	"meshwright/internal/input"
)

// The formats of files that run.
const (
	noFormat        = ""
	captureFormat   = "pcapng"
	traceFormat     = "chakra"
	algorithmFormat = "msccl"
	jsonFormat      = "json" // TE-CCL, MSCCL++ or a trace of a chip: the content decides
	firmwareFormat  = "firmware"
	scheduleFormat  = "csv"
	tableFormat     = "tdm"
)

// fileFormat is a format of files that run, and what tells it.
type fileFormat struct {
	name   string
	named  func(file string) bool // by the file's name
	begins func(head []byte) bool // by the file's first bytes
	marked bool                   // no file of another format has them
}

// fileFormats lists all formats. A file whose first bytes suit several has the first of them.
func fileFormats() []fileFormat {
	return []fileFormat{
		{captureFormat, extended(".pcapng"), readback.Begins, true},
		{traceFormat, extended(".et"), chakra.Begins, true},
		{algorithmFormat, extended(".xml"), byLine(func(line []byte) bool { return line[0] == '<' }), false},
		{jsonFormat, extended(".json"), byLine(func(line []byte) bool { return line[0] == '{' || line[0] == '[' }), false},
		{firmwareFormat, loader.IsProgram, byLine(loader.Begins), false},
		{scheduleFormat, extended(".csv"), byLine(func(line []byte) bool { return bytes.Count(line, []byte{','}) >= 4 }), false},
		{tableFormat, extended(".tdm", ".shd"), byLine(func(line []byte) bool { return len(bytes.Trim(line, `nesw l|"+\`)) == 0 }), false},
	}
}

// extended makes a test of names by their extensions.
func extended(extensions ...string) func(string) bool {
	return func(file string) bool { return slices.Contains(extensions, filepath.Ext(file)) }
}

// byLine makes a test of the first line that is neither empty nor a comment.
func byLine(is func(line []byte) bool) func([]byte) bool {
	return func(head []byte) bool {
		for line := range bytes.Lines(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))) {
			line, _, _ = bytes.Cut(line, []byte{'#'})
			if line = bytes.TrimSpace(line); len(line) > 0 {
				return is(line)
			}
		}
		return false
	}
}

// runFormats are the formats of files that run.
func runFormats() []string {
	var names []string
	for _, form := range fileFormats() {
		names = append(names, form.name)
	}
	return names
}

// checkFormats are the formats of files that check takes.
func checkFormats() []string { return []string{captureFormat, scheduleFormat, tableFormat} }

// extensionFormat returns the format that a file's extension stands for; noFormat: the name is
// a collective.
func extensionFormat(name string) string {
	for _, form := range fileFormats() {
		if form.named(name) {
			return form.name
		}
	}
	return noFormat
}

// look takes the format that a file's first bytes tell. It must be one of some formats.
func (f *machineFlags) look(file string, formats []string) error {
	if info, err := confine.Stat(file); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		return input.At(file, 0, "expected --format "+input.Or(formats)+", or - for standard input", "a pipe, which can be read only once")
	}
	head, err := input.Head(file)
	if err != nil {
		return err
	}
	what := "the content does not tell its format"
	switch {
	case len(head) == 0:
		what = "an empty file"
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return input.At(file, 0, "expected the file that gunzip makes of it", "compressed by gzip")
	case readback.IsPcap(head):
		return input.At(file, 0, "expected pcapng, which editcap -F pcapng makes of it", "a capture of the format pcap")
	}
	for _, form := range fileFormats() {
		if !form.begins(head) {
			continue
		}
		if slices.Contains(formats, form.name) {
			f.format, f.guessed = form.name, !form.marked
			return nil
		}
		return otherFormat(file, form.name, formats)
	}
	return input.At(file, 0, "expected --format "+input.Or(formats), "%s", what)
}

// otherFormat refuses a file of a format that is none of some formats.
func otherFormat(file, format string, formats []string) error {
	return input.At(file, 0, "expected --format "+input.Or(formats), "a file of the format %s", format)
}

// addFormat adds --format with the formats that a verb knows.
func (f *machineFlags) addFormat(cmd *cobra.Command, formats ...string) {
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.format, "format", "", "format of FILE: "+input.Or(formats)+" (default: by the extension; of standard input by the content)")
	})
}

// checkFormat judges --format. Without it the content tells the format of a file for which nothing else does.
func (f *machineFlags) checkFormat(file string, formats ...string) error {
	switch {
	case f.format != "":
		if !slices.Contains(formats, f.format) {
			return input.At("--format", 0, "expected "+input.Or(formats), "unknown format %q", f.format)
		}
	case file == input.Stdin:
		return f.look(file, formats)
	}
	return nil
}

// formatOf is the format of a file, noFormat for a collective.
func (f *machineFlags) formatOf(what string) string {
	switch {
	case f.format != "":
		return f.format
	case what == "":
		return firmwareFormat
	}
	return extensionFormat(what)
}

// guess adds to an error in a file that its format was told by the content, if it was.
func (f *machineFlags) guess(err error, file string) error {
	var fault *input.Error
	if !f.guessed || !errors.As(err, &fault) || input.Name(fault.File) != input.Name(file) {
		return err
	}
	want := "format " + f.format + " is a guess by the content: --format names another"
	if fault.Want != "" {
		want = fault.Want + "; " + want
	}
	return &input.Error{File: file, Line: fault.Line, What: fault.What, Want: want}
}
