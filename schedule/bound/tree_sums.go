// SPDX-License-Identifier: Apache-2.0

package bound

// treeSums are prices, or the sums of those of some rounds.
type treeSums struct {
	givers, parts []float64
	used          []float64 // by thing: flits of the trees of these rounds
	words         float64   // of these trees
	ratio         float64   // cycles that trees need with the prices
}

// none returns sums of no rounds.
func (p *treePrices) none() *treeSums {
	return &treeSums{givers: make([]float64, len(p.givers)), parts: make([]float64, len(p.things)), used: make([]float64, len(p.things))}
}

// now returns the prices of this round.
func (p *treePrices) now() *treeSums {
	s := p.none()
	s.add(p)
	return s
}

// add adds the prices of this round.
func (s *treeSums) add(p *treePrices) {
	for i := range p.givers {
		s.givers[i] += p.givers[i].price
	}
	for i := range p.things {
		s.parts[i] += p.things[i].part
		s.used[i] += p.things[i].used
	}
	s.words += p.looked
}

// take sets all prices.
func (p *treePrices) take(s *treeSums) {
	for i := range p.givers {
		p.givers[i].price = s.givers[i]
	}
	for i := range p.things {
		p.things[i].part = s.parts[i]
	}
	p.spread()
}
