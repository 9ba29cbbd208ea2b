// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/recordings/simulated_durations.h"

#include <algorithm>

#include "orrery/core/check.h"
#include "orrery/graph/stragglers/peer_levels.h"
#include "orrery/graph/transform/durations.h"

namespace orrery::study {

graph::Workload with_simulated_times(const graph::Workload& workload,
                                     const sim::SimResult& result) {
  ORRERY_CHECK(result.recording != nullptr);
  std::vector<std::vector<Time>> durations;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const graph::Graph& graph = workload.graph(rank);
    std::vector<Time>& own = durations.emplace_back(graph.size());
    for (graph::NodeId n = 0; n < graph.size(); ++n) {
      const sim::NodeTimes& times = result.recording->at(rank, n);
      const bool works =
          graph.kind(n) != graph::NodeKind::metadata && graph.kind(n) != graph::NodeKind::invalid;
      if (times.start < 0 || times.end < 0) continue;
      own[n] = Time(times.end - times.start);
      // A node without a duration counts as not measured.
      if (works) own[n] = std::max(own[n], graph::kMinimumDuration);
    }
  }
  graph::Workload made = graph::with_times(workload, durations);
  made.recorded_duration = result.end;
  return made;
}

}  // namespace orrery::study
