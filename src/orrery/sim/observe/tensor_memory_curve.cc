// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/tensor_memory_curve.h"

#include <algorithm>
#include <map>

namespace orrery::sim {

namespace {

struct Life {
  Time from = kTimeMax;
  Time until{};
  Bytes size{};
  bool written = false;
  bool read = false;
};

using Lives = std::map<StringId, Life>;

Lives lives_of(const graph::Graph& graph,
               const std::function<std::optional<std::pair<Time, Time>>(graph::NodeId)>& when) {
  Lives lives;
  for (graph::NodeId node = 0; node < graph.size(); ++node) {
    if (!graph.has(node, graph::kHasTensors)) continue;
    const auto ran = when(node);
    if (!ran) continue;
    for (const graph::TensorUse& use : graph.tensors(node)) {
      Life& life = lives[use.name];
      life.size = std::max(life.size, use.size);
      if (use.is_output) {
        life.written = true;
        life.from = std::min(life.from, ran->first);
      } else {
        life.read = true;
        life.until = std::max(life.until, ran->second);
      }
    }
  }
  for (auto& [name, life] : lives) {
    if (!life.written) life.from = Time{};
    if (!life.read) life.until = kTimeMax;
  }
  return lives;
}

}  // namespace

std::optional<TensorMemoryCurve> tensor_memory_curve(
    const graph::Graph& graph,
    const std::function<std::optional<std::pair<Time, Time>>(graph::NodeId)>& when) {
  const Lives lives = lives_of(graph, when);
  if (lives.empty()) return std::nullopt;
  std::vector<std::pair<Time, std::int64_t>> changes;
  for (const auto& [name, life] : lives) {
    changes.emplace_back(life.from, life.size.count());
    if (life.until != kTimeMax) changes.emplace_back(life.until, -life.size.count());
  }
  std::sort(changes.begin(), changes.end());  // at equal times, ends come first
  TensorMemoryCurve memory;
  std::int64_t held = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    held += changes[i].second;
    if (Bytes(held) > memory.peak) {
      memory.peak = Bytes(held);
      memory.peak_at = changes[i].first;
    }
    const bool last = i + 1 == changes.size() || changes[i + 1].first != changes[i].first;
    const bool same = !memory.points.empty() && memory.points.back().second == Bytes(held);
    if (last && !same) memory.points.emplace_back(changes[i].first, Bytes(held));
  }
  for (const auto& [name, life] : lives) {
    if (life.from <= memory.peak_at && life.until > memory.peak_at)
      memory.at_peak.emplace_back(name, life.size);
  }
  return memory;
}

}  // namespace orrery::sim
