// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/footing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace orrery {

std::string_view name(Footing footing) {
  switch (footing) {
    case Footing::recorded:
      return "recorded";
    case Footing::scaled:
      return "scaled";
    case Footing::interpolated:
      return "interpolated";
    case Footing::extrapolated:
      return "extrapolated";
    case Footing::formula:
      return "formula";
    case Footing::bound:
      return "bound";
  }
  return "";
}

std::optional<Footing> footing_of(std::string_view name) {
  for (std::size_t i = 0; i < kFootings; ++i)
    if (orrery::name(static_cast<Footing>(i)) == name) return static_cast<Footing>(i);
  return std::nullopt;
}

std::string footings_text(const Footings& footings) {
  double sum = 0;
  std::vector<std::pair<double, Footing>> parts;
  for (std::size_t i = 0; i < kFootings; ++i) {
    const auto time = static_cast<double>(footings[i].count());
    sum += time;
    if (time > 0) parts.emplace_back(time, static_cast<Footing>(i));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [time, footing] : parts)
    if (time * 2000 >= sum)
      text +=
          fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", name(footing), 100 * time / sum);
  return text;
}

}  // namespace orrery
