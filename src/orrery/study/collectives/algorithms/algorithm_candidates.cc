// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/collectives/algorithms/algorithm_candidates.h"

#include <algorithm>
#include <bit>
#include <set>

#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::study {

using graph::CollectiveType;
using platform::Platform;

namespace {

/// Whether `asked` holds for any algorithm named in `labels`.
bool any_algorithm(std::string_view labels, bool (*asked)(const platform::AlgorithmSpec&)) {
  for (std::size_t first = 0; first <= labels.size();) {
    const std::size_t end = std::min(labels.find(',', first), labels.size());
    const std::string_view label = labels.substr(first, end - first);
    for (const platform::AlgorithmName& one : platform::algorithm_names())
      if (one.name == label.substr(0, label.find(':')) && asked(one.spec)) return true;
    first = end + 1;
  }
  return false;
}

}  // namespace

bool uses_switch_reduction(std::string_view labels) {
  return any_algorithm(labels,
                       [](const auto& one) { return platform::entry(one.algorithm).by_switches; });
}

bool is_single_ring(std::string_view labels) {
  return any_algorithm(labels, [](const auto& one) { return one.joined; });
}

std::vector<std::uint32_t> spans_of(const Platform& platform,
                                    std::span<const std::uint32_t> ranks) {
  std::vector<std::uint32_t> spans;
  std::uint32_t stride = 1;
  for (const platform::Dimension& dim : platform.dims) {
    std::set<std::uint32_t> coordinates;
    for (const std::uint32_t rank : ranks)
      coordinates.insert(rank / stride % static_cast<std::uint32_t>(dim.size));
    spans.push_back(static_cast<std::uint32_t>(coordinates.size()));
    stride *= static_cast<std::uint32_t>(dim.size);
  }
  return spans;
}

std::vector<std::string> algorithm_candidates(const Platform& platform, CollectiveType type,
                                              std::span<const std::uint32_t> ranks, bool tokens) {
  const bool exchange = type == CollectiveType::all_to_all;
  const bool switches = platform.fabric != nullptr && !platform.fabric->reducers.empty();
  std::vector<std::uint32_t> spans = spans_of(platform, ranks);
  std::uint64_t product = 1;
  for (const std::uint32_t span : spans) product *= span;
  if (product != ranks.size()) spans.clear();
  const auto wide =
      std::count_if(spans.begin(), spans.end(), [](std::uint32_t span) { return span > 1; });
  const auto tried = [&](const platform::AlgorithmEntry& one, std::size_t members) {
    return one.compared && platform::can_run(one, type) &&
           (!one.power_of_two || std::has_single_bit(members));
  };
  // Switches handle tokens over one tree, not dimension by dimension.
  const bool by_switches = !exchange || (tokens && wide == 1);
  std::vector<std::string> all;
  for (std::size_t d = 0; d < spans.size(); ++d) {
    std::vector<std::string> labels;
    for (const platform::AlgorithmEntry& one : platform::kAlgorithms) {
      const bool can =
          !one.by_switches || (by_switches && (platform.dims[d].in_network || switches));
      // One algorithm suffices for a dimension with one coordinate.
      const bool first = labels.empty();
      if (first || (spans[d] > 1 && can && tried(one, spans[d]))) labels.emplace_back(one.name);
    }
    std::vector<std::string> longer;
    for (const std::string& label : labels) {
      if (d == 0) longer.push_back(label);
      for (const std::string& before : all) longer.push_back(before + "," + label);
    }
    all = std::move(longer);
  }
  if (wide == 1) return all;
  for (const platform::AlgorithmEntry& one : platform::kAlgorithms) {
    if (!one.joins || !tried(one, ranks.size())) continue;
    if (one.by_switches && (!switches || (exchange && !tokens))) continue;
    all.push_back(platform::write_algorithm({one.algorithm, -1, true}));
  }
  return all;
}

}  // namespace orrery::study
