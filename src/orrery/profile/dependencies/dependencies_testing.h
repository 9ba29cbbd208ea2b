// SPDX-License-Identifier: Apache-2.0
//
// For tests: replays dependencies; each node runs as early as its dependencies allow.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "orrery/profile/dependencies/dependencies.h"

namespace orrery::profile {

struct Replay {
  std::vector<Time> end;  ///< by node
  bool acyclic = false;
  Time begin{}, total{};  ///< the begin of the profile; the latest end
};

inline Replay replay(const Profile& profile, const Dependencies& dependencies) {
  const std::size_t n = dependencies.nodes.size();
  Replay made;
  made.begin = n == 0 ? Time{} : kTimeMax;
  for (const EventId e : dependencies.nodes)
    if (profile.events[e].timed()) made.begin = std::min(made.begin, profile.events[e].start);
  if (made.begin == kTimeMax) made.begin = Time{};
  made.total = made.begin;
  made.end.assign(n, made.begin);
  std::vector<std::vector<std::pair<std::uint32_t, Time>>> later(n);
  std::vector<std::uint32_t> waiting(n), free;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (const Dependency& edge : dependencies.of(i))
      later[dependencies.node_of[edge.from]].emplace_back(i, edge.lag);
    waiting[i] = static_cast<std::uint32_t>(dependencies.of(i).size());
    if (waiting[i] == 0) free.push_back(i);
  }
  std::size_t done = 0;
  for (; !free.empty(); ++done) {
    const std::uint32_t i = free.back();
    free.pop_back();
    made.end[i] = std::max(made.end[i], made.begin + dependencies.start[i]) + dependencies.cost[i];
    made.total = std::max(made.total, made.end[i]);
    for (const auto& [next, lag] : later[i]) {
      made.end[next] = std::max(made.end[next], made.end[i] + lag);
      if (--waiting[next] == 0) free.push_back(next);
    }
  }
  made.acyclic = done == n;
  return made;
}

}  // namespace orrery::profile
