// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/reshape/message_match.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <utility>

namespace orrery::graph {
namespace {

/// Messages sent minus messages received, by sender and receiver.
using Balance = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;

Balance balance_of(const Workload& workload) {
  Balance made;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const Graph& graph = workload.graph(rank);
    const auto self = static_cast<std::int32_t>(rank);
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (graph.kind(n) == NodeKind::send) ++made[{self, graph.message(n, rank).dst}];
      if (graph.kind(n) == NodeKind::recv) --made[{graph.message(n, rank).src, self}];
    }
  }
  return made;
}

}  // namespace

Result<void> check_messages_match(const Workload& before, const Workload& after,
                                  const std::string& what) {
  Balance was = balance_of(before);
  for (const auto& [ranks, left] : balance_of(after))
    if (left != 0 && was[ranks] == 0)
      return fail(
          Errc::input_unsupported, what,
          fmt::format("rank {} would send rank {} {} messages {} than it receives", ranks.first,
                      ranks.second, left > 0 ? left : -left, left > 0 ? "more" : "fewer"),
          "the repeating parts of the two ranks differ; describe the job with --spec or --model "
          "and --cluster");
  return {};
}

}  // namespace orrery::graph
