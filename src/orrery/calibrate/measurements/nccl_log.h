// SPDX-License-Identifier: Apache-2.0
//
// Facts in the log that NCCL and RCCL print with NCCL_DEBUG=INFO.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::calibrate {

/// What a log contains. Numbers are of the largest communicator; 0: not stated.
struct NcclLog {
  bool seen = false;
  std::int32_t ranks = 0, nodes = 0;
  std::int32_t channels = 0;  ///< of collectives
  std::int32_t rings = 0;     ///< number of rings whose order is printed
  bool has_trees = false;
  std::int32_t choices = 0;  ///< lines of the tuner: the algorithm and the protocol of a size
};

/// Adds a line. Lines of other programs have no effect.
void read_nccl_log_line(std::string_view line, NcclLog& log);

/// "16 ranks on 2 nodes, 24 channels, 24 rings, trees".
[[nodiscard]] std::string contents_of(const NcclLog& log);

}  // namespace orrery::calibrate
