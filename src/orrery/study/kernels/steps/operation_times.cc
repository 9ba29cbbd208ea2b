// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/steps/operation_times.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "orrery/study/kernels/steps/step_kernels.h"
#include "orrery/study/questions/inputs/recorded_traces.h"

namespace orrery::study {
namespace {

using Times = std::array<Time, graph::kOperations>;

Times predicted_times(const StepKernels& step) {
  Times made{};
  for (const StepKernel& one : step.kernels)
    if (one.each)
      made[static_cast<std::size_t>(one.kernel.operation)] +=
          Time(one.each->time.count() * static_cast<std::int64_t>(one.nodes));
  return made;
}

Times recorded_times(const graph::Graph& graph) {
  Times made{};
  for (graph::NodeId n = 0; n < graph.size(); ++n)
    if (const graph::KernelId id = graph.kernel(n); id != graph::kNoKernel)
      made[static_cast<std::size_t>((*graph.kernels())[id].operation)] += graph.duration(n);
  return made;
}

}  // namespace

Result<std::vector<OperationTime>> compare_operation_times(const RecordedTraces& recorded,
                                                           Time step,
                                                           const workload::Program& program,
                                                           const Cluster& cluster, Watch& watch) {
  Question question;
  question.recorded = recorded;
  auto workload = read_recorded_workload(question, 0, watch);
  if (!workload) return tl::unexpected(workload.error());
  const Time all = workload->recorded_duration.value_or(step);
  const auto steps = std::max<std::int64_t>(
      1, std::llround(static_cast<double>(all.count()) / static_cast<double>(step.count())));
  return compare_operation_times(workload->graph(0), steps, program, cluster);
}

std::vector<OperationTime> compare_operation_times(const graph::Graph& recorded, std::int64_t steps,
                                                   const workload::Program& program,
                                                   const Cluster& cluster) {
  const Times was = recorded_times(recorded);
  const Times predicted = predicted_times(step_kernels(program, cluster));
  std::vector<OperationTime> made;
  for (std::size_t i = 1; i < graph::kOperations; ++i)
    if (was[i] > Time{} && predicted[i] > Time{})
      made.push_back(
          {static_cast<graph::Operation>(i), Time(was[i].count() / steps), predicted[i]});
  std::stable_sort(made.begin(), made.end(),
                   [](const auto& a, const auto& b) { return a.recorded > b.recorded; });
  return made;
}

}  // namespace orrery::study
