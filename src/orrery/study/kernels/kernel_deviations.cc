// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/kernel_deviations.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "orrery/graph/transform/durations.h"
#include "orrery/sim/engine/state/rank_deviations.h"

namespace orrery::study {
namespace {

using platform::Deviation;

/// The kernels of one deviation, and which of them matched a node.
class Kernels {
 public:
  Kernels(const std::vector<Deviation::Kernel>& kernels, std::int64_t tick)
      : kernels_(kernels), met_(kernels.size(), false), tick_(tick) {}

  /// Returns null if nothing changes.
  [[nodiscard]] graph::GraphRef changed(const graph::Graph& graph) {
    std::vector<Time> durations;
    std::unordered_map<std::string_view, std::size_t> known;
    for (graph::NodeId node = 0; node < graph.size(); ++node) {
      const Time was = graph.duration(node);
      if (was <= Time{} || graph.has(node, graph::kIsWait) ||
          (graph.is_cpu(node) && graph.has_device()))
        continue;
      const std::string_view name = graph.name(node);
      const auto [found, added] = known.try_emplace(name, kernels_.size());
      if (added) found->second = first_of(name);
      if (found->second == kernels_.size()) continue;
      met_[found->second] = true;
      if (durations.empty()) durations = graph::durations_of(graph);
      durations[node] = sim::scaled(was, kernels_[found->second].time, tick_);
    }
    graph.release();
    if (durations.empty()) return nullptr;
    return graph::with_durations(graph, durations);
  }

  void report(std::size_t deviation, Findings& findings) const {
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (met_[i]) continue;
      findings.add(FindingCode::key_without_effect, fmt::format("/deviations/{}/kernels/{}: \"{}\"",
                                                                deviation, i, kernels_[i].name));
    }
  }

 private:
  [[nodiscard]] std::size_t first_of(std::string_view name) const {
    const auto found = std::find_if(
        kernels_.begin(), kernels_.end(),
        [&](const Deviation::Kernel& k) { return name.find(k.name) != std::string_view::npos; });
    return static_cast<std::size_t>(found - kernels_.begin());
  }
  const std::vector<Deviation::Kernel>& kernels_;
  std::vector<bool> met_;
  std::int64_t tick_;
};

}  // namespace

bool has_kernel_deviations(const platform::Platform& platform) {
  return std::any_of(platform.deviations.begin(), platform.deviations.end(),
                     [](const Deviation& deviation) { return !deviation.kernels.empty(); });
}

graph::Workload with_kernel_deviations(const graph::Workload& workload,
                                       const platform::Platform& platform, Findings& findings) {
  graph::Workload made = workload;
  const std::int64_t tick = platform.rules == platform::Rules::astra ? kPsPerNs : 1;
  for (std::size_t i = 0; i < platform.deviations.size(); ++i) {
    const Deviation& deviation = platform.deviations[i];
    if (deviation.kernels.empty()) continue;
    Kernels kernels(deviation.kernels, tick);
    made = graph::with_graphs_of(made, deviation.ranks,
                                 [&](const graph::Graph& graph) { return kernels.changed(graph); });
    kernels.report(i, findings);
  }
  return made;
}

}  // namespace orrery::study
