// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/run_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>

#include "orrery/core/units.h"
#include "orrery/graph/graph.h"
#include "orrery/platform/cluster.h"
#include "orrery/record/record.h"
#include "orrery/synthesis/bounds.h"

namespace orrery::study {

namespace {

bool may_sum(const platform::CollectiveConfig& config) {
  const std::array plans{&config.all_reduce, &config.all_gather, &config.reduce_scatter};
  const bool planned =
      !config.custom_by_node.empty() ||
      std::any_of(plans.begin(), plans.end(), [](const platform::CollectivePlan* plan) {
        return !plan->custom_prefix.empty();
      });
  return planned || config.library != platform::CollectiveLibrary::ideal ||
         platform::uses_switches(config);
}

std::string words(const synthesis::Bound& bound) {
  if (bound.latency >= bound.bandwidth) return "the way of its farthest members";
  return fmt::format("{} ({})", bound.binds.name,
                     format_bandwidth(Bandwidth(bound.binds.capacity)));
}

}  // namespace

void set_choice_bounds(const platform::Platform& platform, std::vector<sim::ChunkChoice>& choices) {
  if (platform.fabric == nullptr || choices.empty()) return;
  const auto ground = synthesis::ground_of(platform);
  if (!ground) return;
  const auto in_network = may_sum(platform.collectives) ? synthesis::InNetwork::reduces
                                                        : synthesis::InNetwork::forwards;
  std::vector<std::uint32_t> all(static_cast<std::size_t>(platform.npu_count()));
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = 0; i < std::min(choices.size(), kMostBounds); ++i) {
    sim::ChunkChoice& choice = choices[i];
    const auto type = collective_type(choice.type);
    if (!type || choice.members < 2 || choice.members != all.size()) continue;
    const auto bound = synthesis::bound_of(*ground, {*type, choice.bytes, all, 0, in_network});
    if (!bound) continue;
    choice.bound = bound->total;
    choice.cut = words(*bound);
  }
}

void set_bounds(const graph::Workload& workload, const platform::Platform& platform,
                result::Run& run) {
  if (platform.fabric == nullptr) return;
  for (result::Collective& one : run.collectives) {
    one.bound.reset();
    one.bound_by.clear();
  }
  const auto ground = synthesis::ground_of(platform);
  if (!ground) return;
  const auto in_network = may_sum(platform.collectives) ? synthesis::InNetwork::reduces
                                                        : synthesis::InNetwork::forwards;
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
      if (known.size() == kMostBounds) continue;
      found = known.emplace(key, std::nullopt).first;
      std::vector<std::uint32_t> ranks = run.groups[one.group].ranks;
      std::sort(ranks.begin(), ranks.end());
      if (auto made =
              synthesis::bound_of(*ground, {*type, one.bytes, std::move(ranks), 0, in_network}))
        found->second = *std::move(made);
    }
    if (!found->second) continue;
    one.bound = found->second->total;
    one.bound_by = words(*found->second);
  }
}

}  // namespace orrery::study
