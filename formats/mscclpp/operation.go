// SPDX-License-Identifier: Apache-2.0

package mscclpp

import (
	"fmt"
	"slices"

	"meshwright/internal/input"
	"meshwright/internal/jsontree"
)

// form is what the places of an operation are: one letter each.
//
//	l  chunks of the rank       p  packets in the scratch buffer of the rank
//	L  chunks of another rank   P  packets in the scratch buffer of another rank
//
// The last letter stands for as many places as there are if many; paired: as many sources as targets.
type form struct {
	sources, targets         string
	manySources, manyTargets bool
	paired                   bool
	adds                     bool
}

// forms are the operations that are read.
var forms = map[string]form{
	"nop": {}, "signal": {}, "wait": {}, "rlxsignal": {}, "rlxwait": {}, "barrier": {},
	"copy":    {sources: "l", targets: "l"},
	"put":     {sources: "l", targets: "L", manySources: true, manyTargets: true, paired: true},
	"get":     {sources: "L", targets: "l", manySources: true, manyTargets: true, paired: true},
	"re":      {sources: "ll", targets: "l", manySources: true, adds: true},
	"res":     {sources: "ll", targets: "lL", manySources: true, manyTargets: true, adds: true},
	"rre":     {sources: "lL", targets: "l", manySources: true, adds: true},
	"rres":    {sources: "lL", targets: "lL", manySources: true, manyTargets: true, adds: true},
	"ppkt":    {sources: "l", targets: "P", manySources: true, manyTargets: true, paired: true},
	"rppkt":   {sources: "p", targets: "P", manyTargets: true},
	"cpkt":    {sources: "l", targets: "p"},
	"upkt":    {sources: "p", targets: "l"},
	"repkt":   {sources: "lp", targets: "l", manySources: true, adds: true},
	"respkt":  {sources: "lp", targets: "lP", manySources: true, manyTargets: true, adds: true},
	"recpkt":  {sources: "lp", targets: "lp", manySources: true, adds: true},
	"recspkt": {sources: "lp", targets: "lpP", manySources: true, manyTargets: true, adds: true},
}

// refused are the operations of plans that are not read, with the reason.
var refused = map[string]string{
	"glres":       "sums and stores in a switch are not modelled",
	"gstore":      "stores through a switch to several ranks are not modelled",
	"gstorepkt":   "stores through a switch to several ranks are not modelled",
	"pipeline":    "how often it repeats depends on the number of bytes",
	"sem_acquire": "which release a threadblock gets depends on the time",
	"sem_release": "which release a threadblock gets depends on the time",
	"pws":         "port channels are not modelled",
	"pwsf":        "port channels are not modelled",
	"flush":       "port channels are not modelled",
}

// known refuses an operation that is not read, or that has a field which is not.
func known(v *jsontree.Value, name string) error {
	if reason := refused[name]; reason != "" {
		return v.Fault("expected copies, puts, gets, sums, packets, signals and barriers: "+reason, "operation %q", name)
	}
	if _, ok := forms[name]; !ok {
		return v.Fault("expected an operation of MSCCL++", "operation %q", input.Clip(name))
	}
	for _, f := range v.Fields {
		switch f.Name {
		case "name", "src_buff", "dst_buff", "channel_ids", "channel_type", "reduce_op", "tbg_info", "barrier_id", "num_threadblocks":
		default:
			return f.Value.Fault("expected only fields that are understood", "operation %q: field %q", name, input.Clip(f.Name))
		}
	}
	if kind := v.Field("channel_type"); kind != nil && kind.Text != "memory" {
		return kind.Fault("expected memory channels", "operation %q over a channel of type %q", name, input.Clip(kind.Text))
	}
	if by := v.Field("reduce_op"); by != nil && by.Text != "sum" {
		return by.Fault("expected sum", "reduce_op %q", input.Clip(by.Text))
	}
	return nil
}

func (p *plan) readOperations(id int, t *thread, v *jsontree.Value) error {
	ops := v.Field("ops").Items
	for i := range ops {
		o := operation{name: ops[i].Field("name").Text, at: &ops[i]}
		f := forms[o.name]
		if err := p.readChannelIDs(t, &o); err != nil {
			return err
		}
		var err error
		if o.name == "barrier" {
			if o.barrier, err = o.at.Int("barrier_id", 0, maxNumber); err != nil {
				return err
			}
			if o.threads, err = o.at.Int("num_threadblocks", 1, maxNumber); err != nil {
				return err
			}
		}
		if o.sources, err = p.places(id, t, &o, "src_buff", f.sources, f.manySources); err != nil {
			return err
		}
		if o.targets, err = p.places(id, t, &o, "dst_buff", f.targets, f.manyTargets); err != nil {
			return err
		}
		if err := p.judge(&o, f); err != nil {
			return err
		}
		t.ops = append(t.ops, o)
	}
	return nil
}

// readChannelIDs reads the channels of a signal or a wait.
func (p *plan) readChannelIDs(t *thread, o *operation) error {
	switch o.name {
	case "signal", "wait", "rlxsignal", "rlxwait":
	default:
		return nil
	}
	if _, err := o.at.Need("channel_type", jsontree.String); err != nil {
		return err
	}
	ids, err := o.at.Need("channel_ids", jsontree.List)
	if err != nil {
		return err
	}
	for k := range ids.Items {
		n, err := entry(&ids.Items[k], "channel_ids", "threadblock", "memory channels", len(t.channels))
		if err != nil {
			return err
		}
		if slices.Contains(o.channels, t.channels[n]) {
			return ids.Items[k].Fault("expected each channel once", "channel %d again", n)
		}
		o.channels = append(o.channels, t.channels[n])
	}
	return nil
}

// places reads the sources or the targets of an operation.
func (p *plan) places(id int, t *thread, o *operation, field, letters string, many bool) ([]place, error) {
	list := o.at.Field(field)
	if list == nil {
		list = &jsontree.Value{Kind: jsontree.List, Line: o.at.Line}
	}
	if n := len(list.Items); n < len(letters) || n > len(letters) && !many {
		least := ""
		if many {
			least = "at least "
		}
		return nil, o.at.Fault(fmt.Sprintf("expected %s%d", least, len(letters)), "operation %q: %d of %s", o.name, n, field)
	}
	var all []place
	for i := range list.Items {
		at, err := p.place(id, t, o, &list.Items[i], letters[min(i, len(letters)-1)])
		if err != nil {
			return nil, err
		}
		all = append(all, at)
	}
	return all, nil
}

func (p *plan) place(id int, t *thread, o *operation, v *jsontree.Value, letter byte) (place, error) {
	at := place{rank: id, remote: letter == 'L' || letter == 'P'}
	packets := letter == 'p' || letter == 'P'
	var err error
	if at.remote {
		if len(t.remotes) == 0 {
			return at, v.Fault("expected a threadblock with remote buffers", "operation %q: buffer_id in a threadblock that has no remote buffers", o.name)
		}
		k, err := v.Int("buffer_id", 0, len(t.remotes)-1)
		if err != nil {
			return at, err
		}
		b := t.remotes[k]
		if !b.reachable {
			return at, v.Fault("expected one with access_channel_types memory", "buffer_id %d", k)
		}
		at.rank, at.buffer = b.rank, b.buffer
	} else if at.buffer, err = buffer(v); err != nil {
		return at, err
	}
	switch {
	case packets && at.buffer != 's':
		return at, v.Fault("expected the scratch buffer, s", "operation %q: packets in buffer %c", o.name, at.buffer)
	case packets && p.protocol != "LL":
		return at, v.Fault("expected a plan of protocol LL", "operation %q: packets", o.name)
	case !packets && p.packets && at.buffer == 's':
		return at, v.Fault("expected packets alone: a packet takes the room of two chunks", "operation %q: chunks in a scratch buffer that has packets, too", o.name)
	}
	r := &p.ranks[at.rank]
	whole := map[byte]int{'i': r.input, 'o': r.output, 's': r.scratch}[at.buffer]
	if whole == 0 {
		return at, v.Fault("expected a buffer with chunks", "operation %q: buffer %c of gpu %d has no chunks", o.name, at.buffer, at.rank)
	}
	index, err := v.Int("index", 0, whole-1)
	if err != nil {
		return at, err
	}
	size, err := v.Int("size", 1, whole-index)
	if err != nil {
		return at, err
	}
	number, of, err := group(o.at)
	at.count = size * p.parts / of
	at.offset = index*p.parts + number*at.count
	return at, err
}

// judge refuses an operation whose places do not fit each other.
func (p *plan) judge(o *operation, f form) error {
	if f.paired && len(o.sources) != len(o.targets) {
		return o.at.Fault("expected as many of dst_buff", "operation %q: %d of src_buff, %d of dst_buff", o.name, len(o.sources), len(o.targets))
	}
	if f.adds {
		if _, err := o.at.Need("reduce_op", jsontree.String); err != nil {
			return err
		}
	}
	all := slices.Concat(o.sources, o.targets)
	for k, at := range all {
		if at.count != all[0].count && !f.paired || f.paired && at.count != o.sources[k%len(o.sources)].count {
			return o.at.Fault("expected equal sizes", "operation %q: chunks of different sizes", o.name)
		}
	}
	switch o.name {
	case "get":
		for k := range o.sources {
			if o.sources[k].offset != o.targets[k].offset {
				return o.at.Fault("expected equal indices: the executor takes each at the index of the other", "operation %q: from %s to %s", o.name, o.sources[k], o.targets[k])
			}
		}
	case "put", "ppkt":
		for _, s := range o.sources {
			if s.buffer != o.sources[0].buffer {
				return o.at.Fault("expected one: the executor takes all from the first", "operation %q: sources in buffers %c and %c", o.name, o.sources[0].buffer, s.buffer)
			}
		}
	}
	return p.judgeOverlap(o)
}

// judgeOverlap refuses places of a rank that overlap a target in part.
func (p *plan) judgeOverlap(o *operation) error {
	if len(o.sources) == 0 || len(o.targets) == 0 || o.targets[0].remote {
		return nil
	}
	target, same := o.targets[0], 0
	for k, s := range o.sources {
		if s.remote || !p.overlap(s, target) {
			continue
		}
		if s == target {
			same++
		}
		// The first source may be the target by another name: in place, input and output are one.
		first := k == 0 && p.first(s) == p.first(target)
		if s != target && !first || same > 1 {
			return o.at.Fault("expected a target that is one of the sources, or none", "operation %q: %s overlaps %s", o.name, s, target)
		}
	}
	return nil
}

// overlap reports whether two places of a rank share memory.
func (p *plan) overlap(a, b place) bool {
	if (a.buffer == 's') != (b.buffer == 's') || a.buffer != b.buffer && !p.inPlace {
		return false
	}
	return p.first(a) < p.first(b)+b.count && p.first(b) < p.first(a)+a.count
}

// first is where a place begins, in place in the larger of input and output.
func (p *plan) first(a place) int {
	r := &p.ranks[a.rank]
	if p.inPlace && (a.buffer == 'i' && r.input < r.output || a.buffer == 'o' && r.output < r.input) {
		return a.offset + a.rank*min(r.input, r.output)*p.parts
	}
	return a.offset
}
