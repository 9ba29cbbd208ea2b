// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/kernels/steps/step_kernels.h"

#include "orrery/model/compute/kernel_predictions.h"
#include "orrery/model/compute/roofline.h"
#include "orrery/workload/program/kernel_count.h"

namespace orrery::study {
namespace {

/// The time that simulations use for nodes that no kernel model predicts.
std::optional<model::TimeEstimate> roofline_of(const graph::Kernel& kernel,
                                               const platform::Platform& platform) {
  const platform::Device& device = platform.device;
  if (device.compute == TimeSource::recorded || device.peak.count() <= 0) return {};
  graph::Work work;
  work.num_ops = kernel.flops;
  work.tensor_size = Bytes(kernel.bytes);
  const auto time = model::roofline_time(work, device, platform.rules);
  if (!time) return std::nullopt;
  return model::TimeEstimate{*time, TimeSource::roofline};
}

}  // namespace

std::vector<std::optional<model::TimeEstimate>> times_in_step(const graph::KernelTable& kernels,
                                                              const Cluster& cluster) {
  const model::KernelPredictions predictions(cluster.platform.device, cluster.kernel_models());
  std::vector<std::optional<model::TimeEstimate>> made;
  for (graph::KernelId id = 0; id < kernels.size(); ++id) {
    const bool said = kernels[id].operation != graph::Operation::unsaid &&
                      cluster.platform.rules != platform::Rules::astra;
    const model::TimeEstimate* answer = said ? predictions.of(kernels, id) : nullptr;
    made.push_back(answer != nullptr ? std::optional(*answer)
                                     : roofline_of(kernels[id], cluster.platform));
  }
  return made;
}

StepKernels step_kernels(const workload::Program& program, const Cluster& cluster) {
  constexpr std::uint32_t kRole = 0;
  StepKernels made;
  made.role = program.roles[kRole].name;
  made.ranks = program.roles[kRole].ranks;
  while (program.role_of(made.rank) != kRole) ++made.rank;
  graph::KernelTable table;
  const auto counts = workload::count_kernels(program, kRole);
  for (const workload::KernelCount& count : counts)
    made.kernels.push_back({count.kernel, count.nodes});
  for (const StepKernel& one : made.kernels) (void)table.intern(one.kernel);
  const auto times = times_in_step(table, cluster);
  for (std::size_t i = 0; i < made.kernels.size(); ++i) made.kernels[i].each = times[i];
  return made;
}

}  // namespace orrery::study
