// SPDX-License-Identifier: Apache-2.0

package input

import (
	"path/filepath"
	"slices"
	"strings"

	"meshwright/internal/confine"
)

// WriteAs notes a file to write whose extension chooses its format. The extension
// must be one of extensions, such as .csv, in small letters or capitals. With only
// one extension there is no choice, and devices and pipes may have any name.
func (p *Paths) WriteAs(by, path string, extensions ...string) error {
	if err := p.Write(by, path); err != nil {
		return err
	}
	return checkExtension(by, path, extensions)
}

func checkExtension(by, path string, extensions []string) error {
	if slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) {
		return nil
	}
	info, err := confine.Stat(path)
	if err == nil && !info.Mode().IsRegular() && len(extensions) == 1 {
		return nil
	}
	names := make([]string, len(extensions))
	for i, extension := range extensions {
		names[i] = "FILE" + extension
	}
	want := names[0]
	if last := len(names) - 1; last > 0 {
		want = strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return At(by, 0, "expected "+want, "%s", Clip(path))
}
