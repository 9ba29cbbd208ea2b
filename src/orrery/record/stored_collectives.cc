// SPDX-License-Identifier: Apache-2.0
//
// Stores the collectives of groups, once for all groups that have the same ones.

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "orrery/record/make_run_internal.h"

namespace orrery::record {

namespace {

/// A group's ranks by the properties that its collectives depend on, place by place.
using Signature = std::vector<std::uint64_t>;

class CollectiveStore {
 public:
  CollectiveStore(const RecordingSource& source, const RecordedCollectives& recorded,
                  result::Run& run)
      : source_(source), recorded_(recorded), run_(run), lowest_(run.ranks.size(), result::kNone) {}

  void add(std::uint32_t number) {
    result::Group& group = run_.groups[number];
    group.first = count_;
    const std::uint32_t joined = recorded_.class_of_group[number];
    const auto& own = recorded_.of_class[recorded_.classes + number];
    find_lowest(group);
    Signature signature;
    if (may_share(group)) {
      signature = signature_of(group);
      if (!source_.recording.class_of.empty() && joined != result::kNone && own.empty()) {
        Signature with_last = signature;
        add_lowest(group, with_last);
        const auto [known, added] = by_class_.try_emplace({joined, std::move(with_last)}, number);
        if (!added) return share(number, known->second);
      }
    }
    const std::size_t first = run_.collectives.size();
    if (joined != result::kNone)
      for (const std::uint32_t one : recorded_.of_class[joined]) store(recorded_.all[one], number);
    for (const std::uint32_t one : own) store(recorded_.all[one], number);
    group.stored = static_cast<std::uint32_t>(first);
    group.count = static_cast<std::uint32_t>(run_.collectives.size() - first);
    count_ += group.count;
    if (!may_share(group) || group.count == 0) return;
    const auto [known, added] = by_content_.try_emplace(std::move(signature));
    for (const std::uint32_t other : known->second) {
      if (!has_equal_collectives(run_.groups[other], group)) continue;
      run_.collectives.resize(first);
      count_ -= group.count;
      return share(number, other);
    }
    known->second.push_back(number);
  }

 private:
  // On a fabric, the bounds of two groups can differ although their times are equal.
  [[nodiscard]] bool may_share(const result::Group& group) const {
    return !group.ranks.empty() && source_.platform.fabric == nullptr;
  }

  [[nodiscard]] std::uint32_t class_of(std::uint32_t rank) const {
    const std::vector<std::uint32_t>& classes = source_.recording.class_of;
    return classes.empty() ? rank : classes[rank];
  }

  // The lowest rank of each class in the group, by class.
  void find_lowest(const result::Group& group) {
    for (const std::uint32_t one : touched_) lowest_[one] = result::kNone;
    touched_.clear();
    for (std::uint32_t m = 0; m < group.size; ++m) {
      const std::uint32_t rank = group.ranks.empty() ? m : group.ranks[m];
      std::uint32_t& lowest = lowest_[class_of(rank)];
      if (lowest == result::kNone) touched_.push_back(class_of(rank));
      lowest = std::min(lowest, rank);
    }
  }

  // Coordinates, and timelines by place.
  [[nodiscard]] Signature signature_of(const result::Group& group) const {
    Signature made = extents(source_.platform.dims, group.ranks);
    made.push_back(group.size);
    for (const std::uint32_t rank : group.ranks) made.push_back(run_.ranks[rank].timeline);
    return made;
  }

  // The places of the lowest ranks of classes, in the order of these ranks: of several last
  // members, the lowest rank is stored.
  void add_lowest(const result::Group& group, Signature& signature) const {
    std::vector<std::uint32_t> sorted = touched_;
    std::sort(sorted.begin(), sorted.end(),
              [&](std::uint32_t a, std::uint32_t b) { return lowest_[a] < lowest_[b]; });
    for (const std::uint32_t one : sorted) {
      const auto place = std::find(group.ranks.begin(), group.ranks.end(), lowest_[one]);
      signature.push_back(std::uint64_t{one} << 32 |
                          static_cast<std::uint64_t>(place - group.ranks.begin()));
    }
  }

  void share(std::uint32_t number, std::uint32_t with) {
    run_.groups[number].stored = run_.groups[with].stored;
    run_.groups[number].count = run_.groups[with].count;
    count_ += run_.groups[number].count;
  }

  void store(const RecordedCollective& recorded, std::uint32_t number) {
    const result::Group& group = run_.groups[number];
    result::Collective& one = run_.collectives.emplace_back(recorded.one);
    one.group = number;
    one.type = name(recorded.type);
    one.bytes = graph::full_buffer(recorded.type, Bytes(recorded.bytes), group.size);
    one.last_rank = result::kNone;
    NodeId node = graph::kNoNode;
    for (const auto& [rank, last] : recorded.last) {
      const std::uint32_t lowest = lowest_[class_of(rank)];
      if (lowest >= one.last_rank) continue;
      one.last_rank = lowest;
      node = last;
    }
    // Without synchronization, a rank can name a group of which it is not a member.
    if (one.last_rank == result::kNone) std::tie(one.last_rank, node) = recorded.last.front();
    const graph::Graph& graph = source_.workload.graph(one.last_rank);
    one.last_span = source_.span_of(one.last_rank, node);
    one.name = one.last_span == result::kNone
                   ? run_.names.intern(graph.name(node))
                   : run_.timeline(one.last_rank).spans[one.last_span].name;
    if (!one.joined || one.last_span == result::kNone) return;
    if (carries_tokens(recorded.type, graph.collective(node))) return;
    set_bound(one, graph.collective(node).type, number);
  }

  void set_bound(result::Collective& one, graph::CollectiveType type, std::uint32_t number) {
    const auto [found, added] =
        bounds_.try_emplace({number, static_cast<int>(type), one.bytes.count()}, std::nullopt);
    if (added)
      found->second = collective_bound(source_, type, one.bytes, run_.groups[number].ranks);
    if (!found->second) return;
    one.bound = found->second->time;
    one.bound_by = found->second->limiting_dimensions;
  }

  // Whether the collectives of two groups differ in their ranks only.
  [[nodiscard]] bool has_equal_collectives(const result::Group& a, const result::Group& b) const {
    if (a.count != b.count) return false;
    result::Collective x;
    for (std::uint32_t i = 0; i < a.count; ++i) {
      x = run_.collectives[a.stored + i];  // reuses its memory
      const result::Collective& y = run_.collectives[b.stored + i];
      const auto place = [](const result::Group& group, std::uint32_t rank) {
        return std::find(group.ranks.begin(), group.ranks.end(), rank) - group.ranks.begin();
      };
      if (place(a, x.last_rank) != place(b, y.last_rank)) return false;
      x.group = y.group;
      x.last_rank = y.last_rank;
      if (!(x == y)) return false;
    }
    return true;
  }

  using NodeId = graph::NodeId;
  const RecordingSource& source_;
  const RecordedCollectives& recorded_;
  result::Run& run_;
  std::uint32_t count_ = 0;  // of collectives of all groups so far
  std::map<std::pair<std::uint32_t, Signature>, std::uint32_t> by_class_;  // the first group
  std::map<Signature, std::vector<std::uint32_t>> by_content_;  // groups that store their own
  std::vector<std::uint32_t> lowest_;                           // by class
  std::vector<std::uint32_t> touched_;                          // classes in lowest_
  std::map<std::tuple<std::uint32_t, int, std::int64_t>, std::optional<CollectiveBound>>
      bounds_;  // by group, type and bytes
};

}  // namespace

void store_collectives(const RecordingSource& source, const RecordedCollectives& recorded,
                       result::Run& run) {
  CollectiveStore store(source, recorded, run);
  for (std::uint32_t group = 0; group < run.groups.size(); ++group) store.add(group);
}

}  // namespace orrery::record
