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

/// A group by its name and first rank, or a connection by its ends; and whether that.
using LineKey = std::tuple<bool, std::string, std::uint32_t, std::uint32_t>;
/// Communications that are alike: type, bytes, members.
using MetKind = std::tuple<CollectiveType, std::int64_t, std::size_t>;

class LineFinder {
 public:
  explicit LineFinder(const Workload& workload) : workload_(workload) {}

  std::vector<CommLine> find() {
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) add_rank(rank);
    std::vector<CommLine> made;
    for (auto& [key, line] : lines_) {
      const std::size_t members = line.messages ? 2 : line.ranks.size();
      const bool whole =
          std::all_of(line.met.begin(), line.met.end(),
                      [&](const RecordedComm& met) { return met.members.size() == members; });
      if (whole) made.push_back(std::move(line));
    }
    for (CommLine& line : made) set_transfers(line);
    set_levels(made);
    return made;
  }

 private:
  void add_rank(std::uint32_t rank) {
    const Graph& graph = workload_.graph(rank);
    std::map<std::pair<LineKey, std::uint32_t>, std::size_t> sent, received;  // by line and tag
    std::map<LineKey, std::size_t> joined;
    for (NodeId n = 0; n < graph.size(); ++n) {
      const NodeKind kind = graph.kind(n);
      if (graph.duration(n) <= Time{}) continue;
      if (kind == NodeKind::coll) {
        if (const auto key = group_line(graph, n, rank)) add(*key, joined[*key]++, {rank, n});
      } else if (kind == NodeKind::send || kind == NodeKind::recv) {
        const PointToPoint message = graph.message(n, rank);
        const bool sends = kind == NodeKind::send;
        const std::int64_t from = sends ? std::int64_t{rank} : message.src;
        const std::int64_t to = sends ? message.dst : std::int64_t{rank};
        if (from < 0 || to < 0 || from >= workload_.rank_count() || to >= workload_.rank_count())
          continue;
        const LineKey key{true, "", static_cast<std::uint32_t>(from),
                          static_cast<std::uint32_t>(to)};
        auto& counts = sends ? sent : received;
        const std::size_t nth = counts[{key, message.tag}]++;
        add_message(key, message.tag, nth, {rank, n});
      }
    }
  }

  /// The line of a collective whose members are all there and more than one.
  std::optional<LineKey> group_line(const Graph& graph, NodeId n, std::uint32_t rank) {
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
    const LineKey key{false, name, first, 0};
    const auto [found, added] = lines_.try_emplace(key);
    if (added) {
      std::sort(ranks.begin(), ranks.end());
      found->second.name = name.empty() ? "all ranks" : workload_.group_name(name, rank);
      found->second.ranks = std::move(ranks);
    }
    return key;
  }

  void add(const LineKey& key, std::size_t nth, RankNode who) {
    CommLine& line = lines_[key];
    if (line.met.size() <= nth) line.met.resize(nth + 1);
    line.met[nth].members.push_back(who);
  }

  /// Messages meet by tag; a line has them in the order of their senders.
  void add_message(const LineKey& key, std::uint32_t tag, std::size_t nth, RankNode who) {
    CommLine& line = lines_[key];
    if (line.ranks.empty()) {
      const auto& [messages, name, from, to] = key;
      line.messages = true;
      line.ranks = {from, to};
      line.name = fmt::format("rank {} to rank {}", from, to);
    }
    const auto [found, added] = places_.try_emplace({key, tag, nth}, line.met.size());
    if (added) line.met.emplace_back();
    line.met[found->second].members.push_back(who);
  }

  void set_transfers(CommLine& line) const {
    for (RecordedComm& met : line.met) {
      met.transfer = kTimeMax;
      for (const RankNode& one : met.members)
        met.transfer = std::min(met.transfer, workload_.graph(one.rank).duration(one.node));
    }
  }

  [[nodiscard]] MetKind comm_class(const CommLine& line, const RecordedComm& met) const {
    const RankNode& one = met.members.front();
    const Graph& graph = workload_.graph(one.rank);
    if (line.messages)
      return {CollectiveType::unknown, graph.point_to_point(one.node).size.count(), 2};
    const Collective& what = graph.collective(one.node);
    return {what.type, what.size.count(), met.members.size()};
  }

  void set_levels(std::vector<CommLine>& lines) const {
    std::vector<std::map<MetKind, std::vector<std::size_t>>> by_kind(lines.size());
    std::map<std::uint64_t, std::vector<std::size_t>> equivalent;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (std::size_t m = 0; m < lines[i].met.size(); ++m)
        by_kind[i][comm_class(lines[i], lines[i].met[m])].push_back(m);
      ContentHash hash;
      for (const auto& [kind, mets] : by_kind[i]) {
        hash.add(static_cast<std::uint64_t>(std::get<0>(kind)));
        hash.add(std::get<1>(kind));
        hash.add(std::get<2>(kind));
        hash.add(mets.size());
      }
      equivalent[hash.value()].push_back(i);
    }
    for (const auto& [hash, which] : equivalent) {
      for (const auto& [kind, mets] : by_kind[which.front()]) {
        std::vector<Time> times;
        for (std::size_t k = 0; k < mets.size(); ++k) {
          if (which.size() > 1) times.clear();
          for (const std::size_t i : which)
            times.push_back(lines[i].met[by_kind[i].at(kind)[k]].transfer);
          if (which.size() == 1) continue;
          const Time level = lower_median(times);
          for (const std::size_t i : which) lines[i].met[by_kind[i].at(kind)[k]].level = level;
        }
        if (which.size() > 1) continue;
        const Time level = lower_median(times);
        for (const std::size_t m : mets) lines[which.front()].met[m].level = level;
      }
      for (const std::size_t i : which) lines[i].equals = static_cast<std::uint32_t>(which.size());
    }
  }

  const Workload& workload_;
  std::map<LineKey, CommLine> lines_;
  std::map<std::tuple<LineKey, std::uint32_t, std::size_t>, std::size_t> places_;
};

}  // namespace

std::vector<CommLine> comm_lines(const Workload& workload) { return LineFinder(workload).find(); }

}  // namespace orrery::graph
