// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/recorded_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::sim {

RecordedGroups::Part RecordedGroups::part(std::uint32_t communicator, std::uint32_t member,
                                          std::span<const model::RingShape> rings) {
  Part made{communicator, member, {}};
  for (const model::RingShape& ring : rings) {
    made.base -= ring.position(member) * ring.stride;
    made.strides.push_back(ring.stride);
  }
  return made;
}

std::vector<std::uint32_t> RecordedGroups::members(const Part& part,
                                                   std::span<const model::RingShape> rings) {
  std::vector<std::uint32_t> all{part.base};
  for (const model::RingShape& ring : rings) {
    const std::size_t before = all.size();
    for (std::uint32_t p = 1; p < ring.size; ++p) {
      for (std::size_t m = 0; m < before; ++m) all.push_back(all[m] + p * ring.stride);
    }
  }
  return all;
}

std::uint32_t RecordedGroups::new_class(std::uint32_t communicator, std::uint32_t size) {
  communicators_.push_back(communicator);
  sizes_.push_back(size);
  return classes() - 1;
}

std::uint32_t RecordedGroups::class_of(const Use& use, std::uint32_t member) {
  const Communicator& all = run_.communicators[use.communicator];
  if (use.whole) {
    class_of_communicator_.resize(run_.communicators.all().size(), kNone);
    std::uint32_t& known = class_of_communicator_[use.communicator];
    if (known == kNone) known = new_class(use.communicator, all.members);
    return known;
  }
  const Part here = part(use.communicator, member, use.rings);
  const auto [found, added] = class_of_part_.try_emplace(here, kNone);
  if (!added) return found->second;
  const std::vector<std::uint32_t> inside = members(here, use.rings);
  const auto size = static_cast<std::uint32_t>(inside.size());
  if (all.is_unfolded()) return found->second = new_class(use.communicator, size);
  PartKey key{use.communicator, here.strides, {}};
  for (const std::uint32_t m : inside) key.representatives.push_back(all.representative(m));
  std::sort(key.representatives.begin(), key.representatives.end());
  const auto [equal, first] = class_of_key_.try_emplace(std::move(key), kNone);
  if (first) equal->second = new_class(use.communicator, size);
  return found->second = equal->second;
}

RecordedGroups::OwnGroup RecordedGroups::add_use(
    std::uint32_t rank, graph::NodeId node, std::uint32_t communicator, std::uint32_t member,
    std::optional<std::span<const model::RingShape>> rings) {
  const Communicator& all = run_.communicators[communicator];
  std::uint64_t size = 1;
  if (rings)
    for (const model::RingShape& ring : *rings) size *= ring.size;
  const bool whole = !rings || size == all.members;
  if (uses_.empty()) uses_.resize(run_.folded_workload.ranks());
  std::vector<Use>& uses = uses_[rank];
  for (const Use& known : uses) {
    if (known.communicator == communicator && known.whole == whole &&
        (whole || std::equal(known.rings.begin(), known.rings.end(), rings->begin(), rings->end())))
      return known;
  }
  Use use;
  use.communicator = communicator;
  use.member = rings ? member : kNone;
  use.node = node;
  use.whole = whole;
  if (!whole) use.rings.assign(rings->begin(), rings->end());
  use.group_class = class_of(use, member);
  const auto same = [&](const Use& other) { return other.group_class == use.group_class; };
  const auto known = std::find_if(uses.begin(), uses.end(), same);
  if (known != uses.end()) return *known;
  use.represented = all.is_unfolded() ? 1 : count_represented(use, member);
  uses.push_back(use);
  return use;
}

std::uint32_t RecordedGroups::count_represented(const Use& use, std::uint32_t member) const {
  const Communicator& all = run_.communicators[use.communicator];
  const std::uint32_t self = all.representative(member);
  std::uint32_t count = 0;
  const auto add = [&](std::uint32_t m) { count += all.representative(m) == self ? 1 : 0; };
  if (use.whole) {
    for (std::uint32_t m = 0; m < all.members; ++m) add(m);
  } else {
    for (const std::uint32_t m : members(part(use.communicator, member, use.rings), use.rings))
      add(m);
  }
  return count;
}

std::uint32_t RecordedGroups::represented(std::uint32_t rank, std::uint32_t group_class) const {
  for (const Use& use : uses_[rank])
    if (use.group_class == group_class) return use.represented;
  ORRERY_CHECK(false);
}

RecordedGroup RecordedGroups::recorded(const Part& part,
                                       std::span<const model::RingShape> rings) const {
  const Communicator& all = run_.communicators[part.communicator];
  std::vector<std::uint32_t> ranks = members(part, rings);
  for (std::uint32_t& member : ranks) member = all.rank_at(member);
  const std::uint32_t first = ranks.front(), next = ranks.size() > 1 ? ranks[1] : first;
  return {fmt::format("{}: {} ranks from {}, {} apart", all.name.empty() ? "all ranks" : all.name,
                      ranks.size(), first, next > first ? next - first : first - next),
          std::move(ranks)};
}

// A simulated rank uses the communicator that represents the rank's own.
std::uint32_t RecordedGroups::communicator_of(std::uint32_t real, const Use& use) const {
  if (!run_.folded_workload.is_folded()) return use.communicator;
  const graph::Graph& graph = run_.workload.graph(real);
  const std::string_view name = graph.string(graph.collective(use.node).group);
  return run_.policy.means_all(name) ? 0 : run_.communicators.find(name, real);
}

void RecordedGroups::finish(Recording& recording) const {
  struct Membership {
    std::uint32_t group_class = 0;
    std::uint32_t communicator = 0;
    const Part* part = nullptr;  ///< null: the whole communicator
  };
  std::vector<Membership> all;
  struct PartGroup {
    const Use* use = nullptr;  ///< one of the part
    std::uint32_t group = kNone;
  };
  std::map<Part, PartGroup> parts;
  for (std::uint32_t real = 0; real < run_.workload.rank_count(); ++real) {
    recording.first_membership.push_back(all.size());
    const std::uint32_t rank = run_.folded_workload.rank_for(real);
    for (std::size_t u = 0; !uses_.empty() && u < uses_[rank].size(); ++u) {
      const Use& use = uses_[rank][u];
      Membership& made = all.emplace_back();
      made = {use.group_class, communicator_of(real, use), nullptr};
      if (use.whole) continue;
      const std::uint32_t member = run_.communicators[made.communicator].member(real);
      Part own = part(made.communicator, member, use.rings);
      made.part = &parts.try_emplace(std::move(own), PartGroup{&use}).first->first;
    }
  }
  recording.first_membership.push_back(all.size());
  for (const Communicator& group : run_.communicators.all())
    recording.groups.push_back({group.name, group.ranks});
  for (auto& [part, one] : parts) {
    one.group = static_cast<std::uint32_t>(recording.groups.size());
    recording.groups.push_back(recorded(part, one.use->rings));
  }
  recording.memberships.reserve(all.size());
  for (const Membership& one : all)
    recording.memberships.push_back(
        {one.group_class, one.part == nullptr ? one.communicator : parts.at(*one.part).group});
}

}  // namespace orrery::sim
