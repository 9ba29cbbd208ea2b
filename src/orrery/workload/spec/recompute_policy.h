// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

/// Whether the recomputation of a layer (RecomputeKind::full) stops when the backward pass has all
/// that it needs: the last product of the layer is then not repeated. Returns
/// `recompute.early_stop` if given. Default: true with PyTorch's checkpoints, which torchtitan
/// uses: "By default, non-reentrant checkpoint stops recomputation early" (torch.utils.checkpoint,
/// set_checkpoint_early_stop, since release 2.1); a compiler removes unused results, too. False
/// with Megatron-Core and DeepSpeed, whose own checkpoints run the entire layer again.
[[nodiscard]] bool stops_recompute_early(const Spec& spec);

}  // namespace orrery::workload
