// SPDX-License-Identifier: Apache-2.0

package verilog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRenameModules(t *testing.T) {
	names := map[string]string{"link": "a_link", "route": "a_route"}
	for _, test := range []struct{ source, want string }{
		{"module link (", "module a_link ("},
		{"module link;", "module a_link;"},
		{"link i_link (.clk_i(clk));", "a_link i_link (.clk_i(clk));"},
		{"link /* of x */ #( // why\n .A(1)) link (.route(route));", "a_link /* of x */ #( // why\n .A(1)) link (.route(route));"},
		{"begin : gen\nlink #(.A(1)) i (", "begin : gen\na_link #(.A(1)) i ("},
		{"wire route; assign route = link;", "wire route; assign route = link;"},
		{"assign x = route ? {route, link} : link;", "assign x = route ? {route, link} : link;"},
		{"// link i_link\n/* module link */ \"link i_link \\\" link x\"", "// link i_link\n/* module link */ \"link i_link \\\" link x\""},
		{"link_fault i_x (); linkage i_y ();", "link_fault i_x (); linkage i_y ();"},
		{"x <= #1 route; link <= #(2) y;", "x <= #1 route; link <= #(2) y;"},
		{"", ""},
	} {
		require.Equal(t, test.want, RenameModules(test.source, names))
	}
}
