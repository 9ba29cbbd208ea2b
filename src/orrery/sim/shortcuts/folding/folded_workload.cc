// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/folded_workload.h"

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/sim/shortcuts/shortcut_rules.h"

namespace orrery::sim {

namespace {

// Sets the representatives of `group`. `representative_of`: scratch by simulated rank, kNone before
// and after.
void set_representatives(Communicator& group, const std::vector<std::uint32_t>& class_of,
                         std::vector<std::uint32_t>& representative_of) {
  if (representative_of.size() == 1 && group.members > 0) {  // all ranks are equivalent
    group.representatives.push_back({0, 0});
    return;
  }
  group.representative_of.resize(group.members);
  std::uint32_t* const representatives = group.representative_of.data();
  const std::uint32_t* const ranks = group.ranks.empty() ? nullptr : group.ranks.data();
  for (std::uint32_t m = 0; m < group.members; ++m) {
    const std::uint32_t rank = class_of[ranks == nullptr ? m : ranks[m]];
    representatives[m] = rank;
    if (representative_of[rank] != kNone) continue;
    representative_of[rank] = 0;
    group.representatives.push_back({rank, m});
  }
  std::sort(group.representatives.begin(), group.representatives.end());
  for (std::uint32_t representative = 0; representative < group.representatives.size();
       ++representative)
    representative_of[group.representatives[representative].rank] = representative;
  for (std::uint32_t m = 0; m < group.members; ++m)
    representatives[m] = representative_of[representatives[m]];
  for (const Representative& representative : group.representatives)
    representative_of[representative.rank] = kNone;
}

}  // namespace

FoldedWorkload::FoldedWorkload(Folding folding, Communicators& communicators)
    : ranks_(static_cast<std::uint32_t>(folding.classes())) {
  if (ranks_ == folding.class_of.size()) return;
  folding_ = std::move(folding);
  std::vector<std::uint32_t> representative_of(ranks_, kNone);
  for (std::uint32_t c = 0; c < folding_.representative_group.size(); ++c) {
    if (folding_.representative_group[c] == c)
      set_representatives(communicators[c], folding_.class_of, representative_of);
  }
}

FoldedRoute FoldedWorkload::find_route(std::uint32_t rank, std::uint32_t peer) const {
  const auto begin =
      folding_.routes.begin() + static_cast<std::ptrdiff_t>(folding_.first_route[rank]);
  const auto end =
      folding_.routes.begin() + static_cast<std::ptrdiff_t>(folding_.first_route[rank + 1]);
  const auto found = std::lower_bound(
      begin, end, peer,
      [](const FoldedRoute& route, std::uint32_t named) { return route.peer < named; });
  ORRERY_CHECK(found != end && found->peer == peer);
  return *found;
}

Result<std::uint32_t> unrecorded_representatives(const graph::Workload& workload,
                                                 const platform::Platform& platform,
                                                 const model::MultiDimFabric& fabric,
                                                 const model::Network& network, Options options,
                                                 const Communicators& communicators,
                                                 CollectivePlanner& planner) {
  // Estimates record the phases of chunks and do not show how they ran. Only recorded durations
  // remain: such a run sends no messages and never restarts, so the number is the one it has.
  if (!options.record || options.record_chunks || !platform.replay_only) return 0u;
  if (why_not_fold(workload, platform, network.traits(), options).empty()) return 0u;
  options.record = false;
  if (!why_not_fold(workload, platform, network.traits(), options).empty()) return 0u;
  auto folding = fold(workload, platform, fabric, network, communicators, planner);
  if (!folding) return tl::unexpected(folding.error());
  const auto classes = static_cast<std::uint32_t>(folding->classes());
  return classes < workload.rank_count() ? classes : 0u;
}

Result<FoldedWorkload> fold_workload(const graph::Workload& workload,
                                     const platform::Platform& platform,
                                     const model::MultiDimFabric& fabric,
                                     const model::Network& network, const Options& options,
                                     const LinkHints& hints, Communicators& communicators,
                                     CollectivePlanner& planner, Savings& savings) {
  const std::uint32_t ranks = workload.rank_count();
  std::string& why_not = savings.unfolded_reason;
  why_not = why_not_fold(workload, platform, network.traits(), options);
  if (!why_not.empty()) return FoldedWorkload(ranks);
  const bool by_dimension = options.record && network.traits().uncontended;
  auto folding =
      fold(workload, platform, fabric, network, communicators, planner, by_dimension, hints);
  if (!folding) return tl::unexpected(folding.error());
  if (folding->classes() == ranks)
    why_not = folding->why_not.empty() ? "no two ranks are equivalent" : folding->why_not;
  savings.inexact_representatives = folding->classes_without_links;
  return FoldedWorkload(std::move(*folding), communicators);
}

}  // namespace orrery::sim
