// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/rank_groups.h"

#include <algorithm>
#include <bit>

#include "orrery/model/collective/algorithms/collective_algorithm.h"

namespace orrery::sim {

RankGroups::RankGroups(const graph::Workload& workload, const platform::Platform& platform,
                       const model::MultiDimFabric& fabric, const model::Network& network,
                       const Communicators& communicators, CollectivePlanner& planner,
                       const GraphShapes& shapes, bool by_dimension)
    : workload_(workload),
      platform_(platform),
      fabric_(fabric),
      network_(network),
      communicators_(communicators),
      planner_(planner),
      shapes_(shapes),
      distances_(fabric, platform.rules),
      by_dimension_(by_dimension) {
  groups_.resize(communicators.all().size());
  find_slots(workload, shapes);
  find_kinds();
}

void RankGroups::find_slots(const graph::Workload& workload, const GraphShapes& shapes) {
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

// Ranks are processed in ascending order, like a group's members, so that each search starts where
// the last one ended.
RankGroups::Slot RankGroups::find(std::uint32_t number, std::uint32_t rank, std::uint32_t place) {
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

// The topologies of a sub-group depend on the number of coordinates of its members in each
// dimension (CollectivePlanner::topology), those of all ranks on the fabric.
void RankGroups::find_kinds() {
  WordInterner numbers;
  const bool by_dimensions = network_.by_dimensions() != nullptr;
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    if (!groups_[c].used) continue;
    const Communicator& all = communicators_[c];
    scratch_.words.assign(
        1, pack_pair((all.sub_group ? 1u : 0u) + (all.listed ? 2u : 0u), all.members));
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

// The time of a library depends on the number of nodes and on the worst ports.
void RankGroups::add_library_group(std::uint32_t number, std::vector<std::uint64_t>& words) {
  const model::LibraryGroup group = planner_.library_group(communicators_[number]);
  if (group.nodes == 0) return;
  words.push_back(group.nodes);
  words.push_back(std::bit_cast<std::uint64_t>(group.intra_share));
  words.push_back(std::bit_cast<std::uint64_t>(group.inter_share));
  words.push_back(static_cast<std::uint64_t>(group.extra_latency));
}

void RankGroups::add_spans(std::uint32_t number, std::vector<std::uint64_t>& words) {
  const Communicator& all = communicators_[number];
  std::size_t first = 0;  // first stamp of the dimension
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

std::uint32_t RankGroups::find_view(std::uint32_t rank, std::size_t place, std::uint32_t group) {
  const std::uint32_t shape = shapes_.of(workload_.graph_of_rank[rank]);
  const std::uint32_t set = shapes_.use_number(shape, static_cast<std::uint32_t>(place));
  Kind& kind = kinds_[groups_[group].kind];
  const std::uint32_t number = kind.sets.number(set);
  if (number == kind.views.size())
    make_view(kind.views.emplace_back(), shapes_.use_set(set), group);
  return number;
}

// Impossible topologies are omitted: the run will fail when the first rank needs one.
void RankGroups::make_view(View& made, const UseSet& set, std::uint32_t number) {
  const Communicator& all = communicators_[number];
  Kind& kind = kinds_[groups_[number].kind];
  for (const CollectiveUse& use : set.uses) {
    for (const std::uint32_t topology :
         planner_.topologies(use.type, number, all, all.dims(use.mask)))
      add_rings(made, kind, use.type, planner_.topology(topology), all.members);
  }
}

void RankGroups::add_rings(View& made, Kind& kind, graph::CollectiveType type,
                           const model::LogicalTopology& topology, std::uint32_t members) {
  for (const model::LogicalDim& dim : topology.dims) {
    if (!dim.involved || dim.ring.size < 2) continue;
    add_ring(made, kind, dim, members);
    if (!platform::entry(dim.algorithm.algorithm).by_switches) continue;
    if (type != graph::CollectiveType::all_to_all && !planner_.switch_arithmetic().is_limited())
      continue;
    model::LogicalDim end_point_dim = dim;  // for collectives that switches cannot run
    end_point_dim.algorithm = kSwitchFallback;
    add_ring(made, kind, end_point_dim, members);
  }
}

void RankGroups::add_ring(View& made, Kind& kind, const model::LogicalDim& dim,
                          std::uint32_t members) {
  Ring ring{dim.ring, model::algorithm_of(dim.algorithm).peers()};
  const bool tree = ring.peers == model::Peers::tree;
  const bool along_dim = dim.along_dim && network_.by_dimensions() != nullptr;
  const bool by_library = dim.library.nodes > 0;
  ring.by_switches = !by_library && ring.peers == model::Peers::in_switches;
  ring.has_no_messages = by_library;
  ring.meets = ring.by_switches || (by_library && planner_.library_meets());
  ring.measured = !by_library && (tree || !(along_dim || kind.constant));
  const auto known = std::find(kind.rings.begin(), kind.rings.end(), ring);
  const auto number = static_cast<std::uint32_t>(known - kind.rings.begin());
  if (known == kind.rings.end()) {
    if (ring.shares_line()) {
      ring.first_line = kind.lines;
      kind.lines += members / ring.shape.size;
    }
    kind.rings.push_back(ring);
  }
  made.measured = made.measured || kind.rings[number].measured;
  if (std::find(made.rings.begin(), made.rings.end(), number) == made.rings.end())
    made.rings.push_back(number);
}

// Which groups represent each other, and which cannot although they look equivalent.

namespace {

constexpr std::uint64_t kNotSeen = ~std::uint64_t{0};

}  // namespace

std::vector<std::uint32_t> RankGroups::equivalent() const {
  std::vector<std::uint32_t> like(groups_.size());
  std::vector<std::uint32_t> first(colors_.size(), kNone);
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    like[c] = c;
    if (!groups_[c].used || kinds_[groups_[c].kind].groups == 1) continue;
    std::uint32_t& lowest = first[groups_[c].color];
    if (lowest == kNone || communicators_[c].precedence < communicators_[lowest].precedence)
      lowest = c;
  }
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    if (groups_[c].used && kinds_[groups_[c].kind].groups > 1) like[c] = first[groups_[c].color];
  }
  return like;
}

// Whether ranks of one class in the group use different names for it.
bool RankGroups::has_two_uses(std::uint32_t number) {
  for (std::uint32_t m = 0; m < communicators_[number].members; ++m) {
    const std::uint64_t one = seen(number, m);
    std::uint64_t& known = scratch_.stamps[one >> 32];
    // `known` was set by an earlier group, or by another rank of the class in this group.
    const std::uint64_t here = pack_pair(number, static_cast<std::uint32_t>(one));
    if (known >> 32 == number && known != here) return true;
    known = here;
  }
  return false;
}

bool RankGroups::separate_conflicts(const std::vector<std::uint32_t>& representatives) {
  const std::vector<std::uint32_t> like = equivalent();
  std::vector<bool> conflict(groups_.size());
  std::vector<std::uint64_t> met(groups_.size(), kNotSeen);  // by first equivalent group
  for (const std::uint32_t rank : representatives) {
    for (const Slot& slot : slots(rank)) {
      if (!slot.found()) continue;
      const std::uint64_t here = pack_pair(rank, slot.group);
      std::uint64_t& known = met[like[slot.group]];
      if (known >> 32 == rank && known != here) conflict[like[slot.group]] = true;
      known = here;
    }
  }
  scratch_.stamps.assign(representatives.size(), kNotSeen);
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    const Group& group = groups_[c];
    if (group.used && !group.uniform && has_two_uses(c)) conflict[like[c]] = true;
  }
  bool more = false;
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    if (!conflict[like[c]] || groups_[c].is_separate || kinds_[groups_[c].kind].groups == 1)
      continue;
    groups_[c].is_separate = more = true;
  }
  return more;
}

}  // namespace orrery::sim
