// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "orrery/record/record_internal.h"
#include "orrery/sim/memory_curve.h"

namespace orrery::record {

result::MemoryCurve memory_curve(const Source& source, std::uint32_t rank, result::Names& names) {
  const graph::Graph& graph = source.workload.graph(rank);
  const auto when = [&](graph::NodeId node) -> std::optional<std::pair<Time, Time>> {
    const sim::NodeTimes& times = source.recording.at(rank, node);
    if (times.start < 0 || times.end < 0) return std::nullopt;
    return std::pair{Time(times.start), Time(times.end)};
  };
  result::MemoryCurve curve;
  auto held = sim::held_memory(graph, when);
  if (!held) return curve;
  curve.points = std::move(held->points);
  curve.peak = held->peak;
  curve.peak_at = held->peak_at;
  std::sort(held->at_peak.begin(), held->at_peak.end(), [&](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second
                                : graph.string(a.first) < graph.string(b.first);
  });
  for (const auto& [name, size] : held->at_peak) {
    if (curve.at_peak.size() == result::MemoryCurve::kHeldTensors) break;
    curve.at_peak.push_back({names.intern(graph.string(name)), size});
  }
  return curve;
}

}  // namespace orrery::record
