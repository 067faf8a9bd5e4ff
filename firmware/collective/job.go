// SPDX-License-Identifier: Apache-2.0

package collective

import "meshwright/firmware/plan"

// Job says which words are to be moved, on which machine.
type Job = plan.Job

// Plan is a collective as firmware, see [Generate] and [Execute].
type Plan = plan.Plan
