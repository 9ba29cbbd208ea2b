// SPDX-License-Identifier: Apache-2.0
//
// Facts in the log that NCCL and RCCL print with NCCL_DEBUG=INFO.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::calibrate {

/// The size of the largest communicator that a log states; 0: not stated.
struct NcclLog {
  bool seen = false;
  std::int32_t ranks = 0, nodes = 0;
};

/// Adds a line. Lines of other programs and of the end of communicators have no effect.
void read_nccl_log_line(std::string_view line, NcclLog& log);

/// "16 ranks on 2 nodes".
[[nodiscard]] std::string contents_of(const NcclLog& log);

}  // namespace orrery::calibrate
