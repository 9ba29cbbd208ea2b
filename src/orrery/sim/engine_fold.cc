// SPDX-License-Identifier: Apache-2.0
//
// One rank is simulated for all that are alike: who stands for whom, and what a message to a rank
// is called by the one that stands for it.
#include <fmt/format.h>

#include <algorithm>

#include "orrery/sim/engine.h"
#include "orrery/sim/savings.h"

namespace orrery::sim {

namespace {

// Which simulated ranks stand for a communicator's members. `slot_of`, by simulated rank, is kNone
// everywhere, and is so again afterwards.
void set_up_slots(Communicator& group, const std::vector<std::uint32_t>& class_of,
                  std::vector<std::uint32_t>& slot_of) {
  group.slots.resize(group.members);
  if (slot_of.size() == 1 && group.members > 0) {  // all are alike
    group.seats.emplace_back(0, 0);
    return;
  }
  std::uint32_t* const slots = group.slots.data();
  const std::uint32_t* const ranks = group.ranks.empty() ? nullptr : group.ranks.data();
  for (std::uint32_t m = 0; m < group.members; ++m) {
    const std::uint32_t seat = class_of[ranks == nullptr ? m : ranks[m]];
    slots[m] = seat;
    if (slot_of[seat] != kNone) continue;
    slot_of[seat] = 0;
    group.seats.emplace_back(seat, m);
  }
  std::sort(group.seats.begin(), group.seats.end());
  for (std::uint32_t slot = 0; slot < group.seats.size(); ++slot)
    slot_of[group.seats[slot].first] = slot;
  for (std::uint32_t m = 0; m < group.members; ++m) slots[m] = slot_of[slots[m]];
  for (const auto& seat : group.seats) slot_of[seat.first] = kNone;
}

// By communicator that stands for others.
void set_up_slots(Run& run) {
  const Folding& folding = run.ground.folding;
  std::vector<std::uint32_t> slot_of(folding.classes(), kNone);
  for (std::uint32_t c = 0; c < run.communicators.all().size(); ++c) {
    if (folding.group_like[c] == c) set_up_slots(run.communicators[c], folding.class_of, slot_of);
  }
}

}  // namespace

Result<void> Engine::set_up_folding() {
  const std::uint32_t ranks = run_.fabric.rank_count();
  const std::string why_not =
      why_not_fold(run_.workload, run_.platform, run_.network.traits(), run_.options);
  if (why_not.empty()) {
    auto folding =
        fold(run_.workload, run_.platform, run_.fabric, run_.network, run_.communicators, planner_);
    if (!folding) return tl::unexpected(folding.error());
    run_.ground.folding = std::move(*folding);
    run_.folded = run_.ground.folding.classes() < ranks;
    if (!run_.folded && run_.ground.folding.why_not.empty())
      run_.ground.folding.why_not = "no two ranks are alike";
  } else {
    run_.ground.folding.why_not = why_not;
  }
  run_.result.savings.representatives =
      run_.folded ? static_cast<std::uint32_t>(run_.ground.folding.classes()) : ranks;
  if (run_.options.fold) run_.result.savings.not_folded = run_.ground.folding.why_not;
  if (!run_.folded) return {};
  if (!run_.network.traits().uncontended)
    run_.network.fold(run_.ground.folding.class_of, run_.ground.folding.members);
  run_.guarded = run_.policy.first_come;
  guard_.set_up();
  set_up_slots(run_);
  run_.ground.peers.emplace(run_.workload);
  return {};
}

// That a job cannot finish, or goes wrong, is only told of a run of all ranks.
void Engine::doubt_folding() {
  std::uint64_t nodes = 0;
  for (std::uint32_t rank = 0; rank < run_.ground.states.size(); ++rank)
    nodes += std::uint64_t{run_.weight(rank)} * run_.graph_of(rank).size();
  if (nodes <= run_.options.most_repeated) {
    run_.fold_failed = "it cannot finish";
    return;
  }
  const auto stuck = std::find_if(run_.ground.states.begin(), run_.ground.states.end(),
                                  [](const RankState& state) { return !state.finished; });
  if (run_.error || stuck == run_.ground.states.end()) return;
  run_.fail(
      {Errc::limit_exceeded,
       fmt::format("rank {}",
                   run_.real(static_cast<std::uint32_t>(stuck - run_.ground.states.begin()))),
       fmt::format("it cannot finish, nor can those that are like it, as it seems; to be sure "
                   "and to tell why, all {} nodes have to be simulated, which takes long",
                   nodes),
       "simulate every rank: --fold off"});
}

}  // namespace orrery::sim
