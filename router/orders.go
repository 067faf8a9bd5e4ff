// SPDX-License-Identifier: Apache-2.0

package router

// This file has the routings that are made of dimension order: the highest dimension first,
// either order, by way of a node between, and adaptive routing.

// chooser is a Routing by which heads that have not claimed an output choose one in every cycle. Next returns the
// port of the output-VC for which they wait if none is free.
type chooser interface {
	Routing
	// appendPorts appends the ports of which a head that came in by a port (NoPort: it was injected) may take
	// one, the one that it prefers first.
	appendPorts(list []Port, at, to NodeID, in Port) []Port
	// class returns the virtual channel of the output-VC for which heads wait, by its port.
	class(at, to NodeID, p Port) VC
	// escapes returns how many virtual channels of a link heads do not choose, the first ones.
	escapes() int
	// alone reports whether heads choose only channels whose buffers are empty.
	alone() bool
}

// ReverseOrder routes along the highest dimension that still differs.
type ReverseOrder struct{ Order *DimensionOrder }

// Next implements Routing.
func (r ReverseOrder) Next(at NodeID, w *Worm, _ uint32) Port {
	d := len(r.Order.dims)
	here, there := r.Order.coords[int(at)*d:], r.Order.coords[int(w.Destination)*d:]
	for i := d - 1; i >= 0; i-- {
		if way := there[i] - here[i]; way != 0 {
			return r.Order.towards(i, way)
		}
	}
	return Here
}

// O1Turn routes each message in one of the two orders, as the class of its virtual channel
// says (Seo, Ali, Lim, Rafique and Thottethodi, 2005).
type O1Turn struct {
	Order *DimensionOrder
	Class VC // the bit of a virtual channel's number that is set for the highest dimension first
}

func (O1Turn) dependsOnMessage() {}

// Next implements Routing.
func (r O1Turn) Next(at NodeID, w *Worm, hop uint32) Port {
	if w.Lane&r.Class != 0 {
		return ReverseOrder{r.Order}.Next(at, w, hop)
	}
	return r.Order.Next(at, w, hop)
}

// Valiant routes to the node Via of a message, and from there to its destination, both in
// dimension order (Valiant and Brebner, 1981).
type Valiant struct {
	Order *DimensionOrder
	Class VC // the bit of a virtual channel's number that is set from Via on
}

func (Valiant) dependsOnMessage() {}

// Next implements Routing.
func (r Valiant) Next(at NodeID, w *Worm, hop uint32) Port {
	if hop < w.Turn {
		return r.Order.Next(at, &Worm{Destination: w.Via}, hop)
	}
	return r.Order.Next(at, w, hop)
}

// Adaptive routes by any shortest route: in every cycle the head of a message takes the first channel
// that is free. Some channels of a link are escape channels, which a head may always wait for;
// they are taken in dimension order (Duato, 1993).
type Adaptive struct {
	Order  *DimensionOrder // of the escape channels
	Escape int             // escape channels of a link: the first ones, two where there are rings
}

// Next implements Routing: the route of the escape channels.
func (r *Adaptive) Next(at NodeID, w *Worm, hop uint32) Port { return r.Order.Next(at, w, hop) }

func (r *Adaptive) appendPorts(list []Port, at, to NodeID, _ Port) []Port {
	return r.Order.appendShorter(list, at, to)
}

func (r *Adaptive) escapes() int { return r.Escape }

// A head that waits behind another worm could not escape.
func (r *Adaptive) alone() bool { return true }

// appendShorter appends the ports that shorten the route, one for each dimension that differs, the
// lowest first.
func (r *DimensionOrder) appendShorter(list []Port, at, to NodeID) []Port {
	d := len(r.dims)
	here, there := r.coords[int(at)*d:], r.coords[int(to)*d:]
	for i := range d {
		if way := there[i] - here[i]; way != 0 {
			list = append(list, r.towards(i, way))
		}
	}
	return list
}

// class returns the escape channel of port p on the way to a node: 0 while the route in the
// port's dimension closes the ring, 1 from there on. On meshes there is one class.
func (r *Adaptive) class(at, to NodeID, p Port) VC {
	if r.Escape == 1 {
		return 0
	}
	i := int(p / 2)
	here, there := r.Order.coords[int(at)*len(r.Order.dims)+i], r.Order.coords[int(to)*len(r.Order.dims)+i]
	if p%2 == 0 && there < here || p%2 == 1 && there > here {
		return 0
	}
	return 1
}
