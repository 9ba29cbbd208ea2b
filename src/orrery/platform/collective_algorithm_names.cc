// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/collective_algorithm_names.h"

#include <fmt/format.h>

namespace orrery::platform {
namespace {

std::vector<AlgorithmName> make_names(bool astra_names) {
  std::vector<AlgorithmName> all;
  for (const bool joined : {false, true}) {
    for (const AlgorithmEntry& one : kAlgorithms) {
      std::string name(astra_names ? joined ? one.astra_joined : one.astra : one.name);
      if (!astra_names && joined)
        name = one.joins ? fmt::format("{}{}", kJoinedPrefix, one.name) : "";
      if (!name.empty()) all.push_back({std::move(name), {one.algorithm, -1, joined}});
    }
  }
  return all;
}

}  // namespace

const std::vector<AlgorithmName>& algorithm_names(bool astra_names) {
  static const std::array all{make_names(false), make_names(true)};
  return all[astra_names ? 1 : 0];
}

std::vector<std::string_view> window_names(bool astra_names) {
  std::vector<std::string_view> all;
  for (const AlgorithmName& one : algorithm_names(astra_names))
    if (entry(one.spec.algorithm).window) all.emplace_back(one.name);
  return all;
}

std::string write_algorithm(const AlgorithmSpec& spec) {
  const std::string name =
      fmt::format("{}{}", spec.joined ? kJoinedPrefix : "", entry(spec.algorithm).name);
  return spec.window < 0 ? name : fmt::format("{}:{}", name, spec.window);
}

}  // namespace orrery::platform
