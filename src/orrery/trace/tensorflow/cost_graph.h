// SPDX-License-Identifier: Apache-2.0
//
// Reads TensorFlow's graphs with estimated times: CostGraphDef, or RunMetadata that has nothing
// else.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::tensorflow {

/// A node; texts are valid during the call.
struct CostNode {
  std::string_view name, device;
  std::int64_t id = 0;               ///< unique among the nodes of its device
  std::int64_t cost_us = 0;          ///< estimated
  std::vector<std::int64_t> inputs;  ///< ids of the nodes that it waits for
};

/// Calls `use` for each node in the order of the file, with the offset of its record. Errc:
/// input_corrupt, input_truncated, input_read, limit_exceeded, and those of `use`.
[[nodiscard]] Result<void> read_cost_nodes(
    ByteSource& source, const std::string& where,
    const std::function<Result<void>(const CostNode&, const std::string& place)>& use);

}  // namespace orrery::trace::tensorflow
