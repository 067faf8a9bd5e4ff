// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
)

// Whatever is read can be followed, and if it does what it promises, listed: the
// list leaves the words that the steps leave.
func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add(ringAllgather(3))
	f.Add(ringAllreduce(3))
	f.Add(directAlltoall(2))
	f.Add(hierarchicalAllreduce(2, 2))
	r := newRandomAlgorithm(rand.New(rand.NewPCG(3, 1)))
	for range 12 {
		r.grow()
	}
	f.Add(r.String())
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse("f.xml", strings.NewReader(text))
		if err != nil {
			var fault *input.Error
			require.True(t, errors.As(err, &fault), err)
			require.True(t, strings.HasPrefix(err.Error(), "f.xml"), err)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		again, err := Parse("f.xml", strings.NewReader(written(t, a)))
		require.NoError(t, err)
		require.Equal(t, written(t, a), written(t, again))
		chunks := 0
		for rank := range a.GPUs {
			chunks += a.layout(rank).end
		}
		if chunks > 1<<12 || a.Ranks > 64 {
			return
		}
		flow, err := a.Flow(0)
		if err != nil || flow.Failure != nil {
			return
		}
		l, sizes := flow.List(2)
		_, err = flow.Words(l, sizes, 2, 32, 1)
		require.NoError(t, err)
	})
}
