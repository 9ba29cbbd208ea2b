// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/folding_groups.h"

#include <algorithm>
#include <bit>

#include "orrery/model/collective/collective_algorithm.h"

namespace orrery::sim {

using platform::Rules;

Groups::Groups(const graph::Workload& workload, const platform::Platform& platform,
               const model::Fabric& fabric, const model::Network& network,
               const Communicators& communicators, Planner& planner, const Shapes& shapes)
    : workload_(workload),
      platform_(platform),
      fabric_(fabric),
      network_(network),
      communicators_(communicators),
      planner_(planner),
      shapes_(shapes),
      distances_(fabric, platform.rules) {
  groups_.resize(communicators.all().size());
  find_slots(workload, shapes);
  find_kinds();
}

void Groups::find_slots(const graph::Workload& workload, const Shapes& shapes) {
  const std::uint32_t ranks = workload.rank_count();
  first_slot_.reserve(ranks + std::size_t{1});
  first_slot_.push_back(0);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t graph = workload.graph_of_rank[rank];
    const auto meanings = shapes.groups(graph);
    for (std::uint32_t place = 0; place < meanings.size(); ++place) {
      slots_.push_back(find(meanings[place].of(rank), rank, place));
      const UseSet& set = shapes.use_set(shapes.use_number(shapes.of(graph), place));
      if (set.custom && slots_.back().found()) groups_[slots_.back().group].custom = true;
    }
    first_slot_.push_back(slots_.size());
  }
}

// Ranks come in ascending order, and so do a group's members: each is looked for from where the
// last one was.
Groups::Slot Groups::find(std::uint32_t number, std::uint32_t rank, std::uint32_t place) {
  if (number >= kNotMember) return {number};
  const Communicator& all = communicators_[number];
  Group& group = groups_[number];
  if (!group.used) {
    group.used = true;
    group.first_member = names_.size();
    names_.resize(names_.size() + all.members, kNone);
  }
  std::uint32_t member = rank;
  if (!all.ranks.empty()) {
    const std::vector<std::uint32_t>& ascending = all.ascending();
    while (group.next < ascending.size() && ascending[group.next] < rank) ++group.next;
    if (group.next == ascending.size() || ascending[group.next] != rank) return {kNotMember};
    member = all.member_at.empty() ? group.next : all.member_at[group.next];
  }
  std::uint32_t& name = names_[group.first_member + member];
  if (name == kNone) name = place;
  return {number, member};
}

// A sub-group's topologies follow from how many coordinates its members have in each dimension
// (Planner::topology), those of all ranks from the fabric.
void Groups::find_kinds() {
  Interner numbers;
  const bool by_dimensions = network_.by_dimensions() != nullptr;
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    if (!groups_[c].used) continue;
    const Communicator& all = communicators_[c];
    scratch_.words.assign(1, both((all.sub_group ? 1u : 0u) + (all.listed ? 2u : 0u), all.members));
    if (all.sub_group) add_spans(c, scratch_.words);
    add_library_group(c, scratch_.words);
    const std::uint32_t number = numbers.number(scratch_.words);
    groups_[c].kind = number;
    if (number == kinds_.size()) {
      Kind& made = kinds_.emplace_back();
      std::size_t crossed = 0, rings = 0;
      for (std::size_t d = 0; d < fabric_.dim_count(); ++d) {
        const bool spans = all.sub_group ? scratch_.words[d + 1] > 1 : fabric_.dim(d).size > 1;
        if (spans) ++crossed;
        if (spans && fabric_.dim(d).block == platform::Block::ring) ++rings;
      }
      made.constant = by_dimensions && crossed == 1 && rings == 0;
    }
    ++kinds_[number].groups;
  }
}

// What a library takes follows from how many nodes there are, and from the worst ports.
void Groups::add_library_group(std::uint32_t number, std::vector<std::uint64_t>& words) {
  const model::LibraryGroup group = planner_.library_group(communicators_[number]);
  if (group.nodes == 0) return;
  words.push_back(group.nodes);
  words.push_back(std::bit_cast<std::uint64_t>(group.inside));
  words.push_back(std::bit_cast<std::uint64_t>(group.between));
  words.push_back(static_cast<std::uint64_t>(group.late));
}

void Groups::add_spans(std::uint32_t number, std::vector<std::uint64_t>& words) {
  const Communicator& all = communicators_[number];
  std::size_t first = 0;  // of the dimension's coordinates
  for (std::size_t d = 0; d < fabric_.dim_count(); ++d) {
    scratch_.stamps.resize(
        std::max(scratch_.stamps.size(), first + static_cast<std::size_t>(fabric_.dim(d).size)));
    std::uint64_t span = 0;
    for (const std::uint32_t rank : all.ranks) {
      std::uint64_t& stamp = scratch_.stamps[first + distances_.coordinates(rank)[d]];
      if (stamp == number + std::uint64_t{1}) continue;
      stamp = number + std::uint64_t{1};
      ++span;
    }
    words.push_back(span);
    first += static_cast<std::size_t>(fabric_.dim(d).size);
  }
}

std::uint32_t Groups::find_view(std::uint32_t rank, std::size_t place, std::uint32_t group) {
  const std::uint32_t shape = shapes_.of(workload_.graph_of_rank[rank]);
  const std::uint32_t set = shapes_.use_number(shape, static_cast<std::uint32_t>(place));
  Kind& kind = kinds_[groups_[group].kind];
  const std::uint32_t number = kind.sets.number(set);
  if (number == kind.views.size())
    make_view(kind.views.emplace_back(), shapes_.use_set(set), group);
  return number;
}

// A topology that cannot be had is none here: the run will fail when the first rank wants it.
void Groups::make_view(View& made, const UseSet& set, std::uint32_t number) {
  const Communicator& all = communicators_[number];
  Kind& kind = kinds_[groups_[number].kind];
  for (const CollectiveUse& use : set.uses) {
    for (const std::uint32_t topology :
         planner_.topologies(use.type, number, all, all.dims(use.mask)))
      add_rings(made, kind, use.type, planner_.topology(topology), all.members);
  }
}

void Groups::add_rings(View& made, Kind& kind, graph::CollectiveType type,
                       const model::LogicalTopology& topology, std::uint32_t members) {
  for (const model::LogicalDim& dim : topology.dims) {
    if (!dim.involved || dim.ring.size < 2) continue;
    add_ring(made, kind, dim, members);
    if (!platform::entry(dim.algorithm.algorithm).by_switches) continue;
    if (type != graph::CollectiveType::all_to_all && !planner_.adders().limited()) continue;
    model::LogicalDim by_end_points = dim;  // those that switches cannot do
    by_end_points.algorithm = kInPlaceOfSwitches;
    add_ring(made, kind, by_end_points, members);
  }
}

void Groups::add_ring(View& made, Kind& kind, const model::LogicalDim& dim, std::uint32_t members) {
  Ring ring{dim.ring, model::algorithm_of(dim.algorithm).peers()};
  const bool tree = ring.peers == model::Peers::tree;
  const bool along_dim = dim.along_dim && network_.by_dimensions() != nullptr;
  const bool by_library = dim.library.nodes > 0;
  ring.by_switches = !by_library && ring.peers == model::Peers::meet;
  ring.silent = by_library;
  ring.meets = ring.by_switches || (by_library && planner_.library_meets());
  ring.measured = !by_library && (tree || !(along_dim || kind.constant));
  const auto known = std::find(kind.rings.begin(), kind.rings.end(), ring);
  const auto number = static_cast<std::uint32_t>(known - kind.rings.begin());
  if (known == kind.rings.end()) {
    if (ring.in_line()) {
      ring.first_line = kind.lines;
      kind.lines += members / ring.shape.size;
    }
    kind.rings.push_back(ring);
  }
  made.measured = made.measured || kind.rings[number].measured;
  if (std::find(made.rings.begin(), made.rings.end(), number) == made.rings.end())
    made.rings.push_back(number);
}

}  // namespace orrery::sim
