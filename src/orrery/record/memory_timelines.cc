// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "orrery/record/make_run_internal.h"
#include "orrery/sim/observe/tensor_memory_curve.h"

namespace orrery::record {

namespace {

/// The start of the segment: that of its first computation or, without one, of its first node.
std::optional<Time> segment_start(const RecordingSource& source, std::uint32_t rank,
                                  const graph::HeldMemory::Segment& segment) {
  const graph::Graph& graph = source.workload.graph(rank);
  std::optional<Time> computes, any;
  for (graph::NodeId node = segment.first; node < segment.end && node < graph.size(); ++node) {
    const std::int64_t start = source.recording.at(rank, node).start;
    if (start < 0) continue;
    any = any ? std::min(*any, Time(start)) : Time(start);
    if (graph.kind(node) != graph::NodeKind::comp) continue;
    computes = computes ? std::min(*computes, Time(start)) : Time(start);
  }
  return computes ? computes : any;
}

/// Each segment lasts until the next one begins. Segments keep their order; of several that begin
/// at the same time, the one with the most memory counts.
result::MemoryCurve curve_from_segments(const RecordingSource& source, std::uint32_t rank,
                                        result::Names& names) {
  const graph::HeldMemory& held = source.held[source.workload.graph_of_rank[rank]];
  result::MemoryCurve curve;
  if (held.segments.empty()) return curve;
  curve.role = names.intern(held.role);
  curve.points.emplace_back(Time{}, held.constant);
  for (const graph::HeldMemory::Segment& segment : held.segments) {
    const std::optional<Time> begins = segment_start(source, rank, segment);
    if (!begins) continue;  // it never ran
    auto& [at, bytes] = curve.points.back();
    if (*begins <= at) {
      bytes = std::max(bytes, segment.bytes);
    } else if (segment.bytes != bytes) {
      curve.points.emplace_back(*begins, segment.bytes);
    }
  }
  for (const auto& [at, bytes] : curve.points) {
    if (bytes <= curve.peak) continue;
    curve.peak = bytes;
    curve.peak_at = at;
  }
  Bytes all{};
  for (const graph::HeldMemory::Tensor& item : held.at_peak) all += item.bytes;
  if (all != curve.peak) return curve;  // the run stalled before the peak
  for (const graph::HeldMemory::Tensor& item : held.at_peak) {
    if (curve.at_peak.size() == result::MemoryCurve::kHeldTensors) break;
    curve.at_peak.push_back({names.intern(item.name), item.bytes, names.intern(item.kind)});
  }
  return curve;
}

}  // namespace

result::MemoryCurve memory_curve(const RecordingSource& source, std::uint32_t rank,
                                 result::Names& names) {
  const graph::Graph& graph = source.workload.graph(rank);
  const auto when = [&](graph::NodeId node) -> std::optional<std::pair<Time, Time>> {
    const sim::NodeTimes& times = source.recording.at(rank, node);
    if (times.start < 0 || times.end < 0) return std::nullopt;
    return std::pair{Time(times.start), Time(times.end)};
  };
  result::MemoryCurve curve;
  auto held = sim::tensor_memory_curve(graph, when);
  if (!held) return source.held.empty() ? curve : curve_from_segments(source, rank, names);
  curve.points = std::move(held->points);
  curve.peak = held->peak;
  curve.peak_at = held->peak_at;
  std::sort(held->at_peak.begin(), held->at_peak.end(), [&](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second
                                : graph.string(a.first) < graph.string(b.first);
  });
  for (const auto& [name, size] : held->at_peak) {
    if (curve.at_peak.size() == result::MemoryCurve::kHeldTensors) break;
    curve.at_peak.push_back({names.intern(graph.string(name)), size, 0});
  }
  return curve;
}

result::RemoteMemory remote_memory(const RecordingSource& source) {
  result::RemoteMemory made;
  if (source.recording.memory.empty()) return made;
  made.bin = Time(source.recording.memory_bin);
  for (std::size_t i = 0; i < source.recording.memory.size(); ++i) {
    const sim::MemoryLevel& level = source.sim.memory[i];
    const sim::RecordedLevel& over_time = source.recording.memory[i];
    made.levels.push_back({.name = level.name,
                           .capacity = Bandwidth(level.capacity),
                           .half_duplex = level.half_duplex,
                           .loaded = level.loaded,
                           .stored = level.stored,
                           .loads = over_time.loads,
                           .stores = over_time.stores});
  }
  return made;
}

}  // namespace orrery::record
