// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "orrery/core/statistics/statistics.h"
#include "orrery/core/text/rank_list.h"
#include "orrery/graph/content_hash.h"
#include "orrery/graph/stragglers/peer_levels.h"

namespace orrery::graph {
namespace {

/// Whether it is a connection; then name and first rank of a group, or sender and receiver.
using CommGroupKey = std::tuple<bool, std::string, std::uint32_t, std::uint32_t>;
/// Kind of communication: type, bytes, members.
using CommClass = std::tuple<CollectiveType, std::int64_t, std::size_t>;

class CommGroupFinder {
 public:
  explicit CommGroupFinder(const Workload& workload) : workload_(workload) {}

  std::vector<CommGroup> find() {
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) add_rank(rank);
    std::vector<CommGroup> made;
    for (auto& [key, group] : groups_) {
      const std::size_t members = group.is_point_to_point ? 2 : group.ranks.size();
      const bool whole = std::all_of(
          group.communications.begin(), group.communications.end(),
          [&](const CommInstance& instance) { return instance.members.size() == members; });
      if (whole) made.push_back(std::move(group));
    }
    for (CommGroup& group : made) set_transfers(group);
    set_levels(made);
    return made;
  }

 private:
  void add_rank(std::uint32_t rank) {
    const Graph& graph = workload_.graph(rank);
    std::map<std::pair<CommGroupKey, std::uint32_t>, std::size_t> sent,
        received;  // by group and tag
    std::map<CommGroupKey, std::size_t> collectives;
    for (NodeId n = 0; n < graph.size(); ++n) {
      const NodeKind kind = graph.kind(n);
      if (graph.duration(n) <= Time{}) continue;
      if (kind == NodeKind::coll) {
        if (const auto key = collective_group(graph, n, rank))
          add(*key, collectives[*key]++, {rank, n});
      } else if (is_message(kind)) {
        const PointToPoint message = graph.message(n, rank);
        const bool sends = kind == NodeKind::send;
        const std::int64_t from = sends ? std::int64_t{rank} : message.src;
        const std::int64_t to = sends ? message.dst : std::int64_t{rank};
        if (from < 0 || to < 0 || from >= workload_.rank_count() || to >= workload_.rank_count())
          continue;
        const CommGroupKey key{true, "", static_cast<std::uint32_t>(from),
                               static_cast<std::uint32_t>(to)};
        auto& counts = sends ? sent : received;
        const std::size_t index = counts[{key, message.tag}]++;
        add_message(key, message.tag, index, {rank, n});
      }
    }
  }

  /// The group of a collective with more than one member, if all members are in the workload.
  std::optional<CommGroupKey> collective_group(const Graph& graph, NodeId n, std::uint32_t rank) {
    if (!graph.has(n, kHasCommType) || !graph.has(n, kHasCommSize)) return std::nullopt;
    const std::string name(graph.string(graph.collective(n).group));
    std::vector<std::uint32_t> ranks;
    std::uint32_t first = 0;
    if (const auto axis = workload_.axes.find(name); axis != workload_.axes.end()) {
      if (!axis->second.has(rank)) return std::nullopt;
      first = axis->second.first(rank);
      ranks = axis->second.members(first);
    } else if (const auto group = workload_.groups.find(name); group != workload_.groups.end()) {
      ranks = group->second.ranks;
    } else if (!name.empty()) {
      return std::nullopt;
    }
    if (ranks.empty())
      for (std::uint32_t r = 0; r < workload_.rank_count(); ++r) ranks.push_back(r);
    if (ranks.size() < 2 || *std::max_element(ranks.begin(), ranks.end()) >= workload_.rank_count())
      return std::nullopt;
    const CommGroupKey key{false, name, first, 0};
    const auto [found, added] = groups_.try_emplace(key);
    if (added) {
      std::sort(ranks.begin(), ranks.end());
      found->second.name = name.empty() ? "all ranks" : workload_.group_name(name, rank);
      found->second.ranks = std::move(ranks);
    }
    return key;
  }

  void add(const CommGroupKey& key, std::size_t index, RankNode node) {
    CommGroup& group = groups_[key];
    if (group.communications.size() <= index) group.communications.resize(index + 1);
    group.communications[index].members.push_back(node);
  }

  /// Matches messages by tag. A group contains them in order of first occurrence.
  void add_message(const CommGroupKey& key, std::uint32_t tag, std::size_t index, RankNode node) {
    CommGroup& group = groups_[key];
    if (group.ranks.empty()) {
      const auto& [messages, name, from, to] = key;
      group.is_point_to_point = true;
      group.ranks = {from, to};
      group.name = fmt::format("rank {} to rank {}", from, to);
    }
    const auto [found, added] = places_.try_emplace({key, tag, index}, group.communications.size());
    if (added) group.communications.emplace_back();
    group.communications[found->second].members.push_back(node);
  }

  void set_transfers(CommGroup& group) const {
    for (CommInstance& instance : group.communications) {
      instance.transfer = kTimeMax;
      for (const RankNode& member : instance.members)
        instance.transfer =
            std::min(instance.transfer, workload_.graph(member.rank).duration(member.node));
    }
  }

  [[nodiscard]] CommClass comm_class(const CommGroup& group, const CommInstance& instance) const {
    const RankNode& member = instance.members.front();
    const Graph& graph = workload_.graph(member.rank);
    if (group.is_point_to_point)
      return {CollectiveType::unknown, graph.point_to_point(member.node).size.count(), 2};
    const Collective& collective = graph.collective(member.node);
    return {collective.type, collective.size.count(), instance.members.size()};
  }

  void set_levels(std::vector<CommGroup>& groups) const {
    std::vector<std::map<CommClass, std::vector<std::size_t>>> by_kind(groups.size());
    std::map<std::uint64_t, std::vector<std::size_t>> equivalent;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t m = 0; m < groups[i].communications.size(); ++m)
        by_kind[i][comm_class(groups[i], groups[i].communications[m])].push_back(m);
      ContentHash hash;
      for (const auto& [kind, instances] : by_kind[i]) {
        hash.add(static_cast<std::uint64_t>(std::get<0>(kind)));
        hash.add(std::get<1>(kind));
        hash.add(std::get<2>(kind));
        hash.add(instances.size());
      }
      equivalent[hash.value()].push_back(i);
    }
    for (const auto& [hash, which] : equivalent) {
      for (const auto& [kind, instances] : by_kind[which.front()]) {
        std::vector<Time> times;
        for (std::size_t k = 0; k < instances.size(); ++k) {
          if (which.size() > 1) times.clear();
          for (const std::size_t i : which)
            times.push_back(groups[i].communications[by_kind[i].at(kind)[k]].transfer);
          if (which.size() == 1) continue;
          const Time level = lower_median(times);
          for (const std::size_t i : which)
            groups[i].communications[by_kind[i].at(kind)[k]].level = level;
        }
        if (which.size() > 1) continue;
        const Time level = lower_median(times);
        for (const std::size_t m : instances) groups[which.front()].communications[m].level = level;
      }
      for (const std::size_t i : which)
        groups[i].equivalents = static_cast<std::uint32_t>(which.size());
    }
  }

  const Workload& workload_;
  std::map<CommGroupKey, CommGroup> groups_;
  std::map<std::tuple<CommGroupKey, std::uint32_t, std::size_t>, std::size_t> places_;
};

}  // namespace

std::vector<CommGroup> comm_groups(const Workload& workload) {
  return CommGroupFinder(workload).find();
}

}  // namespace orrery::graph
