// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "orrery/core/text/rank_list.h"
#include "orrery/record/make_run_internal.h"

namespace orrery::record {

using graph::NodeId;
using graph::NodeKind;

namespace {

/// A collective while it is built, the same in each group of a class.
struct CollectiveDraft {
  result::Collective one{};
  std::uint32_t group_class = 0;
  std::uint64_t order = 0;  ///< within its group
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t bytes = 0;  ///< as its nodes state it
  Time first_end = kTimeMax;
  /// The last to arrive: a rank of each class of equivalent ranks, and its node.
  std::vector<std::pair<std::uint32_t, NodeId>> last{};
};

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

/// Builds collectives: first those whose ranks joined, then those that lasted their recorded time.
class CollectiveBuilder {
 public:
  CollectiveBuilder(const RecordingSource& source, result::Run& run)
      : source_(source), recording_(source.recording), run_(run) {}

  [[nodiscard]] RecordedCollectives build() {
    add_groups();
    add_joined();
    made_.classes = classes_;
    made_.group_class.assign(recording_.times.size(), result::kNone);
    made_.sequence.assign(recording_.times.size(), result::kNone);
    for (const std::uint32_t rank : representatives(recording_, ranks())) add_nodes(rank);
    number_drafts();
    for (std::uint32_t group = 0; group < run_.groups.size(); ++group) add_collectives(group);
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::uint32_t ranks() const { return source_.workload.rank_count(); }
  [[nodiscard]] std::uint32_t class_of(std::uint32_t rank) const {
    return recording_.class_of.empty() ? rank : recording_.class_of[rank];
  }

  void add_groups() {
    for (const sim::RecordedGroup& group : recording_.groups) {
      group_by_name_.emplace(group.name, static_cast<std::uint32_t>(run_.groups.size()));
      result::Group& made = run_.groups.emplace_back();
      made.name = group_title(group, ranks());
      made.ranks = group.ranks;
      made.size = group.ranks.empty() ? ranks() : static_cast<std::uint32_t>(group.ranks.size());
    }
    class_of_group_.assign(run_.groups.size(), result::kNone);
    for (const sim::GroupMembership& one : recording_.memberships) {
      class_of_group_[one.group] = one.group_class;
      classes_ = std::max(classes_, one.group_class + 1);
    }
  }

  void add_joined() {
    for (const sim::CollectiveInstance& join : recording_.collectives) {
      CollectiveDraft& draft = drafts_.emplace_back();
      draft.group_class = join.group_class;
      draft.order = join.order;
      draft.type = join.type;
      draft.bytes = join.bytes;
      draft.one.sent = join.sent;
      draft.one.members = join.members;
      draft.one.predicted = join.predicted == sim::kNone ? result::kNone : join.predicted;
      draft.one.joined = true;
      draft.one.first_start = kTimeMax;
      draft.one.last_start = Time(-1);
      draft.one.end = Time{};
    }
  }

  // The nodes of a rank in the order of their starts.
  void add_nodes(std::uint32_t rank) {
    const graph::Graph& graph = source_.workload.graph(rank);
    std::vector<std::tuple<std::int64_t, NodeId>> ran;
    for (NodeId node = 0; node < graph.size(); ++node) {
      const std::int64_t start = recording_.at(rank, node).start;
      if (graph.kind(node) == NodeKind::coll && start >= 0) ran.emplace_back(start, node);
    }
    std::sort(ran.begin(), ran.end());
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const auto& [start, node] : ran) {
      const std::uint32_t join = recording_.detail(rank, node).collective;
      const std::uint32_t draft =
          join != sim::kNone ? join : unsynchronized_collective(rank, node, numbers);
      add_member(drafts_[draft], rank, node);
      made_.group_class[recording_.first_node[rank] + node] = drafts_[draft].group_class;
      made_.sequence[recording_.first_node[rank] + node] = draft;  // see number_drafts()
    }
  }

  void add_member(CollectiveDraft& draft, std::uint32_t rank, NodeId node) {
    result::Collective& one = draft.one;
    const sim::NodeTimes& times = recording_.at(rank, node);
    const Time start(times.start);
    if (!one.joined) ++one.members;
    one.first_start = std::min(one.first_start, start);
    if (start > one.last_start) draft.last.clear();
    // Ranks come in ascending order. Without classes, the first of several is the lowest.
    if (start > one.last_start || (start == one.last_start && !recording_.class_of.empty()))
      draft.last.emplace_back(rank, node);
    one.last_start = std::max(one.last_start, start);
    if (times.end < 0) {
      one.end.reset();
      draft.first_end = Time{};  // at least one member has not finished
    } else {
      if (one.end) one.end = std::max(*one.end, Time(times.end));
      draft.first_end = std::min(draft.first_end, Time(times.end));
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
        unsynchronized_.try_emplace({group, number}, static_cast<std::uint32_t>(drafts_.size()));
    if (!added) return found->second;
    CollectiveDraft& draft = drafts_.emplace_back();
    draft.group_class = classes_ + group;
    draft.order = number;
    draft.type = collective.type;
    draft.bytes = collective.size.count();
    draft.one.first_start = kTimeMax;
    draft.one.last_start = Time(-1);
    draft.one.end = Time{};
    return found->second;
  }

  // Orders the collectives of each class. Those without synchronization come after all that joined.
  void number_drafts() {
    drafts_of_.resize(classes_ + run_.groups.size());
    for (std::uint32_t i = 0; i < drafts_.size(); ++i)
      drafts_of_[drafts_[i].group_class].push_back(i);
    std::vector<std::uint32_t> sequence(drafts_.size());
    const auto number = [&](std::vector<std::uint32_t>& list, std::size_t first) {
      std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
        return drafts_[a].order < drafts_[b].order;
      });
      for (std::size_t i = 0; i < list.size(); ++i)
        sequence[list[i]] = static_cast<std::uint32_t>(first + i);
    };
    for (std::uint32_t c = 0; c < classes_; ++c) number(drafts_of_[c], 0);
    for (std::uint32_t group = 0; group < run_.groups.size(); ++group) {
      const std::uint32_t joined = class_of_group_[group];
      number(drafts_of_[classes_ + group], joined == result::kNone ? 0 : drafts_of_[joined].size());
    }
    for (std::uint32_t& one : made_.sequence)
      if (one != result::kNone) one = sequence[one];
    for (CollectiveDraft& draft : drafts_) {
      // If a member left before the last one arrived, members did not wait for each other.
      if (draft.first_end < draft.one.last_start) draft.one.joined = false;
    }
  }

  void add_collectives(std::uint32_t number) {
    result::Group& group = run_.groups[number];
    const std::uint32_t joined = class_of_group_[number];
    if (joined == result::kNone && drafts_of_[classes_ + number].empty()) return;
    group.first = static_cast<std::uint32_t>(run_.collectives.size());
    lowest_.clear();
    for (std::uint32_t m = 0; m < group.size && !recording_.class_of.empty(); ++m) {
      const std::uint32_t rank = group.ranks.empty() ? m : group.ranks[m];
      std::uint32_t& lowest = lowest_.try_emplace(class_of(rank), rank).first->second;
      lowest = std::min(lowest, rank);
    }
    if (joined != result::kNone)
      for (const std::uint32_t i : drafts_of_[joined]) add_collective(drafts_[i], number);
    for (const std::uint32_t i : drafts_of_[classes_ + number]) add_collective(drafts_[i], number);
    group.count = static_cast<std::uint32_t>(run_.collectives.size()) - group.first;
  }

  void add_collective(const CollectiveDraft& draft, std::uint32_t group) {
    result::Collective& one = run_.collectives.emplace_back(draft.one);
    one.group = group;
    one.type = name(draft.type);
    one.bytes = graph::full_buffer(draft.type, Bytes(draft.bytes), run_.groups[group].size);
    one.last_rank = result::kNone;
    for (const auto& [rank, node] : draft.last) {
      const std::uint32_t lowest =
          recording_.class_of.empty() ? rank : lowest_.at(recording_.class_of[rank]);
      if (lowest >= one.last_rank) continue;
      one.last_rank = lowest;
      one.last_span = node;
    }
    one.name = run_.names.intern(source_.workload.graph(one.last_rank).name(one.last_span));
  }

  const RecordingSource& source_;
  const sim::Recording& recording_;
  result::Run& run_;
  RecordedCollectives made_;
  std::uint32_t classes_ = 0;                          // of groups whose ranks joined
  std::vector<std::uint32_t> class_of_group_;          // kNone: no collective joined there
  std::vector<CollectiveDraft> drafts_;                // joined ones as in the recording
  std::vector<std::vector<std::uint32_t>> drafts_of_;  // by class, then by group
  std::map<std::uint32_t, std::uint32_t> lowest_;      // rank of a class in the current group
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

RecordedCollectives make_collectives(const RecordingSource& source, result::Run& run) {
  return CollectiveBuilder(source, run).build();
}

}  // namespace orrery::record
