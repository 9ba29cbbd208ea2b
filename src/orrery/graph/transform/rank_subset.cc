// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/transform/rank_subset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "orrery/graph/structure/topological_order.h"
#include "orrery/graph/transform/drop_nodes.h"
#include "orrery/graph/transform/graph_draft.h"
#include "orrery/graph/transform/message_tags.h"

namespace orrery::graph {
namespace {

constexpr std::uint32_t kRemoved = ~std::uint32_t{0};
constexpr std::uint32_t kForward = 0, kBackward = 1;  // tags of messages along rings

/// Factor of the size of a collective.
double size_factor(CollectiveScaling scaling, CollectiveType type, double was, double is) {
  const bool shard = type == CollectiveType::all_gather;
  if (scaling == CollectiveScaling::stated || was == is) return 1;
  if (scaling == CollectiveScaling::buffers) return shard ? was / is : 1;
  return shard ? (was - 1) / (is - 1) : (was - 1) / was / ((is - 1) / is);
}

/// The new peer of a message.
struct Peer {
  std::uint32_t rank = kRemoved;     ///< old number
  std::optional<std::uint32_t> tag;  ///< of messages along a ring; else unchanged
};

class RankSelector {
 public:
  RankSelector(const Workload& workload, const RankSubset& subset)
      : workload_(workload), subset_(subset), new_rank_(workload.rank_count(), kRemoved) {
    for (std::size_t i = 0; i < subset.ranks.size(); ++i)
      new_rank_[subset.ranks[i]] = static_cast<std::uint32_t>(i);
    for (std::uint32_t ring = 0; ring < subset.rings.size(); ++ring)
      for (std::uint32_t place = 0; place < subset.rings[ring].size(); ++place)
        places_[subset.rings[ring][place]].emplace_back(ring, place);
  }

  Result<RankSubsetResult> make(Findings& findings) {
    RankSubsetResult made;
    for (const std::uint32_t rank : subset_.ranks) {
      auto graph = make_graph(rank, made.dropped, findings);
      if (!graph) return tl::unexpected(graph.error());
      const auto same = std::find_if(
          made.workload.graphs.begin(), made.workload.graphs.end(), [&](const GraphRef& other) {
            return other->content_hash() == graph->content_hash() && other->size() == graph->size();
          });
      made.workload.graph_of_rank.push_back(
          static_cast<std::uint32_t>(same - made.workload.graphs.begin()));
      if (same == made.workload.graphs.end())
        made.workload.graphs.push_back(std::make_shared<const Graph>(*std::move(graph)));
      if (rank < workload_.files.size()) made.workload.files.push_back(workload_.files[rank]);
    }
    for (const auto& [group, known] : workload_.groups) {
      std::vector<std::uint32_t> left = retained_members(known.ranks);
      if (left.size() > 1 || known.ranks.empty())
        made.workload.groups[group] = {group, std::move(left)};
    }
    for (const auto& [axis, group] : names_)
      made.workload.groups[group] = {group, retained_members(axis.second)};
    made.workload.recorded_device = workload_.recorded_device;
    return made;
  }

 private:
  /// The new numbers of the retained members.
  [[nodiscard]] std::vector<std::uint32_t> retained_members(
      const std::vector<std::uint32_t>& members) const {
    std::vector<std::uint32_t> left;
    for (const std::uint32_t member : members)
      if (member < new_rank_.size() && new_rank_[member] != kRemoved)
        left.push_back(new_rank_[member]);
    return left;
  }

  /// The name of a group in the result. A group on an axis gets an unused number.
  std::string name_of(std::string_view group, const std::vector<std::uint32_t>& members) {
    if (!workload_.axes.contains(group)) return std::string(group);
    std::string& name = names_[{std::string(group), members}];
    while (name.empty()) {
      std::string number = fmt::format("{}", next_++);
      if (!workload_.groups.contains(number)) name = std::move(number);
    }
    return name;
  }

  /// Empty if the peer is removed and on no ring with the rank.
  [[nodiscard]] std::optional<Peer> peer_of(std::uint32_t rank, std::int32_t stated) const {
    const auto peer = static_cast<std::uint32_t>(stated);
    if (stated < 0 || peer >= new_rank_.size()) return std::nullopt;
    if (const auto rings = places_.find(rank); rings != places_.end()) {
      for (const auto& [ring, place] : rings->second) {
        const auto& ranks = subset_.rings[ring];
        const auto found = std::find(ranks.begin(), ranks.end(), peer);
        if (found == ranks.end()) continue;
        const auto count = static_cast<std::uint32_t>(ranks.size());
        const std::uint32_t ahead =
            (static_cast<std::uint32_t>(found - ranks.begin()) + count - place) % count;
        if (new_rank_[peer] == kRemoved && ahead != 1 && ahead != count - 1) return std::nullopt;
        const bool forward = ahead == 1 && !(count == 2 && place == 1);
        std::uint32_t at = place;
        do {
          at = (at + (forward ? 1 : count - 1)) % count;
        } while (new_rank_[ranks[at]] == kRemoved);
        return Peer{new_rank_[peer] == kRemoved ? ranks[at] : peer, forward ? kForward : kBackward};
      }
    }
    if (new_rank_[peer] == kRemoved) return std::nullopt;
    return Peer{peer, std::nullopt};
  }

  /// Returns whether the message stays.
  Result<bool> change_message(std::uint32_t rank, const Graph& graph, NodeId n, NodeSpec& node) {
    const bool sends = node.kind == NodeKind::send;
    node.message = graph.message(n, rank);
    node.flags = static_cast<std::uint16_t>(node.flags & ~kPeerRelative);
    std::int32_t& far = sends ? node.message.dst : node.message.src;
    std::int32_t& near = sends ? node.message.src : node.message.dst;
    const auto peer = peer_of(rank, far);
    if (!peer)
      return fail(Errc::input_unsupported, workload_.place(rank),
                  fmt::format("node {} is a message {} rank {}, which is removed, and no remaining "
                              "rank replaces it",
                              node.id, sends ? "to" : "from", far),
                  "keep all ranks along this axis");
    if (peer->rank == rank) return false;
    far = static_cast<std::int32_t>(new_rank_[peer->rank]);
    near = static_cast<std::int32_t>(new_rank_[rank]);
    if (peer->tag) {
      // A receive looks against the direction of its message.
      node.message.tag = sends ? *peer->tag : kBackward - *peer->tag;
    }
    return true;
  }

  /// Returns whether the collective stays.
  bool change_collective(std::uint32_t rank, const Graph& graph, NodeId n, NodeSpec& node) {
    const auto members = members_of(workload_, graph.string(graph.collective(n).group), rank);
    const auto left = retained_members(members);
    if (left.size() < 2) return false;
    node.collective.group =
        tables_.strings->intern(name_of(graph.string(graph.collective(n).group), members));
    const auto was = static_cast<double>(members.size()), is = static_cast<double>(left.size());
    const double factor = size_factor(subset_.scaling, node.collective.type, was, is);
    node.collective.size =
        Bytes(std::llround(static_cast<double>(node.collective.size.count()) * factor));
    if (node.collective.exchange)
      node.collective.exchange.experts =
          static_cast<std::uint16_t>(std::lround(node.collective.exchange.experts * is / was));
    const auto root = static_cast<std::size_t>(node.collective.root);
    if (root < new_rank_.size())
      node.collective.root =
          static_cast<std::int32_t>(new_rank_[root] == kRemoved ? left.front() : new_rank_[root]);
    return true;
  }

  Result<Graph> make_graph(std::uint32_t rank, DroppedCommunication& totals, Findings& findings) {
    const Graph& graph = workload_.graph(rank);
    GraphDraft draft(graph, workload_.place(rank), tables_);
    std::vector<bool> dropped(graph.size());
    bool any = false;
    for (NodeId n = 0; n < graph.size(); ++n) {
      NodeSpec& node = draft.nodes()[n];
      if (node.kind == NodeKind::coll) {
        dropped[n] = !change_collective(rank, graph, n, node);
        totals.collectives += dropped[n] ? 1 : 0;
      } else if (is_message(node.kind)) {
        const auto stays = change_message(rank, graph, n, node);
        if (!stays) return tl::unexpected(stays.error());
        dropped[n] = !*stays;
        totals.messages += dropped[n] ? 1 : 0;
      }
      any = any || dropped[n];
    }
    if (any) drop_nodes(draft.nodes(), dropped, runnable_order(graph));
    return std::move(draft).finish(findings);
  }

  const Workload& workload_;
  const RankSubset& subset_;
  std::vector<std::uint32_t> new_rank_;  // by rank
  std::unordered_map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      places_;  // by rank: ring, place in it
  std::map<std::pair<std::string, std::vector<std::uint32_t>>, std::string>
      names_;  // of groups on axes, by axis and members
  std::uint64_t next_ = 0;
  DraftTables tables_;
};

/// From, to, tag.
using TaggedChannel = std::tuple<std::int32_t, std::int32_t, std::uint32_t>;

/// Checks that receives match sends, in order.
Result<void> check_messages(const Workload& workload) {
  std::map<TaggedChannel, std::vector<std::int64_t>> sent, received;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const Graph& graph = workload.graph(rank);
    for (const NodeId n : runnable_order(graph)) {
      if (!is_message(graph.kind(n))) continue;
      const PointToPoint message = graph.message(n, rank);
      const auto self = static_cast<std::int32_t>(rank);
      if (graph.kind(n) == NodeKind::send) {
        sent[{self, message.dst, message.tag}].push_back(message.size.count());
      } else {
        received[{message.src, self, message.tag}].push_back(message.size.count());
      }
    }
  }
  for (const auto& [channel, sizes] : sent) {
    const auto other = received.find(channel);
    if (other == received.end() || other->second != sizes)
      return fail(Errc::input_mismatch, fmt::format("rank {}", std::get<0>(channel)),
                  fmt::format("after the reduction, the receives at rank {1} do not match the {0} "
                              "messages that it is sent",
                              sizes.size(), std::get<1>(channel)),
                  "keep all ranks along this axis");
  }
  for (const auto& [channel, sizes] : received)
    if (!sent.contains(channel))
      return fail(
          Errc::input_mismatch, fmt::format("rank {}", std::get<1>(channel)),
          fmt::format("would wait for {0} messages from rank {1}, which rank {1} does not send",
                      sizes.size(), std::get<0>(channel)),
          "keep all ranks along this axis");
  return {};
}

}  // namespace

std::string_view name(CollectiveScaling scaling) {
  constexpr std::string_view kNames[] = {"buffers", "volume", "stated"};
  return kNames[static_cast<std::size_t>(scaling)];
}

std::vector<std::uint32_t> members_of(const Workload& workload, std::string_view group,
                                      std::uint32_t rank) {
  if (const auto axis = workload.axes.find(group); axis != workload.axes.end())
    return axis->second.members(axis->second.first(rank));
  if (const auto known = workload.groups.find(group);
      known != workload.groups.end() && !known->second.ranks.empty())
    return known->second.ranks;
  std::vector<std::uint32_t> members(workload.rank_count());
  std::iota(members.begin(), members.end(), 0u);
  return members;
}

double bytes_sent_per_member(const Collective& collective, std::uint64_t members) {
  if (members < 2) return 0;
  const auto n = static_cast<double>(members);
  const auto size = static_cast<double>(collective.size.count());
  switch (collective.type) {
    case CollectiveType::all_reduce:
      return 2 * size * (n - 1) / n;
    case CollectiveType::all_gather:
      return size * (n - 1);
    case CollectiveType::barrier:
    case CollectiveType::unknown:
      return 0;
    default:
      return size * (n - 1) / n;
  }
}

Result<RankSubsetResult> select_ranks(const Workload& workload, const RankSubset& subset,
                                      Findings& findings) {
  if (subset.ranks.empty()) return fail(Errc::usage, "ranks", "no rank remains");
  if (subset.ranks.back() >= workload.rank_count())
    return fail(Errc::usage, "ranks", fmt::format("rank {} does not exist", subset.ranks.back()));
  if (!workload.custom_collectives.empty())
    return fail(Errc::input_unsupported, "the workload",
                "its collectives are given as traces, one for each member of a group",
                "use named algorithms instead");
  if (!subset.rings.empty()) {  // messages along rings match in order
    if (auto in_order = remove_message_tags(workload); !in_order)
      return tl::unexpected(in_order.error());
  }
  auto made = RankSelector(workload, subset).make(findings);
  if (!made) return made;
  if (auto fine = check_messages(made->workload); !fine) return tl::unexpected(fine.error());
  return made;
}

}  // namespace orrery::graph
