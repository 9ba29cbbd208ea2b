// SPDX-License-Identifier: Apache-2.0
//
// FLOPs, bytes and communication of a program, without running it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/collective_type.h"
#include "orrery/hlo/lower/device_tasks.h"

namespace orrery::hlo {

/// Counts of one device.
struct ProgramCount {
  struct Operations {
    graph::Operation operation = graph::Operation::unsaid;
    graph::Pass pass = graph::Pass::forward;
    std::int64_t kernels = 0, product_flop = 0, other_flop = 0, bytes = 0;
  };
  struct Traffic {
    std::string_view type;  ///< "all_reduce", "send"
    Purpose purpose = Purpose::other;
    std::int64_t group_size = 0;  ///< 0: messages between pairs
    std::int64_t operations = 0;
    std::int64_t elements = 0, bytes = 0;  ///< of inputs
  };
  std::int64_t devices = 1;
  std::int64_t operations = 0;  ///< in the text
  std::int64_t kernels = 0;
  std::int64_t product_flop = 0, other_flop = 0, bytes = 0;
  std::vector<Operations> by_operation;  ///< by kind of kernel, then pass
  std::vector<Traffic> traffic;          ///< by type, purpose and size of group
};

/// The program's counts. Errc: as device_tasks(). Unpartitioned programs count for all devices.
[[nodiscard]] Result<ProgramCount> count_program(const Program& program, const std::string& where,
                                                 Findings& findings);

/// Whether a program has shapes of all devices together: its shardings are not applied yet.
[[nodiscard]] bool is_unpartitioned(const Program& program);

}  // namespace orrery::hlo
