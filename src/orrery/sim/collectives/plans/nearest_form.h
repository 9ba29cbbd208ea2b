// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "orrery/graph/graph.h"

namespace orrery::sim {

/// A collective expressed as one of the four types that have algorithms.
struct NearestForm {
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t size = 0;
};

/// The nearest form of a type without an algorithm: it has the bandwidth cost of the pipelined
/// form.
[[nodiscard]] inline NearestForm nearest_form(graph::CollectiveType type, std::int64_t size,
                                              std::int64_t members) {
  using graph::CollectiveType;
  switch (type) {
    case CollectiveType::broadcast:
    case CollectiveType::scatter:
    case CollectiveType::gather:
      return {CollectiveType::all_gather, (size + members - 1) / members};
    case CollectiveType::barrier:
      return {CollectiveType::all_reduce, members};
    default:
      return {CollectiveType::reduce_scatter, size};
  }
}

}  // namespace orrery::sim
