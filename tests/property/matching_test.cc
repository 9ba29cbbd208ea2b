// SPDX-License-Identifier: Apache-2.0
//
// Ranks agree: collectives in the same order on all members, every message with a receiver.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <tuple>
#include <vector>

#include "draw.h"
#include "orrery/core/effort_testing.h"

namespace orrery::property {
namespace {

using namespace workload;
using graph::NodeKind;

using CollectiveCall = std::tuple<graph::CollectiveType, std::int64_t>;
using MessageCall = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t>;

/// What one rank says on one axis, in order.
std::map<std::string, std::vector<CollectiveCall>> calls_of(const graph::Graph& graph) {
  std::map<std::string, std::vector<CollectiveCall>> calls;
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    if (graph.kind(n) != NodeKind::coll) continue;
    const graph::Collective& call = graph.collective(n);
    calls[std::string(graph.string(call.group))].emplace_back(call.type, call.size.count());
  }
  return calls;
}

void check_collectives(const graph::Workload& job) {
  std::vector<std::map<std::string, std::vector<CollectiveCall>>> by_graph;
  for (const graph::GraphRef& graph : job.graphs) by_graph.push_back(calls_of(*graph));
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
    for (const auto& [name, calls] : by_graph[job.graph_of_rank[rank]]) {
      const auto axis = job.axes.find(name);
      RC_ASSERT(axis != job.axes.end());
      RC_ASSERT(axis->second.has(rank));
      for (const std::uint32_t peer : axis->second.members(axis->second.first(rank))) {
        RC_ASSERT(peer < job.rank_count());
        const auto& theirs = by_graph[job.graph_of_rank[peer]];
        const auto same = theirs.find(name);
        RC_ASSERT(same != theirs.end());
        RC_ASSERT(same->second == calls);
      }
    }
  }
}

void check_messages(const graph::Workload& job) {
  std::map<MessageCall, std::int64_t> balance;
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
    const graph::Graph& graph = job.graph(rank);
    for (graph::NodeId n = 0; n < graph.size(); ++n) {
      const bool sends = graph.kind(n) == NodeKind::send;
      if (!sends && graph.kind(n) != NodeKind::recv) continue;
      const graph::PointToPoint& message = graph.point_to_point(n);
      RC_ASSERT(graph.has(n, graph::kPeerRelative));
      const auto peer = static_cast<std::uint32_t>(static_cast<std::int64_t>(rank) +
                                                   (sends ? message.dst : message.src));
      RC_ASSERT(peer < job.rank_count());
      const MessageCall key{sends ? rank : peer, sends ? peer : rank, message.tag,
                            message.size.count()};
      balance[key] += sends ? 1 : -1;
    }
  }
  for (const auto& [key, difference] : balance) RC_ASSERT(difference == 0);
}

// 100 × 20 jobs with full effort.
TEST(Matching, CollectivesAndMessagesFitTogether) {
  EXPECT_TRUE(rc::check("ranks agree", [](std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < core_testing::case_count(20, 4); ++i) {
      const Spec spec = draw_legal(random);
      RC_LOG() << describe(spec);
      Findings findings;
      const auto program = assemble(spec, findings);
      RC_ASSERT(program.has_value());
      const auto job = to_workload(*program);
      RC_ASSERT(job.has_value());
      check_collectives(*job);
      check_messages(*job);
    }
  }));
}

}  // namespace
}  // namespace orrery::property
