// SPDX-License-Identifier: Apache-2.0
//
// Facts in the log that NCCL and RCCL print with NCCL_DEBUG=INFO.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace orrery::calibrate {

/// What a log states; 0 or empty: not stated.
struct NcclLog {
  bool seen = false;
  std::int32_t ranks = 0, nodes = 0;  ///< of the largest communicator
  std::int32_t channels = 0;          ///< for collectives, the most of a communicator
  std::int32_t adapters = 0;          ///< of a node, for InfiniBand or RoCE
  std::string version;
  std::map<std::string, std::int64_t> choices;  ///< "AllReduce ring simple": number of lines
};

/// Adds a line. Lines of other programs and of the end of communicators have no effect.
void read_nccl_log_line(std::string_view line, NcclLog& log);

/// The facts of all lines of a text.
[[nodiscard]] NcclLog read_nccl_log(std::string_view text);

/// "16 ranks on 2 nodes".
[[nodiscard]] std::string contents_of(const NcclLog& log);

}  // namespace orrery::calibrate
