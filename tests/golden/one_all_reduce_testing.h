// SPDX-License-Identifier: Apache-2.0
//
// A workload of one all-reduce, for figures that others have published.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "orrery/graph/builder.h"

namespace orrery::golden {

inline graph::Workload one_all_reduce(std::uint32_t ranks, std::int64_t bytes) {
  graph::GraphBuilder builder("all_reduce", std::make_shared<StringPool>(), graph::Repair::refuse);
  graph::NodeSpec node;
  node.id = 1;
  node.kind = graph::NodeKind::coll;
  node.flags = graph::kHasCommType | graph::kHasCommSize;
  node.collective.size = Bytes(bytes);
  builder.add(node);
  Findings findings;
  graph::Workload workload;
  workload.graphs.push_back(
      std::make_shared<const graph::Graph>(*std::move(builder).finish(findings)));
  workload.graph_of_rank.assign(ranks, 0);
  return workload;
}

}  // namespace orrery::golden
