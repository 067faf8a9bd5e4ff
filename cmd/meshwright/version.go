// SPDX-License-Identifier: Apache-2.0

package main

import "runtime/debug"

// release is the version of the sources.
const release = "0.1.0"

// version adds the revision that the binary was built from, when Go knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return release + " (" + s.Value[:12] + ")"
		}
	}
	return release
}
