// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// Whether a layer that is computed again as a whole (RecomputeKind::full) is so only until all is
/// there that its backward pass needs: the product that ends it is not. What
/// `recompute.early_stop` says, else so with PyTorch's own checkpoints: "By default, non-reentrant
/// checkpoint stops recomputation early" (torch.utils.checkpoint, set_checkpoint_early_stop, since
/// release 2.1), as torchtitan's are; compilers leave out what nobody reads. Megatron-Core's and
/// DeepSpeed's own checkpoints run the whole layer again.
[[nodiscard]] bool stops_recompute_early(const Spec& spec);

}  // namespace orrery::workload
