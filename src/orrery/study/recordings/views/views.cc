// SPDX-License-Identifier: Apache-2.0
//
// The builders of all views.
#include <algorithm>
#include <array>

#include "orrery/study/recordings/views/builders.h"
#include "orrery/study/recordings/views/view_builder.h"

namespace orrery::study {

namespace {

using MakeBuilder = std::unique_ptr<ViewBuilder> (*)();

// In the order of kTraceViews.
constexpr std::array<MakeBuilder, kTraceViews.size()> kBuilders{
    operators_view, modules_view, gemms_view,     categories_view, collectives_view,
    launches_view,  idle_view,    sequences_view, ranges_view,     memory_view};

}  // namespace

std::vector<std::string_view> trace_view_names() {
  std::vector<std::string_view> names;
  for (const TraceViewEntry& one : kTraceViews) names.push_back(one.name);
  names.push_back(kAllViews);
  return names;
}

std::vector<std::unique_ptr<ViewBuilder>> view_builders(std::span<const std::string> names) {
  const auto named = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::unique_ptr<ViewBuilder>> builders;
  for (std::size_t v = 0; v < kTraceViews.size(); ++v)
    if (named(kTraceViews[v].name) || named(kAllViews)) builders.push_back(kBuilders[v]());
  return builders;
}

}  // namespace orrery::study
