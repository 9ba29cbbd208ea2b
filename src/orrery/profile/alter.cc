// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/alter.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace orrery::profile {
namespace {

/// The factor for kernels of each name.
class Factors {
 public:
  Factors(const Profile& profile, const Scales& scales) : profile_(profile), scales_(scales) {}

  [[nodiscard]] double of(EventId e) {
    const Event& event = profile_.events[e];
    if (is_host(event.kind)) return scales_.host;
    if (const double* named = by_name(event.name)) return *named;
    if (event.kind == Kind::memcpy || event.kind == Kind::memset) return scales_.copies;
    const bool communicates =
        profile_.comm(e) != nullptr || is_comm_kernel(profile_.string(event.name));
    return communicates ? scales_.communication : scales_.kernels;
  }

 private:
  const double* by_name(StringId name) {
    if (scales_.named.empty()) return nullptr;
    const auto [known, added] = named_.try_emplace(static_cast<std::uint32_t>(name), nullptr);
    if (added) {
      const std::string_view text = profile_.string(name);
      for (const auto& [part, factor] : scales_.named) {
        if (text.find(part) == std::string_view::npos) continue;
        known->second = &factor;
        break;
      }
    }
    return known->second;
  }

  const Profile& profile_;
  const Scales& scales_;
  std::unordered_map<std::uint32_t, const double*> named_;
};

constexpr Time kLaunch = us(20);

}  // namespace

void scale(const Profile& profile, Dependencies& dependencies, const Scales& scales) {
  if (!scales.any()) return;
  if (dependencies.recorded_cost.empty()) dependencies.recorded_cost = dependencies.cost;
  Factors factors(profile, scales);
  for (std::size_t node = 0; node < dependencies.nodes.size(); ++node) {
    const double factor = factors.of(dependencies.nodes[node]);
    if (factor == 1) continue;
    constexpr double kMost = 4.6e18;
    const double scaled = std::round(static_cast<double>(dependencies.cost[node].count()) * factor);
    dependencies.cost[node] = Time(static_cast<std::int64_t>(std::min(scaled, kMost)));
  }
}

void leave_out(const Profile& profile, Dependencies& dependencies, const LeaveOut& what) {
  if (what.think_time && dependencies.recorded_cost.empty())
    dependencies.recorded_cost = dependencies.cost;
  std::uint32_t kept = 0;
  for (std::uint32_t node = 0; node < dependencies.nodes.size(); ++node) {
    const std::uint32_t first = dependencies.first[node];
    dependencies.first[node] = kept;
    for (std::uint32_t i = first; i < dependencies.first[node + 1]; ++i) {
      Dependency edge = dependencies.edges[i];
      const bool across =
          edge.kind == DependencyKind::stream_wait || edge.kind == DependencyKind::learned;
      if (what.across_streams && across) continue;
      if (what.between_threads && edge.kind == DependencyKind::inter_thread) continue;
      const bool launch = edge.kind == DependencyKind::launch && edge.lag <= kLaunch;
      if (what.lags || (what.launch_latency && launch)) edge.lag = Time{};
      dependencies.edges[kept++] = edge;
    }
    const Event& event = profile.events[dependencies.nodes[node]];
    if (what.think_time && is_host(event.kind) && event.timed()) {
      const Time within = std::max(Time{}, dependencies.end[node] - event.start);
      dependencies.cost[node] = std::min(dependencies.cost[node], within);
    }
  }
  dependencies.first.back() = kept;
  dependencies.edges.resize(kept);
}

}  // namespace orrery::profile
