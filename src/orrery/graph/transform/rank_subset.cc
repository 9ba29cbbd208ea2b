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

constexpr std::uint32_t kGoes = ~std::uint32_t{0};
constexpr std::uint32_t kForward = 0, kBackward = 1;  // tags of messages along lines

/// Of a collective, so many times the size that it has.
double size_factor(CollectiveScaling retained, CollectiveType type, double was, double is) {
  const bool shard = type == CollectiveType::all_gather;
  if (retained == CollectiveScaling::stated || was == is) return 1;
  if (retained == CollectiveScaling::buffers) return shard ? was / is : 1;
  return shard ? (was - 1) / (is - 1) : (was - 1) / was / ((is - 1) / is);
}

/// Whom a message is for from now on.
struct Peer {
  std::uint32_t rank = kGoes;        ///< as it was numbered
  std::optional<std::uint32_t> tag;  ///< along a line; else as it was
};

class RankMaker {
 public:
  RankMaker(const Workload& workload, const RankSubset& fewer)
      : workload_(workload), fewer_(fewer), becomes_(workload.rank_count(), kGoes) {
    for (std::size_t i = 0; i < fewer.ranks.size(); ++i)
      becomes_[fewer.ranks[i]] = static_cast<std::uint32_t>(i);
    for (std::uint32_t line = 0; line < fewer.lines.size(); ++line)
      for (std::uint32_t place = 0; place < fewer.lines[line].size(); ++place)
        places_[fewer.lines[line][place]].emplace_back(line, place);
  }

  Result<RankSubsetResult> make(Findings& findings) {
    RankSubsetResult made;
    for (const std::uint32_t rank : fewer_.ranks) {
      auto graph = of_rank(rank, made.left_out, findings);
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
      std::vector<std::uint32_t> left = that_stay(known.ranks);
      if (left.size() > 1 || known.ranks.empty())
        made.workload.groups[group] = {group, std::move(left)};
    }
    for (const auto& [axis, group] : names_)
      made.workload.groups[group] = {group, that_stay(axis.second)};
    made.workload.recorded_on = workload_.recorded_on;
    return made;
  }

 private:
  [[nodiscard]] std::string where(std::uint32_t rank) const {
    return rank < workload_.files.size() ? workload_.files[rank] : fmt::format("rank {}", rank);
  }
  /// As they are numbered from now on.
  [[nodiscard]] std::vector<std::uint32_t> that_stay(
      const std::vector<std::uint32_t>& members) const {
    std::vector<std::uint32_t> left;
    for (const std::uint32_t member : members)
      if (member < becomes_.size() && becomes_[member] != kGoes) left.push_back(becomes_[member]);
    return left;
  }

  /// A group on an axis gets a number that no other group is named by.
  std::string name_of(std::string_view group, const std::vector<std::uint32_t>& members) {
    if (!workload_.axes.contains(group)) return std::string(group);
    std::string& name = names_[{std::string(group), members}];
    while (name.empty()) {
      std::string number = fmt::format("{}", next_++);
      if (!workload_.groups.contains(number)) name = std::move(number);
    }
    return name;
  }

  /// Empty where a message to a rank that goes is on no line.
  [[nodiscard]] std::optional<Peer> peer_of(std::uint32_t rank, std::int32_t said) const {
    const auto peer = static_cast<std::uint32_t>(said);
    if (said < 0 || peer >= becomes_.size()) return std::nullopt;
    if (const auto lines = places_.find(rank); lines != places_.end()) {
      for (const auto& [line, place] : lines->second) {
        const auto& ranks = fewer_.lines[line];
        const auto found = std::find(ranks.begin(), ranks.end(), peer);
        if (found == ranks.end()) continue;
        const auto count = static_cast<std::uint32_t>(ranks.size());
        const std::uint32_t ahead =
            (static_cast<std::uint32_t>(found - ranks.begin()) + count - place) % count;
        if (becomes_[peer] == kGoes && ahead != 1 && ahead != count - 1) return std::nullopt;
        const bool forward = ahead == 1 && !(count == 2 && place == 1);
        std::uint32_t at = place;
        do {
          at = (at + (forward ? 1 : count - 1)) % count;
        } while (becomes_[ranks[at]] == kGoes);
        return Peer{becomes_[peer] == kGoes ? ranks[at] : peer, forward ? kForward : kBackward};
      }
    }
    if (becomes_[peer] == kGoes) return std::nullopt;
    return Peer{peer, std::nullopt};
  }

  /// Whether it stays.
  Result<bool> change_message(std::uint32_t rank, const Graph& graph, NodeId n, NodeSpec& node) {
    const bool sends = node.kind == NodeKind::send;
    node.message = graph.message(n, rank);
    node.flags = static_cast<std::uint16_t>(node.flags & ~kPeerRelative);
    std::int32_t& far = sends ? node.message.dst : node.message.src;
    std::int32_t& near = sends ? node.message.src : node.message.dst;
    const auto peer = peer_of(rank, far);
    if (!peer)
      return fail(Errc::input_unsupported, where(rank),
                  fmt::format("node {} is a message {} rank {}, which is not to stay, and no line "
                              "says who is in its place",
                              node.id, sends ? "to" : "from", far),
                  "keep all ranks along this axis");
    if (peer->rank == rank) return false;
    far = static_cast<std::int32_t>(becomes_[peer->rank]);
    near = static_cast<std::int32_t>(becomes_[rank]);
    if (peer->tag) {
      // A receive goes against the direction in which it looks.
      node.message.tag = sends ? *peer->tag : kBackward - *peer->tag;
    }
    return true;
  }

  /// Whether it stays.
  bool change_collective(std::uint32_t rank, const Graph& graph, NodeId n, NodeSpec& node) {
    const auto members = members_of(workload_, graph.string(graph.collective(n).group), rank);
    const auto left = that_stay(members);
    if (left.size() < 2) return false;
    node.collective.group =
        tables_.strings->intern(name_of(graph.string(graph.collective(n).group), members));
    const auto was = static_cast<double>(members.size()), is = static_cast<double>(left.size());
    const double factor = size_factor(fewer_.retained, node.collective.type, was, is);
    node.collective.size =
        Bytes(std::llround(static_cast<double>(node.collective.size.count()) * factor));
    if (node.collective.exchange)
      node.collective.exchange.experts =
          static_cast<std::uint16_t>(std::lround(node.collective.exchange.experts * is / was));
    const auto root = static_cast<std::size_t>(node.collective.root);
    if (root < becomes_.size())
      node.collective.root =
          static_cast<std::int32_t>(becomes_[root] == kGoes ? left.front() : becomes_[root]);
    return true;
  }

  Result<Graph> of_rank(std::uint32_t rank, DroppedCommunication& left_out, Findings& findings) {
    const Graph& graph = workload_.graph(rank);
    GraphDraft draft(graph, where(rank), tables_);
    std::vector<bool> dropped(graph.size());
    bool any = false;
    for (NodeId n = 0; n < graph.size(); ++n) {
      NodeSpec& node = draft.nodes()[n];
      if (node.kind == NodeKind::coll) {
        dropped[n] = !change_collective(rank, graph, n, node);
        left_out.collectives += dropped[n] ? 1 : 0;
      } else if (node.kind == NodeKind::send || node.kind == NodeKind::recv) {
        const auto stays = change_message(rank, graph, n, node);
        if (!stays) return tl::unexpected(stays.error());
        dropped[n] = !*stays;
        left_out.messages += dropped[n] ? 1 : 0;
      }
      any = any || dropped[n];
    }
    if (any) drop_nodes(draft.nodes(), dropped, runnable_order(graph));
    return std::move(draft).finish(findings);
  }

  const Workload& workload_;
  const RankSubset& fewer_;
  std::vector<std::uint32_t> becomes_;  // by rank
  std::unordered_map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>>
      places_;  // by rank: line, place in it
  std::map<std::pair<std::string, std::vector<std::uint32_t>>, std::string>
      names_;  // of groups on axes, by axis and members
  std::uint64_t next_ = 0;
  DraftTables tables_;
};

/// From, to, tag.
using TaggedChannel = std::tuple<std::int32_t, std::int32_t, std::uint32_t>;

/// Whether every message that is sent is received, in its order.
Result<void> check_messages(const Workload& workload) {
  std::map<TaggedChannel, std::vector<std::int64_t>> sent, received;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const Graph& graph = workload.graph(rank);
    for (const NodeId n : runnable_order(graph)) {
      if (graph.kind(n) != NodeKind::send && graph.kind(n) != NodeKind::recv) continue;
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
                  fmt::format("of {} messages to rank {}, those that it would have now, not all "
                              "would be received as they are sent",
                              sizes.size(), std::get<1>(channel)),
                  "keep all ranks along this axis");
  }
  for (const auto& [channel, sizes] : received)
    if (!sent.contains(channel))
      return fail(Errc::input_mismatch, fmt::format("rank {}", std::get<1>(channel)),
                  fmt::format("would wait for {} messages of rank {} that nobody sends",
                              sizes.size(), std::get<0>(channel)),
                  "keep all ranks along this axis");
  return {};
}

}  // namespace

std::string_view name(CollectiveScaling retained) {
  constexpr std::string_view kNames[] = {"buffers", "volume", "stated"};
  return kNames[static_cast<std::size_t>(retained)];
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

Result<RankSubsetResult> select_ranks(const Workload& workload, const RankSubset& fewer,
                                      Findings& findings) {
  if (fewer.ranks.empty()) return fail(Errc::usage, "ranks", "none is to stay");
  if (fewer.ranks.back() >= workload.rank_count())
    return fail(Errc::usage, "ranks", fmt::format("there is no rank {}", fewer.ranks.back()));
  if (!workload.custom_collectives.empty())
    return fail(Errc::input_unsupported, "the workload",
                "its collectives are given as traces, one for each member of a group",
                "name algorithms instead");
  if (!fewer.lines.empty()) {  // along lines messages are matched in order
    if (auto in_order = remove_message_tags(workload); !in_order)
      return tl::unexpected(in_order.error());
  }
  auto made = RankMaker(workload, fewer).make(findings);
  if (!made) return made;
  if (auto fine = check_messages(made->workload); !fine) return tl::unexpected(fine.error());
  return made;
}

}  // namespace orrery::graph
