// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"fmt"
)

// Limit bounds the pages of the file, as a full disk does.
func (s *Store) Limit(ctx context.Context, pages int) {
	if _, err := s.db.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
		panic(err)
	}
}
