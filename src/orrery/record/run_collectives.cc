// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "orrery/core/text/rank_list.h"
#include "orrery/record/equal_times.h"
#include "orrery/record/make_run_internal.h"

namespace orrery::record {

using graph::NodeId;
using graph::NodeKind;

namespace {

/// The title of a group in the run: its name and its ranks, because groups may share a name.
std::string group_title(const sim::RecordedGroup& group, std::uint32_t count) {
  if (group.name.empty() && group.ranks.empty()) return "";
  const auto all_ranks = [&](std::uint64_t) { return RankRange{0, count - 1}; };
  const std::string words =
      group.ranks.empty() ? format_ranks(1, all_ranks) : format_ranks(group.ranks);
  if (group.name.empty()) return words;
  const std::string ranks = " (" + words + ")";
  return group.name.ends_with(ranks) ? group.name : group.name + ranks;
}

/// Finds collectives: first those whose ranks joined, then those that lasted their recorded time.
class CollectiveFinder {
 public:
  CollectiveFinder(const RecordingSource& source, const EqualTimes& times, result::Run& run)
      : source_(source), recording_(source.recording), times_(times), run_(run) {}

  [[nodiscard]] RecordedCollectives find() {
    add_groups();
    add_joined();
    made_.of_detail.assign(recording_.details.size(), result::kNone);
    for (const std::uint32_t rank : representatives(recording_, source_.workload.rank_count()))
      add_nodes(rank);
    number();
    return std::move(made_);
  }

 private:
  void add_groups() {
    const std::uint32_t ranks = source_.workload.rank_count();
    for (const sim::RecordedGroup& group : recording_.groups) {
      group_by_name_.emplace(group.name, static_cast<std::uint32_t>(run_.groups.size()));
      result::Group& made = run_.groups.emplace_back();
      made.name = group_title(group, ranks);
      made.ranks = group.ranks;
      made.size = group.ranks.empty() ? ranks : static_cast<std::uint32_t>(group.ranks.size());
    }
    made_.class_of_group.assign(run_.groups.size(), result::kNone);
    for (const sim::GroupMembership& one : recording_.memberships) {
      made_.class_of_group[one.group] = one.group_class;
      made_.classes = std::max(made_.classes, one.group_class + 1);
    }
  }

  RecordedCollective& new_collective(std::uint32_t group_class, std::uint64_t order,
                                     graph::CollectiveType type, std::int64_t bytes) {
    order_.push_back(order);
    first_end_.push_back(kTimeMax);
    RecordedCollective& made = made_.all.emplace_back();
    made.group_class = group_class;
    made.type = type;
    made.bytes = bytes;
    made.one.first_start = kTimeMax;
    made.one.last_start = Time(-1);
    made.one.end = Time{};
    return made;
  }

  void add_joined() {
    made_.all.reserve(recording_.collectives.size());
    for (const sim::CollectiveInstance& join : recording_.collectives) {
      result::Collective& one =
          new_collective(join.group_class, join.order, join.type, join.bytes).one;
      one.sent = join.sent;
      one.members = join.members;
      one.predicted = join.predicted == sim::kNone ? result::kNone : join.predicted;
      one.joined = true;
    }
  }

  /// A collective node that began.
  struct RanNode {
    std::int64_t start = 0, end = 0;
    NodeId node = 0;
  };

  [[nodiscard]] std::vector<RanNode> find_nodes(std::uint32_t rank) const {
    const graph::Graph& graph = source_.workload.graph(rank);
    std::vector<RanNode> ran;
    for (const NodeId node : recording_.detailed_nodes(rank)) {
      if (graph.kind(node) != NodeKind::coll) continue;
      const sim::NodeTimes& times = recording_.at(rank, node);
      if (times.start >= 0) ran.push_back({times.start, times.end, node});
    }
    const auto earlier = [](const RanNode& a, const RanNode& b) {
      return std::tie(a.start, a.node) < std::tie(b.start, b.node);
    };
    if (!std::is_sorted(ran.begin(), ran.end(), earlier))
      std::sort(ran.begin(), ran.end(), earlier);
    return ran;
  }

  // The nodes of a rank in the order of their starts. Those of ranks with equal times are found
  // once: reading them needs a cache line per node.
  void add_nodes(std::uint32_t rank) {
    const std::uint32_t first = times_.same_as(rank);
    if (first == rank && !times_.is_shared(rank)) return add_nodes(rank, find_nodes(rank));
    const auto [known, added] = ran_.try_emplace(first);
    if (added) known->second = find_nodes(first);
    add_nodes(rank, known->second);
  }

  void add_nodes(std::uint32_t rank, const std::vector<RanNode>& ran) {
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const RanNode& one : ran) {
      const std::size_t detail = recording_.detail_index(rank, one.node);
      const std::uint32_t join = recording_.details[detail].collective;
      const std::uint32_t number =
          join != sim::kNone ? join : unsynchronized_collective(rank, one.node, numbers);
      add_member(number, rank, one);
      made_.of_detail[detail] = number;
    }
  }

  void add_member(std::uint32_t number, std::uint32_t rank, const RanNode& times) {
    RecordedCollective& recorded = made_.all[number];
    result::Collective& one = recorded.one;
    const Time start(times.start);
    if (!one.joined) ++one.members;
    one.first_start = std::min(one.first_start, start);
    if (start > one.last_start) recorded.last.clear();
    // Ranks come in ascending order. Without classes, the first of several is the lowest.
    if (start > one.last_start || (start == one.last_start && !recording_.class_of.empty()))
      recorded.last.emplace_back(rank, times.node);
    one.last_start = std::max(one.last_start, start);
    if (times.end < 0) {
      one.end.reset();
      first_end_[number] = Time{};  // at least one member has not finished
    } else {
      if (one.end) one.end = std::max(*one.end, Time(times.end));
      first_end_[number] = std::min(first_end_[number], Time(times.end));
    }
  }

  // The collective of a node that waits for no other rank: the k-th such node on a group at each
  // rank belongs to the same collective. Its group is a class of its own.
  std::uint32_t unsynchronized_collective(std::uint32_t rank, NodeId node,
                                          std::map<std::uint32_t, std::uint32_t>& numbers) {
    const graph::Graph& graph = source_.workload.graph(rank);
    const graph::Collective& collective = graph.collective(node);
    const auto named =
        group_by_name_.find(source_.workload.group_name(graph.string(collective.group), rank));
    const std::uint32_t group = named == group_by_name_.end() ? 0 : named->second;
    const std::uint32_t number = numbers[group]++;
    const auto [found, added] =
        unsynchronized_.try_emplace({group, number}, static_cast<std::uint32_t>(made_.all.size()));
    if (added)
      (void)new_collective(made_.classes + group, number, collective.type, collective.size.count());
    return found->second;
  }

  // Orders the collectives of each class. Those without synchronization come after all that joined.
  void number() {
    made_.of_class.resize(made_.classes + run_.groups.size());
    for (std::uint32_t i = 0; i < made_.all.size(); ++i) {
      made_.of_class[made_.all[i].group_class].push_back(i);
      // If a member left before the last one arrived, members did not wait for each other.
      result::Collective& one = made_.all[i].one;
      if (first_end_[i] < one.last_start) one.joined = false;
    }
    const auto number_list = [&](std::vector<std::uint32_t>& list, std::size_t first) {
      const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return order_[a] < order_[b]; };
      if (!std::is_sorted(list.begin(), list.end(), earlier))
        std::sort(list.begin(), list.end(), earlier);
      for (const std::uint32_t one : list)
        made_.all[one].sequence = static_cast<std::uint32_t>(first++);
    };
    for (std::uint32_t c = 0; c < made_.classes; ++c) number_list(made_.of_class[c], 0);
    for (std::uint32_t group = 0; group < run_.groups.size(); ++group) {
      const std::uint32_t joined = made_.class_of_group[group];
      number_list(made_.of_class[made_.classes + group],
                  joined == result::kNone ? 0 : made_.of_class[joined].size());
    }
    made_.places.reserve(made_.all.size());
    for (const RecordedCollective& one : made_.all)
      made_.places.push_back({one.one.last_start, one.group_class, one.sequence, one.one.joined});
  }

  const RecordingSource& source_;
  const sim::Recording& recording_;
  const EqualTimes& times_;
  result::Run& run_;
  RecordedCollectives made_;
  std::vector<std::uint64_t> order_;                   // by collective: within its group
  std::vector<Time> first_end_;                        // by collective
  std::map<std::uint32_t, std::vector<RanNode>> ran_;  // by rank that others are the same as
  std::map<std::string, std::uint32_t, std::less<>> group_by_name_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      unsynchronized_;  // (group, number)
};

}  // namespace

std::vector<std::uint32_t> representatives(const sim::Recording& recording, std::uint32_t ranks) {
  std::vector<std::uint32_t> first;
  std::vector<bool> known(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t one = recording.class_of.empty() ? rank : recording.class_of[rank];
    if (known[one]) continue;
    known[one] = true;
    first.push_back(rank);
  }
  return first;
}

RecordedCollectives record_collectives(const RecordingSource& source, const EqualTimes& times,
                                       result::Run& run) {
  return CollectiveFinder(source, times, run).find();
}

}  // namespace orrery::record
