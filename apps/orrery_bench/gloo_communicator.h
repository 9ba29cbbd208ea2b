// SPDX-License-Identifier: Apache-2.0
//
// Real communication between processes, by the Gloo in PyTorch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "communicator.h"

namespace orrery::bench {

struct GlooOptions {
  std::string store;                 ///< path of a new file through which processes find each other
  std::uint32_t rank = 0;            ///< of this process
  std::vector<std::uint32_t> ranks;  ///< all replayed ranks, ascending
  std::int64_t timeout_ms = 0;       ///< of a single communication, and of the initial connection
};

/// Reductions are sums: recordings do not contain the operation. Received integers are discarded,
/// as they are indices of tables. Waits until all processes are connected. Throws std::exception:
/// Gloo is missing, a process does not connect, a group has a rank that is not replayed.
[[nodiscard]] std::unique_ptr<Communicator> make_gloo_communicator(const Program& program,
                                                                   const GlooOptions& place);

}  // namespace orrery::bench
