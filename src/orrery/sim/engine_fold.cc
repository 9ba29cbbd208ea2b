// SPDX-License-Identifier: Apache-2.0
//
// One rank is simulated for all that are alike: who stands for whom, and what a message to a rank
// is called by the one that stands for it.
#include <fmt/format.h>

#include <algorithm>

#include "orrery/sim/engine.h"
#include "orrery/sim/savings.h"

namespace orrery::sim {

Result<void> Engine::set_up_folding() {
  const std::uint32_t ranks = fabric_.rank_count();
  const std::string why_not = why_not_fold(workload_, platform_, options_);
  if (why_not.empty()) {
    auto folding = fold(workload_, platform_, fabric_, communicators_, planner_);
    if (!folding) return tl::unexpected(folding.error());
    folding_ = std::move(*folding);
    folded_ = folding_.classes() < ranks;
    if (!folded_ && folding_.why_not.empty()) folding_.why_not = "no two ranks are alike";
  } else {
    folding_.why_not = why_not;
  }
  result_.savings.representatives =
      folded_ ? static_cast<std::uint32_t>(folding_.classes()) : ranks;
  if (options_.fold) result_.savings.not_folded = folding_.why_not;
  if (!folded_) return {};
  guarded_ = astra();
  if (guarded_) expected_.resize(folding_.classes());
  set_up_slots();
  peers_.emplace(workload_);
  return {};
}

// That a job cannot finish, or goes wrong, is only told of a run of all ranks.
void Engine::doubt_folding() {
  std::uint64_t nodes = 0;
  for (std::uint32_t rank = 0; rank < states_.size(); ++rank)
    nodes += std::uint64_t{weight(rank)} * graph_of(rank).size();
  if (nodes <= options_.most_repeated) {
    fold_failed_ = "it cannot finish";
    return;
  }
  const auto stuck = std::find_if(states_.begin(), states_.end(),
                                  [](const RankState& state) { return !state.finished; });
  if (error_ || stuck == states_.end()) return;
  fail_run({Errc::limit_exceeded,
            fmt::format("rank {}", real(static_cast<std::uint32_t>(stuck - states_.begin()))),
            fmt::format("it cannot finish, nor can those that are like it, as it seems; to be sure "
                        "and to tell why, all {} nodes have to be simulated, which takes long",
                        nodes),
            "simulate every rank: --fold off"});
}

// By communicator that stands for others: which simulated ranks stand for its members.
void Engine::set_up_slots() {
  std::vector<std::uint32_t> slot_of(folding_.classes(), kNone);  // in the communicator at hand
  for (std::uint32_t c = 0; c < communicators_.all().size(); ++c) {
    if (folding_.group_like[c] != c)
      communicators_[folding_.group_like[c]].stands_for_several = true;
    if (folding_.group_like[c] != c) continue;
    Communicator& group = communicators_[c];
    group.slots.resize(group.members);
    for (std::uint32_t m = 0; m < group.members; ++m) {
      const std::uint32_t seat = folding_.class_of[rank_of(c, m)];
      if (slot_of[seat] != kNone) continue;
      slot_of[seat] = 0;
      group.seats.emplace_back(seat, m);
    }
    std::sort(group.seats.begin(), group.seats.end());
    for (std::uint32_t slot = 0; slot < group.seats.size(); ++slot)
      slot_of[group.seats[slot].first] = slot;
    for (std::uint32_t m = 0; m < group.members; ++m)
      group.slots[m] = slot_of[folding_.class_of[rank_of(c, m)]];
    for (const auto& seat : group.seats) slot_of[seat.first] = kNone;
  }
}

std::uint32_t Engine::member_of(const Communicator& group, std::uint32_t rank) const {
  if (group.slots.empty()) return group.member(rank);
  const auto found = std::lower_bound(group.seats.begin(), group.seats.end(),
                                      std::pair<std::uint32_t, std::uint32_t>{rank, 0});
  return found->second;
}

// The receiver's representative waits for a message from another rank than `key.src`: from the one
// in the same place of its own list of peers. A receiver that never mentions the sender will never
// ask: then the sender's number is moved out of the way of all others.
MessageKey Engine::as_received(const MessageKey& key) const {
  if (!folded_) return key;
  const std::uint32_t stands_for = folding_.representative[folding_.class_of[key.dst]];
  if (stands_for == key.dst) return key;
  MessageKey received = key;
  received.dst = stands_for;
  const std::uint32_t place = peers_->place(key.dst, key.src);
  received.src = place == kNone ? key.src + fabric_.rank_count() : peers_->at(stands_for, place);
  return received;
}

}  // namespace orrery::sim
