// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/shortcuts/folding/folded_workload.h"

#include <algorithm>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/sim/shortcuts/shortcut_rules.h"

namespace orrery::sim {

namespace {

// `player_of`, by simulated rank, is kNone everywhere, and is so again afterwards.
void cast(Communicator& group, const std::vector<std::uint32_t>& class_of,
          std::vector<std::uint32_t>& player_of) {
  group.player_of.resize(group.members);
  if (player_of.size() == 1 && group.members > 0) {  // all are alike
    group.players.push_back({0, 0});
    return;
  }
  std::uint32_t* const players = group.player_of.data();
  const std::uint32_t* const ranks = group.ranks.empty() ? nullptr : group.ranks.data();
  for (std::uint32_t m = 0; m < group.members; ++m) {
    const std::uint32_t rank = class_of[ranks == nullptr ? m : ranks[m]];
    players[m] = rank;
    if (player_of[rank] != kNone) continue;
    player_of[rank] = 0;
    group.players.push_back({rank, m});
  }
  std::sort(group.players.begin(), group.players.end());
  for (std::uint32_t player = 0; player < group.players.size(); ++player)
    player_of[group.players[player].rank] = player;
  for (std::uint32_t m = 0; m < group.members; ++m) players[m] = player_of[players[m]];
  for (const Player& player : group.players) player_of[player.rank] = kNone;
}

}  // namespace

FoldedWorkload::FoldedWorkload(Folding folding, Communicators& communicators)
    : ranks_(static_cast<std::uint32_t>(folding.classes())) {
  if (ranks_ == folding.class_of.size()) return;
  class_of_ = std::move(folding.class_of);
  real_ = std::move(folding.representative);
  weights_ = std::move(folding.members);
  representative_group_ = std::move(folding.representative_group);
  routes_ = std::move(folding.routes);
  first_route_ = std::move(folding.first_route);
  links_ = std::move(folding.links);
  std::vector<std::uint32_t> player_of(ranks_, kNone);
  for (std::uint32_t c = 0; c < representative_group_.size(); ++c) {
    if (representative_group_[c] == c) cast(communicators[c], class_of_, player_of);
  }
}

FoldedRoute FoldedWorkload::find_route(std::uint32_t rank, std::uint32_t peer) const {
  const auto begin = routes_.begin() + static_cast<std::ptrdiff_t>(first_route_[rank]);
  const auto end = routes_.begin() + static_cast<std::ptrdiff_t>(first_route_[rank + 1]);
  const auto found = std::lower_bound(
      begin, end, peer,
      [](const FoldedRoute& route, std::uint32_t named) { return route.peer < named; });
  ORRERY_CHECK(found != end && found->peer == peer);
  return *found;
}

Result<FoldedWorkload> fold_workload(const graph::Workload& workload,
                                     const platform::Platform& platform,
                                     const model::MultiDimFabric& fabric,
                                     const model::Network& network, const Options& options,
                                     Communicators& communicators, CollectivePlanner& planner,
                                     std::string& why_not) {
  const std::uint32_t ranks = workload.rank_count();
  why_not = why_not_fold(workload, platform, network.traits(), options);
  if (!why_not.empty()) return FoldedWorkload(ranks);
  auto folding = fold(workload, platform, fabric, network, communicators, planner);
  if (!folding) return tl::unexpected(folding.error());
  if (folding->classes() == ranks)
    why_not = folding->why_not.empty() ? "no two ranks are alike" : folding->why_not;
  return FoldedWorkload(std::move(*folding), communicators);
}

}  // namespace orrery::sim
