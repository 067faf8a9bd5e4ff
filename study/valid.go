// SPDX-License-Identifier: Apache-2.0

package study

import "meshwright/internal/input"

// valid refuses a sweep with an invalid network, machine or size.
func (s *Sweep) valid() error {
	if s.Store == nil {
		return input.Errorf("expected one of NewStore or OpenStore", "no store")
	}
	if err := s.Machine.Valid(); err != nil {
		return err
	}
	for _, t := range s.Networks {
		if err := t.Valid(); err != nil {
			return err
		}
	}
	for _, bytes := range s.Bytes {
		if bytes < 1 {
			return input.Errorf("expected at least 1", "blocks of %d bytes", bytes)
		}
	}
	return nil
}
