// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"fmt"
	"strings"
)

// Algorithm is a file. Every number in it makes sense on its own, and every
// receive has its send.
type Algorithm struct {
	File, Name    string
	Protocol      string // Simple, LL or LL128
	Collective    string // allreduce, allgather …, or custom
	Channels      int
	ChunksPerLoop int // chunks of the larger of input and output
	Ranks         int
	InPlace       bool  // input and output share their memory
	OutOfPlace    bool  // it is meant for separate buffers, too
	MinBytes      int64 // sizes that it is meant for; MaxBytes 0: no limit
	MaxBytes      int64
	GPUs          []GPU // by rank

	ops []op // all steps, threadblock by threadblock
}

// GPU is one rank.
type GPU struct {
	Input, Output, Scratch int     // chunks that its steps may name
	Blocks                 []Block // by id
	Line                   int
}

// Block is a threadblock.
type Block struct {
	Send, Receive int // peers, -1: none
	Channel       int
	Steps         []Step
	Line          int
}

// Step is one instruction.
type Step struct {
	Kind                    Kind
	Source, Target          Place
	Count                   int // chunks
	DependsBlock, DependsOn int // threadblock of the same rank and its step, -1: none
	HasDependents           bool
	Line                    int
}

// Await returns a step that does nothing but wait for a step of another threadblock.
func Await(block, step, line int) Step {
	return Step{Kind: Nop, Source: Place{'i', -1}, Target: Place{'o', -1}, DependsBlock: block, DependsOn: step, Line: line}
}

// Place is the first chunk of a step in a buffer.
type Place struct {
	Buffer byte // 'i', 'o' or 's'
	Offset int
}

// String prints o[3].
func (p Place) String() string { return fmt.Sprintf("%c[%d]", p.Buffer, p.Offset) }

// Kind is the type of a step.
type Kind string

// The kinds of steps.
const (
	Send                  Kind = "s"
	Receive               Kind = "r"
	ReceiveCopySend       Kind = "rcs"
	ReceiveReduceSend     Kind = "rrs"
	ReceiveReduceCopy     Kind = "rrc"
	ReceiveReduceCopySend Kind = "rrcs"
	Copy                  Kind = "cpy"
	Reduce                Kind = "re"
	Nop                   Kind = "nop"
)

// kinds lists them for messages.
var kinds = []string{"s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "nop"}

// sends reports whether a step of the kind sends.
func (k Kind) sends() bool { return strings.HasSuffix(string(k), "s") }

// receives reports whether a step of the kind receives.
func (k Kind) receives() bool { return len(k) > 0 && k[0] == 'r' && k != Reduce }

// reduces reports whether a step of the kind adds.
func (k Kind) reduces() bool { return strings.HasPrefix(string(k), "rr") || k == Reduce }

// reads reports whether a step of the kind reads its source here, at its rank.
func (k Kind) reads() bool { return k == Send || k == Copy || k.reduces() }

// stores reports whether a step of the kind writes its target here.
func (k Kind) stores() bool { return k != Send && k != ReceiveReduceSend && k != Nop }

// op is a step with its dependences: indices of other ops, -1 where there is none.
type op struct {
	*Step
	rank, block, index int
	column             int   // number of the threadblock among the threadblocks of all ranks
	number             int32 // of the op among all ops
	next               int32 // in the threadblock
	after              int32 // the step it depends on
	sender             int32 // receives: the op that sends
	receiver           int32 // sends: the op that receives
}

// name says where a step stands.
func (o *op) name() string { return fmt.Sprintf("rank %d tb %d step %d", o.rank, o.block, o.index) }
