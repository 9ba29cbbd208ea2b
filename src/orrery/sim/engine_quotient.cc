// SPDX-License-Identifier: Apache-2.0
//
// What is run: the workload, or what stands for it; and what to do when that goes wrong.
#include <fmt/format.h>

#include <algorithm>

#include "orrery/sim/engine.h"

namespace orrery::sim {

Result<void> Engine::set_up_quotient() {
  std::string why_not;
  auto quotient = make_quotient(run_.workload, run_.platform, run_.fabric, run_.network,
                                run_.options, run_.communicators, planner_, why_not);
  if (!quotient) return tl::unexpected(quotient.error());
  run_.shared.quotient = std::move(*quotient);
  run_.result.savings.representatives = run_.quotient.ranks();
  if (run_.options.fold) run_.result.savings.not_folded = std::move(why_not);
  if (!run_.quotient.smaller()) return {};
  if (!run_.network.traits().uncontended)
    run_.network.fold(run_.quotient.class_of(), run_.quotient.weights(), run_.quotient.links());
  run_.guarded = run_.policy.first_come;
  guard_.set_up();
  return {};
}

// That a job cannot finish, or goes wrong, is only told of a run of all ranks.
void Engine::doubt_folding() {
  std::uint64_t nodes = 0;
  for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank)
    nodes += std::uint64_t{run_.weight(rank)} * run_.graph_of(rank).size();
  if (nodes <= run_.options.most_repeated) {
    run_.fold_failed = "it cannot finish";
    return;
  }
  const auto stuck = std::find_if(run_.shared.states.begin(), run_.shared.states.end(),
                                  [](const RankState& state) { return !state.finished; });
  if (run_.error || stuck == run_.shared.states.end()) return;
  run_.fail(
      {Errc::limit_exceeded,
       fmt::format("rank {}",
                   run_.real(static_cast<std::uint32_t>(stuck - run_.shared.states.begin()))),
       fmt::format("it cannot finish, nor can those that are like it, as it seems; to be sure "
                   "and to tell why, all {} nodes have to be simulated, which takes long",
                   nodes),
       "simulate every rank: --fold off"});
}

}  // namespace orrery::sim
