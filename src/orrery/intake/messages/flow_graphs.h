// SPDX-License-Identifier: Apache-2.0
//
// Flows with start times and triggers as a workload: a send and a receive each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/core/quantity.h"
#include "orrery/graph/workload.h"

namespace orrery::intake {

/// Bytes that one host sends to another.
struct Flow {
  std::uint32_t from = 0, to = 0;
  Bytes size{};
  Time start{};                        ///< if `after` is empty
  std::vector<std::uint32_t> after{};  ///< flows (by index) that end before this one starts
  std::uint64_t line = 0;              ///< of the file
};

/// The flows of a file.
struct FlowTable {
  std::uint32_t ranks = 0;
  std::vector<Flow> flows;
};

/// A rank per host. Flow i has tag i. A flow starts after others as soon as its sender knows of
/// their ends: at once where it sent or received them; otherwise their receiver sends it a message
/// of 1 byte, which is counted (default_assumed). `where` names the file. Errc: input_cycle if
/// flows wait for each other; limit_exceeded.
[[nodiscard]] Result<graph::Workload> workload_of_flows(const FlowTable& table,
                                                        const std::string& where,
                                                        Findings& findings);

}  // namespace orrery::intake
