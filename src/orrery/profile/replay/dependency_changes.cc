// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/replay/dependency_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

namespace orrery::profile {
namespace {

/// The cost factor of each event.
class Factors {
 public:
  Factors(const Profile& profile, const CostScales& scales) : profile_(profile), scales_(scales) {}

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
  const CostScales& scales_;
  std::unordered_map<std::uint32_t, const double*> named_;
};

constexpr Time kMaxLaunchLag = us(20);

Time scaled(Time time, double factor) {
  constexpr double kMost = 4.6e18;
  const double made = std::round(static_cast<double>(time.count()) * factor);
  return Time(static_cast<std::int64_t>(std::min(made, kMost)));
}

/// Scales the time of each work until a thread reads what it wrote, like the work.
void scale_polls(Dependencies& dependencies, Factors& factors) {
  for (PollWait& poll : dependencies.polls) {
    const double factor = factors.of(dependencies.nodes[poll.work]);
    const Time was = std::exchange(poll.progress, scaled(poll.progress, factor));
    for (std::uint32_t i = dependencies.first[poll.node]; i < dependencies.first[poll.node + 1];
         ++i) {
      Dependency& edge = dependencies.edges[i];
      if (edge.kind == DependencyKind::poll) edge.lag += poll.progress - was;
    }
  }
}

}  // namespace

void scale_costs(const Profile& profile, Dependencies& dependencies, const CostScales& scales) {
  if (!scales.any()) return;
  if (dependencies.recorded_cost.empty()) dependencies.recorded_cost = dependencies.cost;
  Factors factors(profile, scales);
  for (std::size_t node = 0; node < dependencies.nodes.size(); ++node) {
    const double factor = factors.of(dependencies.nodes[node]);
    if (factor == 1) continue;
    dependencies.cost[node] = scaled(dependencies.cost[node], factor);
  }
  scale_polls(dependencies, factors);
}

namespace {

/// Copies the edges of all nodes without the ignored ones.
class EdgeFilter {
 public:
  EdgeFilter(const Profile& profile, Dependencies& dependencies, const IgnoredDependencies& ignored)
      : profile_(profile), dependencies_(dependencies), ignored_(ignored) {}

  void apply() {
    std::vector<std::uint32_t> first(1, 0);
    for (std::uint32_t node = 0; node < dependencies_.nodes.size(); ++node) {
      for (const Dependency& edge : dependencies_.of(node)) keep(edge);
      if (ignored_.lanes) follow(node, first.back());
      first.push_back(static_cast<std::uint32_t>(edges_.size()));
    }
    dependencies_.first = std::move(first);
    dependencies_.edges = std::move(edges_);
  }

 private:
  void keep(Dependency edge) {
    const bool across =
        edge.kind == DependencyKind::stream_wait || edge.kind == DependencyKind::learned;
    if (ignored_.across_streams && across) return;
    if (ignored_.between_threads && edge.kind == DependencyKind::inter_thread) return;
    const bool launch = edge.kind == DependencyKind::launch && edge.lag <= kMaxLaunchLag;
    if (edge.kind != DependencyKind::poll && (ignored_.lags || (ignored_.launch_latency && launch)))
      edge.lag = Time{};
    edges_.push_back(edge);
  }

  /// Adds an edge from the previous work on the device, on any stream.
  void follow(std::uint32_t node, std::uint32_t first) {
    const EventId work = dependencies_.nodes[node];
    const Event& event = profile_.events[work];
    if (!is_device_work(event.kind)) return;
    const auto [last, added] = last_.try_emplace(profile_.lanes[event.lane].process, work);
    if (added) return;
    const EventId before = std::exchange(last->second, work);
    const bool known = std::any_of(edges_.begin() + first, edges_.end(),
                                   [&](const Dependency& edge) { return edge.from == before; });
    if (!known) edges_.push_back({before, DependencyKind::stream, true, Time{}});
  }

  const Profile& profile_;
  Dependencies& dependencies_;
  const IgnoredDependencies& ignored_;
  std::vector<Dependency> edges_;
  std::map<std::int64_t, EventId> last_;  // by device
};

void remove_host_gaps(const Profile& profile, Dependencies& dependencies) {
  if (dependencies.recorded_cost.empty()) dependencies.recorded_cost = dependencies.cost;
  for (std::uint32_t node = 0; node < dependencies.nodes.size(); ++node) {
    const Event& event = profile.events[dependencies.nodes[node]];
    if (!is_host(event.kind) || !event.timed()) continue;
    const Time within = std::max(Time{}, dependencies.end[node] - event.start);
    dependencies.cost[node] = std::min(dependencies.cost[node], within);
  }
}

}  // namespace

void ignore_dependencies(const Profile& profile, Dependencies& dependencies,
                         const IgnoredDependencies& ignored) {
  if (ignored.lanes || ignored.lags || ignored.launch_latency || ignored.across_streams ||
      ignored.between_threads)
    EdgeFilter(profile, dependencies, ignored).apply();
  if (ignored.think_time) remove_host_gaps(profile, dependencies);
}

}  // namespace orrery::profile
