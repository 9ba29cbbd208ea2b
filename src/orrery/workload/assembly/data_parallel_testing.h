// SPDX-License-Identifier: Apache-2.0
//
// Queries on nodes for tests of data parallelism.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "orrery/workload/assembly/assemble_testing.h"

namespace orrery::workload::data_tests {

// One rank of a model of four layers: 1000 + 4 × 624 + 8 elements.
inline constexpr std::int64_t kWeights = kTable + 4 * 624 + 8;

inline std::int64_t bytes_of(const std::vector<Node>& nodes, graph::CollectiveType type,
                             const std::string& group) {
  std::int64_t total = 0;
  for (const Node& node : nodes) {
    if (node.kind == graph::NodeKind::coll && node.collective.type == type && node.group == group)
      total += node.collective.size.count();
  }
  return total;
}

inline std::vector<Node> collectives(const std::vector<Node>& nodes) {
  std::vector<Node> out;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(out),
               [](const Node& node) { return node.kind == graph::NodeKind::coll; });
  return out;
}

inline std::vector<std::string> labels(const std::vector<Node>& nodes) {
  std::vector<std::string> out;
  for (const Node& node : nodes) out.push_back(node.label);
  return out;
}

inline const Node& node_named(const std::vector<Node>& nodes, std::string_view label) {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const Node& node) { return node.label == label; });
  EXPECT_NE(found, nodes.end()) << label;
  return *found;
}

inline Spec small(std::int64_t dp, Sharding sharding = Sharding::none,
                  std::int64_t microbatches = 2) {
  Spec spec = with_dp(spec_of(4, 1, microbatches), dp, sharding);
  spec.parallel.bucket = Bytes(1);
  return spec;
}

}  // namespace orrery::workload::data_tests
