// SPDX-License-Identifier: Apache-2.0
//
// Which groups stand for each other, and which cannot although they look alike.
#include <cstdint>
#include <utility>
#include <vector>

#include "orrery/sim/folding_groups.h"

namespace orrery::sim {

namespace {

constexpr std::uint64_t kNotMet = ~std::uint64_t{0};

}  // namespace

std::vector<std::uint32_t> Groups::alike() const {
  std::vector<std::uint32_t> like(groups_.size());
  std::vector<std::uint32_t> first(colours_.size(), kNone);
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    like[c] = c;
    if (!groups_[c].used || kinds_[groups_[c].kind].groups == 1) continue;
    std::uint32_t& lowest = first[groups_[c].colour];
    if (lowest == kNone || communicators_[c].precedence < communicators_[lowest].precedence)
      lowest = c;
  }
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    if (groups_[c].used && kinds_[groups_[c].kind].groups > 1) like[c] = first[groups_[c].colour];
  }
  return like;
}

// Ranks of one class must know a group that they are all in by the same name.
bool Groups::used_in_two_ways(std::uint32_t number) {
  for (std::uint32_t m = 0; m < communicators_[number].members; ++m) {
    const std::uint64_t one = seen(number, m);
    std::uint64_t& known = scratch_.stamps[one >> 32];
    // What an earlier group has left there, or this one for another rank of the class.
    const std::uint64_t here = both(number, static_cast<std::uint32_t>(one));
    if (known >> 32 == number && known != here) return true;
    known = here;
  }
  return false;
}

bool Groups::set_apart(const std::vector<std::uint32_t>& representatives) {
  const std::vector<std::uint32_t> like = alike();
  std::vector<bool> conflict(groups_.size());
  std::vector<std::uint64_t> met(groups_.size(), kNotMet);  // by first of those alike
  for (const std::uint32_t rank : representatives) {
    for (const Slot& slot : slots(rank)) {
      if (!slot.found()) continue;
      const std::uint64_t here = both(rank, slot.group);
      std::uint64_t& known = met[like[slot.group]];
      if (known >> 32 == rank && known != here) conflict[like[slot.group]] = true;
      known = here;
    }
  }
  scratch_.stamps.assign(representatives.size(), kNotMet);
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    const Group& group = groups_[c];
    if (group.used && !group.uniform && used_in_two_ways(c)) conflict[like[c]] = true;
  }
  bool more = false;
  for (std::uint32_t c = 0; c < groups_.size(); ++c) {
    if (!conflict[like[c]] || groups_[c].apart || kinds_[groups_[c].kind].groups == 1) continue;
    groups_[c].apart = more = true;
  }
  return more;
}

}  // namespace orrery::sim
