// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/time_provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "orrery/core/enum_names.h"

namespace orrery {

std::string_view name(TimeProvenance provenance) {
  constexpr auto kTimeProvenanceNames = enumerator_names<TimeProvenance::bound>(
      "recorded", "scaled", "interpolated", "extrapolated", "formula", "bound");
  return kTimeProvenanceNames[static_cast<std::size_t>(provenance)];
}

std::optional<TimeProvenance> time_provenance_named(std::string_view name) {
  for (std::size_t i = 0; i < kTimeProvenances; ++i)
    if (orrery::name(static_cast<TimeProvenance>(i)) == name) return static_cast<TimeProvenance>(i);
  return std::nullopt;
}

std::string provenance_text(const TimeByProvenance& time_by_provenance) {
  double sum = 0;
  std::vector<std::pair<double, TimeProvenance>> parts;
  for (std::size_t i = 0; i < kTimeProvenances; ++i) {
    const auto time = static_cast<double>(time_by_provenance[i].count());
    sum += time;
    if (time > 0) parts.emplace_back(time, static_cast<TimeProvenance>(i));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [time, provenance] : parts)
    if (time * 2000 >= sum)
      text += fmt::format("{}{} {:.1f} %", text.empty() ? "" : ", ", name(provenance),
                          100 * time / sum);
  return text;
}

}  // namespace orrery
