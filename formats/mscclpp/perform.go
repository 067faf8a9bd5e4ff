// SPDX-License-Identifier: Apache-2.0

package mscclpp

import (
	"slices"

	"meshwright/formats/msccl"
)

// do lets a worker do an operation; false: it has to wait.
func (t *translator) do(w *worker, o *operation) (bool, error) {
	switch o.name {
	case "nop":
		return true, nil
	case "signal", "rlxsignal":
		return true, t.signal(w, o)
	case "wait", "rlxwait":
		return t.wait(w, o)
	case "barrier":
		return t.barrier(w, o)
	}
	f := forms[o.name]
	for k, s := range o.sources {
		if letter(f.sources, k) == 'p' && !t.arrived(s) {
			return false, nil
		}
	}
	w.made = nil
	for k, s := range o.sources {
		if letter(f.sources, k) == 'p' {
			t.take(w, s)
		}
	}
	switch {
	case f.paired:
		for k, s := range o.sources {
			if err := t.store(w, o, letter(f.targets, k), s, o.targets[k]); err != nil {
				return false, err
			}
		}
		return true, nil
	case !f.adds:
		for k, to := range o.targets {
			if err := t.store(w, o, letter(f.targets, k), o.sources[0], to); err != nil {
				return false, err
			}
		}
		return true, nil
	}
	t.add(w, o)
	for k, to := range o.targets[1:] {
		if err := t.store(w, o, letter(f.targets, k+1), o.targets[0], to); err != nil {
			return false, err
		}
	}
	return true, nil
}

// letter is what the k-th place of an operation is.
func letter(letters string, k int) byte { return letters[min(k, len(letters)-1)] }

// arrived reports whether packets can be read.
func (t *translator) arrived(at place) bool {
	for k := range at.count {
		if t.packets[part(at, k)] == nil {
			return false
		}
	}
	return true
}

// take puts what packets were made of before the worker, and before what it makes of them.
func (t *translator) take(w *worker, at place) {
	for k := range at.count {
		from := t.packets[part(at, k)]
		w.clock.join(from)
		w.made.join(from)
		t.work += len(w.clock)
	}
}

// part is one part of a place.
func part(at place, k int) place {
	return place{rank: at.rank, buffer: at.buffer, offset: at.offset + k}
}

// store copies chunks, or puts them to another rank, or gets them from there.
func (t *translator) store(w *worker, o *operation, letter byte, from, to place) error {
	packets := letter == 'p' || letter == 'P'
	if packets {
		for k := range to.count {
			if t.packets[part(to, k)] != nil {
				return o.at.Fault("expected one: which of them a reader gets depends on the time", "operation %q writes packets to %s a second time", o.name, part(to, k))
			}
		}
	}
	if from.rank == to.rank {
		t.local(w, o, msccl.Copy, from, to)
	} else {
		t.move(w, o, msccl.Receive, packets, from, from, to)
		if to.rank != w.rank && !packets {
			_, k := t.connection(w, access{from.rank, to.rank, packets})
			t.puts = append(t.puts, written{k, int32(len(t.blocks[k].Steps)), o, to})
		}
	}
	if packets {
		kept := slices.Clone(w.made)
		for k := range to.count {
			t.packets[part(to, k)] = kept
		}
		t.work += len(kept) + to.count
	}
	return nil
}

// add sums the sources in the first target.
func (t *translator) add(w *worker, o *operation) {
	target := o.targets[0]
	begin := max(0, slices.Index(o.sources, target))
	if o.sources[begin] != target && !o.sources[1].remote {
		t.local(w, o, msccl.Copy, o.sources[begin], target)
	}
	with := o.sources[begin] // of the first sum with another rank's chunks
	for k, s := range o.sources {
		switch {
		case k == begin:
		case s.remote:
			t.move(w, o, msccl.ReceiveReduceCopy, false, s, with, target)
			with = target
		default:
			t.local(w, o, msccl.Reduce, s, target)
		}
	}
}

// signal adds to the count of each channel.
func (t *translator) signal(w *worker, o *operation) error {
	for _, k := range o.channels {
		l := t.lines[end{w.rank, k}]
		if l.signaller != nil && l.signaller != w {
			return o.at.Fault("expected a channel of its own for each", "gpu %d tb %d signals over the channel of tb %d", w.rank, w.id, l.signaller.id)
		}
		l.signaller = w
		var before clock
		if o.name == "signal" {
			before = slices.Clone(w.clock)
		} else if n := len(l.signals); n > 0 {
			before = l.signals[n-1]
		}
		l.signals = append(l.signals, before)
		t.work += len(before) + 1
	}
	return nil
}

// wait takes a signal of each channel.
func (t *translator) wait(w *worker, o *operation) (bool, error) {
	for ; w.done < len(o.channels); w.done++ {
		l := t.lines[end{w.rank, o.channels[w.done]}]
		if l.taker != nil && l.taker != w {
			return false, o.at.Fault("expected a channel of its own for each", "gpu %d tb %d waits at the channel of tb %d", w.rank, w.id, l.taker.id)
		}
		l.taker = w
		other := t.lines[l.peer]
		if other == nil || len(other.signals) <= l.waits {
			return false, nil
		}
		if o.name == "wait" {
			w.clock.join(other.signals[l.waits])
			t.work += len(w.clock)
		}
		l.waits++
	}
	return true, nil
}

// barrier waits for the other threadblocks of the rank.
func (t *translator) barrier(w *worker, o *operation) (bool, error) {
	at := end{w.rank, o.barrier}
	m := t.barriers[at]
	if m == nil {
		m = &meeting{size: o.threads, members: map[*worker]bool{}}
		t.barriers[at] = m
	}
	if m.members[w] = true; o.threads != m.size || len(m.members) > m.size {
		return false, o.at.Fault("expected the same threadblocks each time, as many as num_threadblocks", "barrier %d of %d threadblocks, and of others", o.barrier, o.threads)
	}
	switch {
	case w.done == 0: // arrives
		w.done = 1
		m.here = append(m.here, w)
		m.clock.join(w.clock)
		if len(m.here) < m.size {
			return false, nil
		}
		for _, other := range m.here {
			other.clock.join(m.clock)
			other.done = 2
			t.work += len(m.clock)
		}
		m.here, m.clock = nil, nil
		return true, nil
	case w.done == 1:
		return false, nil
	}
	return true, nil
}

// written is a write into the memory of another rank, as the so many-th step of a block.
type written struct {
	block int
	steps int32
	by    *operation
	to    place
}

// awaited refuses a plan in which a rank could end before all that is put into its memory has come.
func (t *translator) awaited() error {
	ends := make([]clock, len(t.ranks))
	for _, w := range t.workers {
		ends[w.rank].join(w.clock)
	}
	for _, x := range t.puts {
		if ends[x.to.rank].at(x.block) < x.steps {
			return x.by.at.Fault("expected a wait there for a signal behind it", "operation %q writes %s, which may end before that", x.by.name, x.to)
		}
	}
	return nil
}
