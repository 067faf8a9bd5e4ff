// SPDX-License-Identifier: Apache-2.0

package msccl

import "meshwright/internal/input"

// collectiveNames lists the collectives with a known promise, and "custom", which promises
// nothing.
func collectiveNames() []string {
	return []string{"allreduce", "allgather", "reduce_scatter", "alltoall", "broadcast", "reduce", "gather", "scatter", "custom"}
}

// Rooted reports whether one rank of the collective is the root.
func (a *Algorithm) Rooted() bool {
	switch a.Collective {
	case "broadcast", "reduce", "gather", "scatter":
		return true
	}
	return false
}

// Words returns how many words a rank has, or gets, of its own, or of the vector, with chunks of so many words: the length of a job of the same collective.
func (a *Algorithm) Words(length int) int {
	switch a.Collective {
	case "allreduce", "broadcast", "reduce", "reduce_scatter":
		return a.ChunksPerLoop * length
	}
	return a.ChunksPerLoop / a.Ranks * length
}

// buffers returns the chunks of the input and the output of a rank: by the
// collective, and of a custom one as the file says.
func (a *Algorithm) buffers(rank int) (in, out int, err error) {
	all, part := a.ChunksPerLoop, a.ChunksPerLoop/a.Ranks
	switch a.Collective {
	case "allreduce", "broadcast", "reduce":
		return all, all, nil
	case "custom":
		return a.GPUs[rank].Input, a.GPUs[rank].Output, nil
	}
	if all%a.Ranks != 0 {
		return 0, 0, a.fault(a.GPUs[0].Line, "expected a multiple of ngpus, "+itoa(a.Ranks), "%s of nchunksperloop %d", a.Collective, all)
	}
	switch a.Collective {
	case "allgather", "gather":
		return part, all, nil
	case "reduce_scatter", "scatter":
		return all, part, nil
	}
	return all, all, nil // alltoall
}

// layout is where the buffers of a rank are in its memory, in chunks.
type layout struct{ input, output, scratch, end int }

// at returns the index of chunk k of a place.
func (l *layout) at(p Place, k int) int {
	switch p.Buffer {
	case 'i':
		return l.input + p.Offset + k
	case 'o':
		return l.output + p.Offset + k
	}
	return l.scratch + p.Offset + k
}

// layout returns the layout of a rank. In place, the smaller of input and output is the rank's
// section of the larger one.
func (a *Algorithm) layout(rank int) layout {
	in, out, _ := a.buffers(rank)
	scratch := a.GPUs[rank].Scratch
	if !a.InPlace {
		return layout{0, in, in + out, in + out + scratch}
	}
	l := layout{scratch: max(in, out), end: max(in, out) + scratch}
	switch a.Collective {
	case "allgather", "gather":
		l.input = rank * in
	case "reduce_scatter", "scatter":
		l.output = rank * out
	}
	return l
}

// source is one chunk of the input of a rank.
type source struct{ rank, chunk int }

// promise returns the inputs whose sum chunk k of a rank's output must be, rising. It returns
// nil for an output about which the collective promises nothing.
func (a *Algorithm) promise(rank, k, root int) []source {
	part := max(1, a.ChunksPerLoop/a.Ranks)
	everywhere := func(chunk int) []source {
		sum := make([]source, a.Ranks)
		for r := range sum {
			sum[r] = source{r, chunk}
		}
		return sum
	}
	switch a.Collective {
	case "allreduce":
		return everywhere(k)
	case "reduce_scatter":
		return everywhere(rank*part + k)
	case "allgather":
		return []source{{k / part, k % part}}
	case "alltoall":
		return []source{{k / part, rank*part + k%part}}
	case "broadcast":
		return []source{{root, k}}
	case "scatter":
		return []source{{root, rank*part + k}}
	case "reduce":
		if rank == root {
			return everywhere(k)
		}
	case "gather":
		if rank == root {
			return []source{{k / part, k % part}}
		}
	}
	return nil
}

// judgeRoot refuses roots that are no rank, and alltoall's and others' roots.
func (a *Algorithm) judgeRoot(root int) error {
	if root < 0 || root >= a.Ranks {
		return input.At("--root", 0, "expected 0 to "+itoa(a.Ranks-1), "%d is not a rank of %s", root, a.Name)
	}
	return nil
}
