// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Collectives answer to their names in all spellings of MPI, NCCL and those who type them.
func TestKindOfSpellings(t *testing.T) {
	for name, want := range map[string]string{
		"MPI_Allreduce": Allreduce, "Allreduce": Allreduce, "all-reduce": Allreduce, "ALL_REDUCE": Allreduce, "MPI-Allreduce": Allreduce,
		"all-gather": Gossip, "MPI_Allgather": Gossip, "AllGather": Gossip, "all_to_all": Exchange, "all-to-all": Exchange, "MPI_Alltoall": Exchange, "AlltoAll": Exchange,
		"reduce_scatter": ReduceScatter, "MPI_Reduce_scatter": ReduceScatter, "ReduceScatter": ReduceScatter, "reducescatter": ReduceScatter,
		"MPI_Bcast": Broadcast, "Broadcast": Broadcast, "mpi_scatter": Scatter, "MPI_Gather": Gather, "Reduce": Reduce, "MPIReduce": Reduce,
	} {
		kind, err := KindOf(name)
		require.NoError(t, err, name)
		require.Equal(t, want, kind.Name, name)
	}
	for _, name := range []string{"", "MPI_", "mpi", "all gather", "MPI_Barrier", "gathers", "-"} {
		_, err := KindOf(name)
		require.ErrorContains(t, err, "unknown collective", name)
	}
	// No two collectives share a spelling.
	seen := map[string]string{}
	for _, kind := range Kinds() {
		for _, name := range append([]string{kind.Name}, kind.Aliases...) {
			require.Contains(t, []string{"", kind.Name}, seen[bare(name)], strings.Join(kind.Aliases, ","))
			seen[bare(name)] = kind.Name
		}
	}
}
