// SPDX-License-Identifier: Apache-2.0
//
// Workloads that more than one benchmark simulates.
#pragma once

#include <cstdlib>
#include <memory>
#include <utility>

#include "orrery/graph/builder.h"
#include "orrery/graph/workload.h"

namespace orrery::benchmarks {

inline graph::GraphRef finish(graph::GraphBuilder&& builder) {
  Findings findings;
  auto made = std::move(builder).finish(findings);
  if (!made) std::abort();
  return std::make_shared<const graph::Graph>(*std::move(made));
}

/// Each rank computes for a different time, then sends `messages` messages one after another, each
/// to another rank, so that no two ranks stay synchronized.
inline graph::Workload drifting(std::uint32_t ranks, std::uint32_t messages) {
  graph::Workload made;
  const auto size = [](std::uint64_t from, std::uint64_t m) {
    return Bytes(static_cast<std::int64_t>(1000 + 13 * from + 101 * m));
  };
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    graph::GraphBuilder builder("drifting", std::make_shared<StringPool>(), graph::Repair::refuse);
    graph::NodeSpec compute;
    compute.id = 1;
    compute.kind = graph::NodeKind::comp;
    compute.duration = us(static_cast<std::int64_t>(1 + std::uint64_t{7919} * rank % ranks));
    builder.add(compute);
    for (std::uint32_t m = 0; m < messages; ++m) {
      graph::NodeSpec send;
      send.id = 10 + 3 * m;
      send.kind = graph::NodeKind::send;
      send.flags = graph::kHasCommSize | graph::kHasDst | graph::kHasTag;
      send.message = {size(rank, m), 0, static_cast<std::int32_t>((rank + 1 + m) % ranks), m};
      send.deps = {m == 0 ? 1 : send.id - 3};
      builder.add(send);
      const std::uint32_t from = (rank + ranks - 1 - m % ranks) % ranks;
      graph::NodeSpec receive;
      receive.id = 11 + 3 * m;
      receive.kind = graph::NodeKind::recv;
      receive.flags = graph::kHasCommSize | graph::kHasSrc | graph::kHasTag;
      receive.message = {size(from, m), static_cast<std::int32_t>(from), 0, m};
      receive.deps = {1};
      builder.add(receive);
    }
    made.graph_of_rank.push_back(rank);
    made.graphs.push_back(finish(std::move(builder)));
  }
  return made;
}

}  // namespace orrery::benchmarks
