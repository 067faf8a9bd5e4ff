// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"io/fs"
	"os"
	"path/filepath"

	"meshwright/internal/input"
)

// Sources returns the Verilog of an exported folder that synthesis reads, and the memory images that the Verilog reads. A
// folder without an emulator is an *input.Error.
func Sources(dir string) (verilog []string, images string, err error) {
	for _, pattern := range []string{TopName + ".v", "pe_decoder.v", "pe/*.v", "top.v", "lib/*.v"} {
		found, err := fs.Glob(os.DirFS(dir), pattern)
		if err != nil {
			return nil, "", err
		}
		if len(found) == 0 {
			return nil, "", input.At(dir, 0, "expected a folder that export --emulator wrote", "no file %s", pattern)
		}
		for _, name := range found {
			verilog = append(verilog, filepath.Join(dir, name))
		}
	}
	return verilog, filepath.Join(dir, filepath.Dir(expectedFile)), nil
}
