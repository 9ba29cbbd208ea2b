// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/memory_curve.h"

#include <algorithm>
#include <map>
#include <vector>

namespace orrery::sim {

namespace {

struct Life {
  Time from = kTimeMax;
  Time until{};
  Bytes size{};
  bool written = false;
  bool read = false;
};

}  // namespace

std::optional<Bytes> peak_memory(
    const graph::Graph& graph,
    const std::function<std::optional<std::pair<Time, Time>>(graph::NodeId)>& when) {
  std::map<StringId, Life> lives;
  for (graph::NodeId node = 0; node < graph.size(); ++node) {
    if (!graph.has(node, graph::kHasTensors)) continue;
    const auto ran = when(node);
    if (!ran) continue;
    for (const graph::TensorUse& use : graph.tensors(node)) {
      Life& life = lives[use.name];
      life.size = std::max(life.size, use.size);
      if (use.output) {
        life.written = true;
        life.from = std::min(life.from, ran->first);
      } else {
        life.read = true;
        life.until = std::max(life.until, ran->second);
      }
    }
  }
  if (lives.empty()) return std::nullopt;
  std::vector<std::pair<Time, std::int64_t>> changes;
  for (const auto& [name, life] : lives) {
    changes.emplace_back(life.written ? life.from : Time{}, life.size.count());
    if (life.read) changes.emplace_back(life.until, -life.size.count());
  }
  std::sort(changes.begin(), changes.end());  // at one time, what ends goes first
  std::int64_t held = 0;
  std::int64_t peak = 0;
  for (const auto& [time, change] : changes) {
    held += change;
    peak = std::max(peak, held);
  }
  return Bytes(peak);
}

}  // namespace orrery::sim
