// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"

	"github.com/spf13/cobra"

	"meshwright/capture/wireshark"
	"meshwright/internal/input"
)

func newDissector() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:        "dissector",
		SuggestFor: []string{"wireshark", "lua"},
		Short:      "Print the dissector with which Wireshark and tshark read traces (Lua)",
		Long: `Prints a Lua script that teaches Wireshark and tshark to read the traces that
run --trace FILE.pcapng writes. A packet is a flit that crosses a link, an interface
is a link, and a nanosecond is a cycle. Filter fields: meshwright.kind, head, tail, vc,
source, destination, message, flit, length, from, to, value.`,
		Example: `  meshwright dissector > meshwright.lua
  meshwright run scatter --topology mesh:4x4 --trace run.pcapng
  tshark -X lua_script:meshwright.lua -r run.pcapng -Y 'meshwright.message == 5 && meshwright.flit == 1'`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "" && output != toStdout {
				var paths input.Paths
				if err := paths.Write(outFlag, output); err != nil {
					return err
				}
			}
			return writeTo(cmd.OutOrStdout(), output, func(w io.Writer) error {
				_, err := io.WriteString(w, wireshark.Dissector)
				return err
			})
		},
	}
	addOut(cmd, &output)
	return cmd
}
