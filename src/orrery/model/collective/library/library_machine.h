// SPDX-License-Identifier: Apache-2.0
//
// The library that runs a platform's collectives.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/collective/library/library_times.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// The hardware of a platform as NCCL detects it: the leading dimensions form one node.
struct LibraryMachine {
  nccl::Hardware hardware;
  std::size_t node_dims = 0;  ///< 0: every GPU is a node
};

/// Returns the machine of a platform. Nodes are platform::node_dimensions(). The links of a GPU are
/// its port into a switch, or all its links to neighbors. AMD GPUs use 3/4 of the rate of their
/// links (48 of 64 GB/s: RCCL's topo.h) and the constants of Ampere. The latter is an assumption:
/// RCCL has its own constants.
[[nodiscard]] LibraryMachine library_machine(const platform::Platform& platform);

/// The times of the library that runs the platform's collectives. Null: no library runs them, or
/// ASTRA rules. `own`, `tuner`: from the files that the platform specifies. Errc: those of
/// read_allowed.
[[nodiscard]] Result<std::shared_ptr<const LibraryTimes>> make_library_times(
    const platform::Platform& platform, std::vector<CollectiveCurve> own = {},
    std::vector<nccl::TunerLine> tuner = {});

}  // namespace orrery::model
