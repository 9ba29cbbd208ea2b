// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/collective_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "orrery/core/text/units.h"
#include "orrery/graph/graph.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/record/make_run.h"
#include "orrery/synthesis/bounds/bounds.h"

namespace orrery::study {

namespace {

/// What switches can do in all-reduces; the bounds of other collectives do not depend on it. A
/// custom plan sends messages between ranks only (synthesis::lower_plan).
synthesis::SwitchCapability capability_of(const platform::CollectiveConfig& config) {
  const auto by_switches = [](const std::vector<platform::AlgorithmSpec>& algorithms) {
    return std::any_of(algorithms.begin(), algorithms.end(),
                       [](const auto& one) { return platform::entry(one.algorithm).by_switches; });
  };
  const platform::CollectivePlan& plan = config.all_reduce;
  const bool sums = by_switches(plan.per_dim) ||
                    std::any_of(plan.chosen.begin(), plan.chosen.end(),
                                [&](const auto& one) { return by_switches(one.per_dim); });
  return sums || config.library != platform::CollectiveLibrary::ideal
             ? synthesis::SwitchCapability::reduces
             : synthesis::SwitchCapability::forwards;
}

std::string words(const synthesis::Bound& bound) {
  if (bound.latency >= bound.bandwidth) return "the route between its farthest members";
  return fmt::format("{} ({})", bound.binding_cut.name,
                     format_bandwidth(Bandwidth(bound.binding_cut.capacity)));
}

}  // namespace

void set_chunk_choice_bounds(const platform::Platform& platform,
                             std::vector<sim::ChunkChoice>& choices) {
  if (platform.fabric == nullptr || choices.empty()) return;
  const auto fabric_state = synthesis::make_fabric_state(platform);
  if (!fabric_state) return;
  const auto in_network = capability_of(platform.collectives);
  std::vector<std::uint32_t> all(static_cast<std::size_t>(platform.npu_count()));
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = 0; i < std::min(choices.size(), kMaxBounds); ++i) {
    sim::ChunkChoice& choice = choices[i];
    const auto type = collective_type(choice.type);
    if (!type || choice.members < 2 || choice.members != all.size()) continue;
    const auto bound =
        synthesis::lower_bound_of(*fabric_state, {*type, choice.bytes, all, 0, in_network});
    if (!bound) continue;
    choice.bound = bound->total;
    choice.limit_text = words(*bound);
  }
}

void set_bounds(const graph::Workload& workload, const platform::Platform& platform,
                result::Run& run) {
  if (platform.fabric == nullptr) return;
  for (result::Collective& one : run.collectives) {
    one.bound.reset();
    one.bound_by.clear();
  }
  const auto fabric_state = synthesis::make_fabric_state(platform);
  if (!fabric_state) return;
  const auto in_network = capability_of(platform.collectives);
  std::map<std::tuple<std::uint32_t, std::string, std::int64_t>, std::optional<synthesis::Bound>>
      known;
  for (result::Collective& one : run.collectives) {
    const auto type = collective_type(one.type);
    if (!one.joined || !type || *type == CollectiveType::barrier || one.members < 2 ||
        one.bytes.count() == 0)
      continue;
    if (record::carries_tokens(workload, run, one)) continue;
    const std::tuple key{one.group, one.type, one.bytes.count()};
    auto found = known.find(key);
    if (found == known.end()) {
      if (known.size() == kMaxBounds) continue;
      found = known.emplace(key, std::nullopt).first;
      std::vector<std::uint32_t> ranks = run.groups[one.group].ranks;
      std::sort(ranks.begin(), ranks.end());
      if (auto made = synthesis::lower_bound_of(
              *fabric_state, {*type, one.bytes, std::move(ranks), 0, in_network}))
        found->second = *std::move(made);
    }
    if (!found->second) continue;
    one.bound = found->second->total;
    one.bound_by = words(*found->second);
  }
}

}  // namespace orrery::study
