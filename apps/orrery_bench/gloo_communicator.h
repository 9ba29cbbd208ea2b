// SPDX-License-Identifier: Apache-2.0
//
// Communications as they are: between processes, by the Gloo that is in PyTorch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "communicator.h"

namespace orrery::replay {

struct GlooPlace {
  std::string store;                 ///< a file by which processes find each other, new
  std::uint32_t rank = 0;            ///< this process's
  std::vector<std::uint32_t> ranks;  ///< all that are played, ascending
  std::int64_t timeout_ms = 0;       ///< of a single communication, and of finding each other
};

/// Sums where something is reduced: recordings do not say how. What is received into whole numbers
/// is thrown away, as they are places in tables. Waits until all processes are there. Throws
/// std::exception: there is no Gloo, somebody does not come, a group has a rank that is not played.
[[nodiscard]] std::unique_ptr<Communicator> gloo_of(const Program& program, const GlooPlace& place);

}  // namespace orrery::replay
