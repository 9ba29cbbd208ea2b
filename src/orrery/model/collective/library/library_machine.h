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

/// A platform as NCCL sees it: the leading dimensions that are one node, and their links.
struct LibraryMachine {
  nccl::Hardware hardware;
  std::size_t node_dims = 0;  ///< 0: every GPU is a node
};

/// Nodes are platform::node_dimensions(). A GPU's links are the port
/// into a switch, or all of its links to neighbours. AMD's GPUs count on 3/4 of their links (48 of
/// 64 GB/s: RCCL's topo.h) and take Ampere's constants, which is an assumption: RCCL has its own.
[[nodiscard]] LibraryMachine library_machine(const platform::Platform& platform);

/// The times of the library that runs the platform's collectives; null where none does, and under
/// ASTRA rules. `own`, `tuner`: from the files that the platform names. Errc: those of
/// read_allowed.
[[nodiscard]] Result<std::shared_ptr<const LibraryTimes>> make_library_times(
    const platform::Platform& platform, std::vector<MeasuredCollective> own = {},
    std::vector<nccl::TunerLine> tuner = {});

}  // namespace orrery::model
