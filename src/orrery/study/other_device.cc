// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/other_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "orrery/core/text.h"
#include "orrery/graph/structure/selection.h"
#include "orrery/graph/transform/costs.h"
#include "orrery/model/compute/models.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/study/kernel_answers.h"

namespace orrery::study {
namespace {

using graph::Graph;
using graph::NodeId;
using platform::DeviceEntry;

/// Names of kernels of libraries that multiply: cuBLAS, CUTLASS, cuDNN, hipBLASLt, Triton's.
bool multiplies(std::string_view name) {
  constexpr std::array<std::string_view, 9> kOfProducts = {
      "gemm", "GEMM", "conv", "cutlass", "fmha", "flash", "mma", "MT", "attention"};
  return std::any_of(kOfProducts.begin(), kOfProducts.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

/// How one device's kernels become another's.
class Mover {
 public:
  Mover(const DeviceEntry& from, const DeviceEntry& to)
      : from_(model::silicon_of(from)),
        to_(model::silicon_of(to)),
        bandwidth_(from.memory_bandwidth.count() / to.memory_bandwidth.count()),
        peak_(from.peaks.front().rate.count() / to.peaks.front().rate.count()),
        models_(model::kernel_models({})) {}

  [[nodiscard]] graph::GraphRef moved(const Graph& graph, OnOtherDevice& made) {
    std::vector<Time> durations = graph::durations_of(graph);
    for (NodeId n = 0; n < graph.size(); ++n) {
      if (graph::time_of(graph, n) != graph::TimeOf::kernels || durations[n] <= Time{}) continue;
      const Time was = durations[n];
      durations[n] = std::max(graph::kNoTime, graph::times(was, factor(graph, n, was, made)));
    }
    return std::make_shared<const Graph>(graph.with_durations(durations));
  }

 private:
  double factor(const Graph& graph, NodeId n, Time was, OnOtherDevice& made) {
    if (const graph::KernelId id = graph.kernel(n); id != graph::kNoKernel) {
      if (const double known = by_model((*graph.kernels())[id]); known > 0) {
        made.by_model += was;
        return known;
      }
    }
    const bool products = multiplies(graph.name(n));
    (products ? made.by_peak : made.by_bandwidth) += was;
    return products ? peak_ : bandwidth_;
  }

  /// 0: not both are known.
  double by_model(const graph::Kernel& kernel) {
    const auto [known, added] = factors_.try_emplace(graph::to_text(kernel), 0.0);
    if (!added) return known->second;
    const auto there = model::take_time(models_, kernel, to_);
    const auto here = model::take_time(models_, kernel, from_);
    if (there && here && here->time.seconds > 0)
      known->second = there->time.seconds / here->time.seconds;
    return known->second;
  }

  model::Silicon from_, to_;
  double bandwidth_, peak_;
  std::vector<model::NamedModel> models_;
  std::unordered_map<std::string, double> factors_;  // by kernel
};

}  // namespace

std::string OnOtherDevice::words() const {
  const Time all = by_model + by_bandwidth + by_peak;
  const auto share = [&](Time part) {
    return all > Time{}
               ? 100.0 * static_cast<double>(part.count()) / static_cast<double>(all.count())
               : 0.0;
  };
  return fmt::format(
      "kernels from {} to {}: {:.0f} % of their time by models of the kernel on both, {:.0f} % by "
      "memory bandwidth, {:.0f} % by peak; hosts, copies and communication as recorded",
      from, to, share(by_model), share(by_bandwidth), share(by_peak));
}

Result<OnOtherDevice> on_other_device(const graph::Workload& workload,
                                      const std::string& recorded_on, const std::string& to) {
  const DeviceEntry* target = platform::find_device(to);
  if (target == nullptr) return tl::unexpected(unknown_device(to));
  const DeviceEntry* source = recorded_on.empty() ? platform::find_driver(workload.recorded_on)
                                                  : platform::find_device(recorded_on);
  if (source == nullptr && !recorded_on.empty()) return tl::unexpected(unknown_device(recorded_on));
  if (source == nullptr)
    return fail(Errc::usage, "--change gpu=" + to,
                workload.recorded_on.empty()
                    ? std::string("the recording does not say what it was made on")
                    : fmt::format("the catalogue has no {}", in_quotes(workload.recorded_on)),
                "--device NAME says it, a name of 'orrery kernels'");
  OnOtherDevice made;
  made.from = source->name;
  made.to = target->name;
  Mover mover(*source, *target);
  made.workload =
      graph::with_graphs(workload, [&](const Graph& graph) { return mover.moved(graph, made); });
  return made;
}

}  // namespace orrery::study
