// SPDX-License-Identifier: Apache-2.0
//
// The neighborhoods of ranks in their groups: invariants, and the state of each round.
#include <algorithm>
#include <bit>
#include <utility>

#include "orrery/model/collective/algorithms/tree_place.h"
#include "orrery/sim/shortcuts/folding/rank_groups.h"

namespace orrery::sim {

using model::Peers;
using model::RingShape;
using model::TreePlace;

namespace {

// If distances differ between members, each member of a larger direct ring would need a list of all
// members.
constexpr std::uint32_t kMaxMeasured = 1024;
constexpr std::uint64_t kNoMember = ~std::uint64_t{0};

std::uint32_t at_position(const RingShape& ring, std::uint32_t member, std::uint32_t position) {
  return member - ring.position(member) * ring.stride + position * ring.stride;
}

// Calls `visit` with each member that sends to `member` or receives from it, in an order that is
// the same for all members (see PhaseSpec::peer and TreePhases::send). kNone: there is none.
template <class Visit>
void each_neighbor(Peers peers, const RingShape& ring, std::uint32_t member, Visit visit) {
  const std::uint32_t position = ring.position(member);
  switch (peers) {
    case Peers::tree:
      if (!std::has_single_bit(ring.size)) return;  // the run will fail
      for (const bool max_tree : {true, false}) {
        const TreePlace place = model::tree_place(position, ring.size, max_tree);
        for (const std::uint32_t at : {place.parent, place.left, place.right})
          visit(at == TreePlace::kNone ? kNone : at_position(ring, member, at));
      }
      return;
    case Peers::exchange:
      if (!std::has_single_bit(ring.size)) return;
      for (std::uint32_t offset = 1; offset < ring.size; offset *= 2) {
        const bool clockwise = (position & offset) == 0;
        visit(ring.clockwise(member, position, clockwise ? offset : ring.size - offset));
      }
      return;
    case Peers::each:
    case Peers::in_switches:  // all members must arrive
      for (std::uint32_t offset = 0; offset < ring.size; ++offset)
        visit(ring.clockwise(member, position, offset));
      return;
    case Peers::next:
      visit(ring.clockwise(member, position, 1));
      visit(ring.clockwise(member, position, ring.size - 1));
      return;
  }
}

// Distinguishes left and right children, because a parent must not confuse two children of one
// class.
std::uint64_t side(const RingShape& ring, std::uint32_t member, bool max_tree) {
  const std::uint32_t position = ring.position(member);
  const TreePlace place = model::tree_place(position, ring.size, max_tree);
  if (place.parent == TreePlace::kNone) return 0;
  return model::tree_place(place.parent, ring.size, max_tree).left == position ? 1 : 2;
}

// The start of the least rotation of a sequence: compares two candidates until one falls behind.
std::uint32_t least_rotation(const std::vector<std::uint64_t>& line) {
  const std::size_t n = line.size();
  std::size_t a = 0, b = 1, same = 0;
  while (a < n && b < n && same < n) {
    const std::uint64_t left = line[(a + same) % n], right = line[(b + same) % n];
    if (left == right) {
      ++same;
      continue;
    }
    (left > right ? a : b) += same + 1;
    if (a == b) ++b;
    same = 0;
  }
  return static_cast<std::uint32_t>(std::min(a, b));
}

// The least number of positions by which a rotation leaves the sequence unchanged (failure function
// of Knuth, Morris, Pratt, "Fast pattern matching in strings", SIAM J. Comput. 6, 1977, section 2).
std::uint32_t period_of(const std::vector<std::uint64_t>& line) {
  std::vector<std::size_t> border(line.size() + 1, 0);
  for (std::size_t i = 1, k = 0; i < line.size(); ++i) {
    while (k > 0 && line[i] != line[k]) k = border[k];
    if (line[i] == line[k]) ++k;
    border[i + 1] = k;
  }
  const std::size_t period = line.size() - border[line.size()];
  return static_cast<std::uint32_t>(line.size() % period == 0 ? period : line.size());
}

}  // namespace

// The order of the rank's groups if their chunks tie.
void RankGroups::add_precedence(std::uint32_t rank, std::vector<std::uint64_t>& words) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> in_order;
  for (std::uint32_t place = 0; place < slots(rank).size(); ++place) {
    if (const Slot& slot = slots(rank)[place]; slot.found())
      in_order.emplace_back(communicators_[slot.group].precedence, place);
  }
  std::sort(in_order.begin(), in_order.end());
  for (const auto& one : in_order) words.push_back(one.second);
}

bool RankGroups::add_invariants(std::uint32_t rank, std::vector<std::uint64_t>& words) {
  bool comparable = true;
  if (platform_.rules == platform::Rules::orrery && slots(rank).size() > 1)
    add_precedence(rank, words);
  for (std::size_t place = 0; place < slots(rank).size(); ++place) {
    Slot& slot = slots_[first_slot_[rank] + place];
    if (!slot.found()) {
      words.push_back(slot.group);
      continue;
    }
    const Group& group = groups_[slot.group];
    words.push_back(pack_pair(group.kind, names_[group.first_member + slot.member]));
    if (group.custom) comparable = false;
    slot.view = find_view(rank, place, slot.group);
    const View& slot_view = view(slot);
    if (!slot_view.measured) continue;
    for (const std::uint32_t number : slot_view.rings) {
      const Ring& ring = kinds_[group.kind].rings[number];
      if (!ring.measured) continue;
      const bool large = ring.peers == Peers::each && ring.shape.size > kMaxMeasured;
      if (large) comparable = false;
      if (comparable) add_distances(ring, slot, words);
    }
  }
  return comparable;
}

const model::SwitchTree* RankGroups::tree_of(const Ring& ring, const Slot& slot) const {
  const auto tree = planner_.switch_tree(communicators_[slot.group], ring.shape, slot.member);
  return tree ? *tree : nullptr;
}

// Collectives by trees with equal times have equal times for all sizes, because time is linear in
// bytes.
void RankGroups::add_tree(const Ring& ring, const Slot& slot,
                          std::vector<std::uint64_t>& words) const {
  const model::SwitchTree* tree = tree_of(ring, slot);
  words.push_back(tree == nullptr ? kNoMember : tree->levels);
  if (tree == nullptr) return;
  words.push_back(static_cast<std::uint64_t>(tree->latency));
  words.push_back(static_cast<std::uint64_t>(tree->latency_down));
  for (const auto type : {graph::CollectiveType::all_reduce, graph::CollectiveType::reduce_scatter,
                          graph::CollectiveType::all_gather})
    words.push_back(static_cast<std::uint64_t>(tree->duration({type, std::int64_t{1} << 40, {}})));
}

void RankGroups::add_distances(const Ring& ring, const Slot& slot,
                               std::vector<std::uint64_t>& words) const {
  if (ring.by_switches) return add_tree(ring, slot, words);
  const std::uint32_t rank = rank_of(slot.group, slot.member);
  each_neighbor(ring.peers, ring.shape, slot.member, [&](std::uint32_t member) {
    words.push_back(member == kNone ? kNoMember
                                    : network_.pair_class(rank, rank_of(slot.group, member)));
    if (by_dimension_ && member != kNone)
      words.push_back(distances_.crossed(rank, rank_of(slot.group, member)));
  });
  if (ring.peers != Peers::tree || !std::has_single_bit(ring.shape.size)) return;
  for (const bool max_tree : {true, false})
    words.push_back(side(ring.shape, slot.member, max_tree));
}

void RankGroups::begin_full_round(const std::vector<std::uint32_t>& class_of) {
  class_of_ = &class_of;
  begin_round();
  colors_.clear();
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    Group& group = groups_[c];
    if (!group.used) continue;
    const std::uint32_t members = communicators_[c].members;
    const std::uint64_t first = seen(c, 0);
    std::uint32_t same = 1;
    while (same < members && seen(c, same) == first) ++same;
    group.uniform = same == members;
    if (kinds_[group.kind].groups == 1) continue;
    scratch_.members.assign(1, first);
    for (std::uint32_t m = 1; m < members && !group.uniform; ++m)
      scratch_.members.push_back(seen(c, m));
    find_color(c);
  }
}

void RankGroups::begin_round() {
  ++round_;
  line_numbers_ = WordInterner();
}

// The line of a member's direct ring.
RankGroups::Line& RankGroups::line_of(const Ring& ring, const Slot& slot) {
  Group& group = groups_[slot.group];
  if (group.first_line == kNoLines) {
    group.first_line = lines_.size();
    lines_.resize(lines_.size() + kinds_[group.kind].lines);
  }
  const RingShape& shape = ring.shape;
  const std::size_t number =
      slot.member / (shape.stride * shape.size) * shape.stride + slot.member % shape.stride;
  return lines_[group.first_line + ring.first_line + number];
}

// The line in this round.
const RankGroups::Line& RankGroups::seen_line(const Ring& ring, const Slot& slot) {
  Line& made = line_of(ring, slot);
  if (made.round == round_) return made;
  scratch_.line.clear();
  for (std::uint32_t p = 0; p < ring.shape.size; ++p)
    scratch_.line.push_back(seen(slot.group, at_position(ring.shape, slot.member, p)));
  made.round = round_;
  if (ring.meets) {
    std::sort(scratch_.line.begin(), scratch_.line.end());
    made.start = 0;
    made.period = 1;
    made.number = line_numbers_.number(scratch_.line);
    return made;
  }
  made.start = least_rotation(scratch_.line);
  std::rotate(scratch_.line.begin(), scratch_.line.begin() + made.start, scratch_.line.end());
  made.period = period_of(scratch_.line);
  made.number = line_numbers_.number({scratch_.line.data(), made.period});
  return made;
}

// The color depends on the number of members of each class, in any order.
void RankGroups::find_color(std::uint32_t number) {
  Group& group = groups_[number];
  scratch_.words.assign(1, pack_pair(group.kind, group.is_separate ? number : kNone));
  if (group.uniform) {
    scratch_.words.push_back(scratch_.members.front());
  } else {
    std::sort(scratch_.members.begin(), scratch_.members.end());
    scratch_.words.insert(scratch_.words.end(), scratch_.members.begin(), scratch_.members.end());
  }
  group.color = colors_.number(scratch_.words);
}

void RankGroups::add_all(std::uint32_t rank, std::vector<std::uint64_t>& words) {
  for (const Slot& slot : slots(rank)) {
    if (!slot.found()) continue;
    const Group& group = groups_[slot.group];
    words.push_back(pack_pair(group.uniform ? 1 : 0, group.color));
    if (group.uniform) continue;
    for (const std::uint32_t ring : view(slot).rings)
      add_classes(kinds_[group.kind].rings[ring], slot, words);
  }
}

bool RankGroups::each_message(std::uint32_t rank, const MessageVisitor& visit) const {
  for (const Slot& slot : slots(rank)) {
    if (!slot.found()) continue;
    for (const std::uint32_t number : view(slot).rings) {
      const Ring& ring = kinds_[groups_[slot.group].kind].rings[number];
      if (ring.has_no_messages) continue;
      if (ring.by_switches) {
        const model::SwitchTree* tree = tree_of(ring, slot);
        if (tree == nullptr || tree->levels > 1) return false;
        const auto& own = tree->edges[ring.shape.position(slot.member)];
        visit(own.child, own.parent);
        visit(own.parent, own.child);
        continue;
      }
      each_neighbor(ring.peers, ring.shape, slot.member, [&](std::uint32_t member) {
        visit(rank, member == kNone ? kNone : rank_of(slot.group, member));
      });
    }
  }
  return true;
}

void RankGroups::add_neighbors(std::uint32_t rank, std::vector<std::uint64_t>& words) {
  for (const Slot& slot : slots(rank)) {
    if (!slot.found()) continue;
    for (const std::uint32_t ring : view(slot).rings)
      add_classes(kinds_[groups_[slot.group].kind].rings[ring], slot, words);
  }
}

void RankGroups::add_classes(const Ring& ring, const Slot& slot,
                             std::vector<std::uint64_t>& words) {
  if (ring.shares_line()) {
    const Line& line = seen_line(ring, slot);
    const RingShape& shape = ring.shape;
    const std::uint32_t rotated = shape.position(slot.member) + shape.size - line.start;
    words.push_back(pack_pair(line.number, rotated % line.period));
    return;
  }
  each_neighbor(ring.peers, ring.shape, slot.member, [&](std::uint32_t member) {
    words.push_back(member == kNone ? kNoMember : seen(slot.group, member));
  });
}

void RankGroups::find_memberships() {
  first_membership_.assign(workload_.rank_count() + std::size_t{1}, 0);
  for (const bool count : {true, false}) {
    for (std::uint32_t c = 0; c < groups_.size(); ++c) {
      for (std::uint32_t m = 0; groups_[c].used && m < communicators_[c].members; ++m) {
        std::size_t& at = first_membership_[rank_of(c, m)];
        if (count) {
          ++at;
        } else {
          memberships_[--at] = {c, m};
        }
      }
    }
    if (!count) break;
    std::size_t sum = 0;
    for (std::size_t& at : first_membership_) at = sum += at;
    memberships_.resize(sum);
  }
}

// Neighborhood in a ring is symmetric: a neighbor of a rank has that rank as a neighbor.
void RankGroups::add_viewers(std::uint32_t rank, std::vector<std::uint32_t>& viewers) {
  if (first_membership_.empty()) find_memberships();
  for (std::size_t i = first_membership_[rank]; i < first_membership_[rank + 1]; ++i) {
    const auto [group, here] = memberships_[i];
    const std::vector<Ring>& rings = kinds_[groups_[group].kind].rings;
    for (std::uint32_t number = 0; number < rings.size(); ++number) {
      const Ring& ring = rings[number];
      if (ring.shares_line() &&
          std::exchange(line_of(ring, {group, here}).seen_round, round_) == round_)
        continue;
      scratch_.words.clear();
      each_neighbor(ring.peers, ring.shape, here,
                    [&](std::uint32_t member) { scratch_.words.push_back(member); });
      for (const std::uint64_t member : scratch_.words)
        add_viewer(group, static_cast<std::uint32_t>(member), number, viewers);
    }
  }
}

// Adds the member if it uses the group for collectives in that ring.
void RankGroups::add_viewer(std::uint32_t group, std::uint32_t member, std::uint32_t ring,
                            std::vector<std::uint32_t>& viewers) {
  if (member == kNone) return;
  const std::uint32_t place = names_[groups_[group].first_member + member];
  if (place == kNone) return;
  const std::uint32_t rank = rank_of(group, member);
  const std::vector<std::uint32_t>& rings = view(slots_[first_slot_[rank] + place]).rings;
  if (std::find(rings.begin(), rings.end(), ring) != rings.end()) viewers.push_back(rank);
}

}  // namespace orrery::sim
