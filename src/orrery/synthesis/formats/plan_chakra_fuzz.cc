// SPDX-License-Identifier: Apache-2.0
//
// Reads random graphs as plans: six input bytes per node. chakra_fuzz covers Chakra's own format.
#include <algorithm>
#include <memory>
#include <span>

#include "orrery/core/check.h"
#include "orrery/graph/builder.h"
#include "orrery/platform/platform_testing.h"
#include "orrery/synthesis/formats/chakra_plan.h"
#include "orrery/synthesis/plans/plan_check.h"
#include "orrery/synthesis/plans/plan_graphs.h"

using namespace orrery;
using namespace orrery::synthesis;

namespace {

graph::NodeSpec node_of(std::span<const std::uint8_t> bytes, std::uint64_t id) {
  graph::NodeSpec node;
  node.id = id;
  node.kind = static_cast<graph::NodeKind>(bytes[0] % 8);
  node.flags =
      graph::kHasTag | (bytes[0] & 8 ? graph::kHasSrc : 0) | (bytes[0] & 16 ? graph::kHasDst : 0);
  node.message.src = node.message.dst = static_cast<std::int8_t>(bytes[1]);
  node.message.tag = bytes[2] % 4;
  if ((bytes[0] & 32) != 0)
    node.message.set_share(bytes[3] % 16, bytes[4] % 8, bytes[5] % 32 + (bytes[0] & 64 ? 0 : 1));
  if (id > 0 && bytes[3] % 4 != 0) node.deps.push_back(bytes[4] % id);
  return node;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kNode = 6;
  const std::size_t ranks = size == 0 ? 0 : data[0] % 6;
  const auto strings = std::make_shared<StringPool>();
  std::vector<graph::GraphRef> graphs;
  Findings findings;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    graph::GraphBuilder builder("fuzz", strings, graph::Repair::repair);
    std::uint64_t id = 0;
    for (std::size_t at = 1 + rank * kNode; at + kNode <= size; at += ranks * kNode)
      builder.add(node_of({data + at, kNode}, id++));
    auto graph = std::move(builder).finish(findings);
    if (!graph) return 0;
    graphs.push_back(std::make_shared<const graph::Graph>(*std::move(graph)));
  }
  const auto plan = plan_of_graphs(graphs, "traces");
  platform::fuzzing::check(plan);
  if (plan && check_plan(*plan).is_valid()) ORRERY_CHECK(lower_plan(*plan).has_value());
  return 0;
}
