// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// told returns the format that some bytes tell.
func told(head string) string {
	for _, form := range fileFormats() {
		if form.begins([]byte(head)) {
			return form.name
		}
	}
	return noFormat
}

func TestContentTellsFormats(t *testing.T) {
	for _, row := range []struct{ head, want string }{
		{"", noFormat},
		{"\n# only a comment\n", noFormat},
		{"some words\n", noFormat},
		{"1,2\n", noFormat},
		{"\x0a\x0d\x0d\x0a", captureFormat},
		{"\x07\x0a\x050.0.4", traceFormat},
		{"\x07\x0a\x059.0.4", traceFormat}, // a version that is refused
		{"\x07\x0a\x050.0", noFormat},
		{"<algo>", algorithmFormat},
		{"<\n\x05algo>" + strings.Repeat(" ", 60), algorithmFormat}, // could be a message of 60 bytes
		{"\xef\xbb\xbf \n<algo>", algorithmFormat},
		{"{\n  \"a\": 1" + strings.Repeat(" ", 200), jsonFormat}, // could be one of 123 bytes
		{"[", jsonFormat},
		{"# of a run\nmessage,source,destination,flits,dispatch\n", scheduleFormat},
		{"0,0,3,2,0\n", scheduleFormat},
		{"nel|\n  nl", tableFormat},
		{`"nel|" +`, tableFormat},
		{"; a, b, c, d, e\n", firmwareFormat},
		{"loop: jmp loop\n", firmwareFormat},
		{"\tli\tr1, 3 # three\n", firmwareFormat},
		{".equ a, 3\n", firmwareFormat},
		{"@0 00000001\n", firmwareFormat},
		{"/* a, b, c, d, e */ 00000001\n", firmwareFormat},
	} {
		require.Equal(t, row.want, told(row.head), "%q", row.head)
	}
}

// A file has the format that its name tells.
func TestContentTellsWhatNamesTell(t *testing.T) {
	files, err := filepath.Glob("../../examples/imports/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, extensionFormat(file), told(string(text)), file)
	}
}
