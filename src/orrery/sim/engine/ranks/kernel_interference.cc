// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/engine/ranks/kernel_interference.h"

#include <algorithm>
#include <cmath>

namespace orrery::sim {

// The duration is at least the remaining time alone: rounding down must not make the end earlier.
void KernelInterference::set_end(std::uint32_t rank, InterferenceState::Kernel& kernel) {
  const InterferenceState& state = run_.shared.kernel_interference[rank];
  const double factor = interference_.factor(state.taken, kernel.product);
  const double duration = std::ceil(static_cast<double>(kernel.remaining) * factor);
  const std::int64_t delay = factor == 1.0 ? kernel.remaining
                             : duration < 4e18
                                 ? std::max(static_cast<std::int64_t>(duration), kernel.remaining)
                                 : model::MultiDimFabric::kTooLong;
  const std::int64_t end = run_.after(delay);
  kernel.factor = factor;
  kernel.end = end;
  if (kernel.wakes < run_.now() || end < kernel.wakes) wake_at_end(rank, kernel);
}

void KernelInterference::wake_at_end(std::uint32_t rank, InterferenceState::Kernel& kernel) {
  kernel.wakes = kernel.end;
  local_events_.at(rank, kernel.end - run_.now(),
                   {.arg = kernel.node, .kind = LocalEventKind::kernel_done});
}

// Kernel tables lock for each access, so that all answers are computed once.
bool KernelInterference::is_product(const graph::Graph& graph, graph::NodeId node) {
  const graph::KernelId id = graph.kernel(node);
  if (id == graph::kNoKernel) return true;
  const graph::KernelTable& kernels = *graph.kernels();
  for (const Products& known : products_)
    if (known.table == &kernels) return known.is_product[id] != 0;
  Products& made = products_.emplace_back();
  made.table = &kernels;
  for (graph::KernelId kernel = 0; kernel < kernels.size(); ++kernel)
    made.is_product.push_back(model::Interference::is_product(kernels[kernel].operation) ? 1 : 0);
  return made.is_product[id] != 0;
}

void KernelInterference::begin(std::uint32_t rank, graph::NodeId node, std::int64_t alone) {
  std::vector<InterferenceState::Kernel>& kernels = run_.shared.kernel_interference[rank].kernels;
  kernels.push_back({.node = node,
                     .product = is_product(run_.graph_of(rank), node),
                     .remaining = alone,
                     .since = run_.now(),
                     .begun = run_.now(),
                     .alone = alone});
  set_end(rank, kernels.back());
}

bool KernelInterference::finish(std::uint32_t rank, graph::NodeId node) {
  std::vector<InterferenceState::Kernel>& kernels = run_.shared.kernel_interference[rank].kernels;
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const auto& kernel) { return kernel.node == node; });
  if (found == kernels.end()) return false;
  if (found->end != run_.now()) {
    if (found->wakes == run_.now()) wake_at_end(rank, *found);
    return false;
  }
  run_.shared.gpu_time[rank] += run_.now() - found->begun - found->alone;
  kernels.erase(found);
  return true;
}

void KernelInterference::phase(const Stream& stream, int by) {
  const model::PhaseSpec& spec = *stream.spec;
  model::ConcurrentUse taken = run_.shared.kernel_interference[stream.rank].taken;
  taken.collectives += by;
  taken.sms += by * spec.sms;
  taken.memory_rate += by * spec.memory_rate;
  change(stream.rank, taken);
}

void KernelInterference::copy_rate_changes(std::uint32_t rank, std::int64_t by) {
  model::ConcurrentUse taken = run_.shared.kernel_interference[rank].taken;
  taken.copy_rate += by;
  change(rank, taken);
}

void KernelInterference::change(std::uint32_t rank, const model::ConcurrentUse& taken) {
  InterferenceState& state = run_.shared.kernel_interference[rank];
  state.taken = taken;
  for (InterferenceState::Kernel& kernel : state.kernels) {
    if (kernel.end == run_.now()) continue;  // already ended
    if (kernel.since < run_.now()) {
      const double done =
          std::floor(static_cast<double>(run_.now() - kernel.since) / kernel.factor);
      kernel.remaining =
          std::max<std::int64_t>(kernel.remaining - static_cast<std::int64_t>(done), 1);
      kernel.since = run_.now();
    }
    set_end(rank, kernel);
  }
}

}  // namespace orrery::sim
