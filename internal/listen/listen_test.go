// SPDX-License-Identifier: Apache-2.0

package listen_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/listen"
)

// An address is taken as it is written: all of IPv4 are not those of IPv6.
func TestFamilies(t *testing.T) {
	for address, want := range map[string]string{"0.0.0.0:0": "0.0.0.0:", "127.0.0.1:0": "127.0.0.1:"} {
		at, err := listen.TCP(address)
		require.NoError(t, err)
		require.Regexp(t, "^"+regexp.QuoteMeta(want), at.Addr().String())
		require.NoError(t, at.Close())
	}
}

func TestAddressesThatCannotBeHad(t *testing.T) {
	at, err := listen.TCP("127.0.0.1:0")
	require.NoError(t, err)
	defer at.Close()
	for _, row := range []struct{ name, address, want string }{
		{"in use", at.Addr().String(), at.Addr().String() + " is in use (expected a free port, or 0 for any)"},
		{"of another computer", "192.0.2.1:0", "cannot listen at 192.0.2.1:0 (expected an address of this computer)"},
		{"no port", "127.0.0.1", "cannot listen at 127.0.0.1 (expected HOST:PORT, such as 127.0.0.1:8080)"},
		{"port too large", "127.0.0.1:99999", "cannot listen at 127.0.0.1:99999 (expected HOST:PORT, such as 127.0.0.1:8080)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := listen.TCP(row.address)
			require.EqualError(t, err, row.want)
		})
	}
}
