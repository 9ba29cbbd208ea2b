// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "orrery/platform/platform.h"

namespace orrery::model {

/// What NCCL's kernels for sends and receives make of a link: one peer does not get all of it, and
/// no message is there sooner. In nodes [0] and between them [1].
///
/// Source: torch.distributed send and receive between two GPUs, measured by Vidur (microsoft/vidur
/// data/profiling/network, MIT). Fitted: in a node H100 7.3 us and 357 of 450 GB/s, A100 12.7 us
/// and 283 of 300; between nodes H100 20 us and 36 of 50 (docs/collectives.md). GPUs before Ampere
/// take A100's, those after Hopper H100's.
struct Sends {
  std::size_t node_dims = 0;  ///< leading dimensions of one node
  double latency_ns[2] = {0, 0};
  double share[2] = {1, 1};
};

/// Of the platform's device.
[[nodiscard]] Sends sends_of(const platform::Platform& platform);

}  // namespace orrery::model
