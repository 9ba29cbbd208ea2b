// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/compute_model.h"

#include <cmath>
#include <utility>

#include "orrery/model/compute/kernel_predictions.h"
#include "orrery/model/compute/roofline.h"

namespace orrery::model {

namespace {

class PlatformCompute final : public ComputeModel {
 public:
  PlatformCompute(const platform::Platform& platform, SuppliedModels given)
      : platform_(platform), predictions_(platform.device, std::move(given)) {}

  [[nodiscard]] TimeSource source(const graph::Graph& graph, graph::NodeId node) const override {
    if (!wanted(graph, node)) return TimeSource::recorded;
    if (const TimeEstimate* predicted = prediction(graph, node)) return predicted->source;
    return falls_back(graph, node) ? TimeSource::roofline : TimeSource::recorded;
  }

  [[nodiscard]] Result<TimeEstimate> time(const graph::Graph& graph,
                                          graph::NodeId node) const override {
    const TimeEstimate recorded{graph.duration(node), TimeSource::recorded};
    if (!wanted(graph, node)) return recorded;
    if (const TimeEstimate* predicted = prediction(graph, node)) return *predicted;
    if (!falls_back(graph, node)) return recorded;
    if (!knows(graph, node)) {
      return fail(Errc::input_missing_attr, "",
                  "a compute node lacks num_ops or tensor_size, which the roofline needs",
                  "turn roofline-enabled off to use recorded durations");
    }
    const auto time = roofline_time(graph.work(node), platform_.device, platform_.rules);
    if (!time) {
      return fail(Errc::config_range, "", "the roofline gives no time within 46 days",
                  "set the device's peak and memory bandwidth");
    }
    return TimeEstimate{*time, TimeSource::roofline};
  }

 private:
  static bool knows(const graph::Graph& graph, graph::NodeId node) {
    return graph.has(node, graph::kHasNumOps) && graph.has(node, graph::kHasTensorSize);
  }

  /// Some model is asked, not the recording.
  [[nodiscard]] bool wanted(const graph::Graph& graph, graph::NodeId node) const {
    if (platform_.replay_only || graph.kind(node) != graph::NodeKind::comp || graph.is_cpu(node))
      return false;
    const TimeSource model = platform_.device.compute;
    if (model == TimeSource::automatic) return graph.duration(node) == Time{};
    const KernelModelEntry* const asked = kernel_model_entry(model);
    if (asked != nullptr && asked->prefers_recorded && graph.duration(node) != Time{}) {
      const TimeEstimate* predicted = prediction(graph, node);
      return predicted != nullptr && predicted->source == model;
    }
    return asked != nullptr;
  }

  /// Under ASTRA rules there are no kernels.
  [[nodiscard]] const TimeEstimate* prediction(const graph::Graph& graph,
                                               graph::NodeId node) const {
    if (graph.kernels() == nullptr || platform_.rules == platform::Rules::astra) return nullptr;
    const graph::KernelId kernel = graph.kernel(node);
    return kernel == graph::kNoKernel ? nullptr : predictions_.of(*graph.kernels(), kernel);
  }

  /// The roofline of the node's work takes over. Where ASTRA-sim's files ask for it it has to know,
  /// or the run fails.
  [[nodiscard]] bool falls_back(const graph::Graph& graph, graph::NodeId node) const {
    if (platform_.device.peak.count() <= 0 && platform_.device.compute == TimeSource::automatic)
      return false;  // it only knows measured kernels
    return knows(graph, node) || (platform_.rules == platform::Rules::astra &&
                                  platform_.device.compute == TimeSource::roofline);
  }

  const platform::Platform& platform_;
  KernelPredictions predictions_;
};

}  // namespace

std::unique_ptr<ComputeModel> make_compute_model(const platform::Platform& platform,
                                                 SuppliedModels given) {
  return std::make_unique<PlatformCompute>(platform, std::move(given));
}

}  // namespace orrery::model
