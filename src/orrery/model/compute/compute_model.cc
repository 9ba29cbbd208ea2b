// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/compute_model.h"

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
    if (!is_modeled(graph, node)) return TimeSource::recorded;
    if (const TimeEstimate* predicted = prediction(graph, node)) return predicted->source;
    return uses_roofline(graph, node) ? TimeSource::roofline : TimeSource::recorded;
  }

  [[nodiscard]] Result<TimeEstimate> time(const graph::Graph& graph,
                                          graph::NodeId node) const override {
    const TimeEstimate recorded{graph.duration(node), TimeSource::recorded};
    if (!is_modeled(graph, node)) return recorded;
    if (const TimeEstimate* predicted = prediction(graph, node)) return *predicted;
    if (!uses_roofline(graph, node)) return recorded;
    if (!has_work(graph, node)) {
      return fail(Errc::input_missing_attr, "",
                  "a compute node lacks num_ops or tensor_size, which the roofline needs",
                  "set roofline-enabled to 0 to use recorded durations");
    }
    const auto time = roofline_time(graph.work(node), platform_.device, platform_.rules);
    if (!time) {
      return fail(Errc::config_range, "", "the roofline time exceeds 46 days",
                  "set the device's peak and memory bandwidth");
    }
    return TimeEstimate{*time, TimeSource::roofline};
  }

 private:
  static bool has_work(const graph::Graph& graph, graph::NodeId node) {
    return graph.has(node, graph::kHasNumOps) && graph.has(node, graph::kHasTensorSize);
  }

  /// Whether a model, not the recording, predicts the node.
  [[nodiscard]] bool is_modeled(const graph::Graph& graph, graph::NodeId node) const {
    if (platform_.replay_only || graph.kind(node) != graph::NodeKind::comp || graph.is_cpu(node))
      return false;
    const TimeSource model = platform_.device.compute;
    if (model == TimeSource::automatic) return graph.duration(node) == Time{};
    const KernelModelEntry* const entry = kernel_model_entry(model);
    if (entry != nullptr && entry->prefers_recorded && graph.duration(node) != Time{}) {
      const TimeEstimate* predicted = prediction(graph, node);
      return predicted != nullptr && predicted->source == model;
    }
    return entry != nullptr;
  }

  /// The prediction of the node's kernel. Null: none, or ASTRA rules, which have no kernels.
  [[nodiscard]] const TimeEstimate* prediction(const graph::Graph& graph,
                                               graph::NodeId node) const {
    if (graph.kernels() == nullptr || platform_.rules == platform::Rules::astra) return nullptr;
    const graph::KernelId kernel = graph.kernel(node);
    return kernel == graph::kNoKernel ? nullptr : predictions_.of(*graph.kernels(), kernel);
  }

  /// Whether the roofline of the node's work predicts it. If ASTRA-sim's files request the
  /// roofline, the work must be known; otherwise time() fails.
  [[nodiscard]] bool uses_roofline(const graph::Graph& graph, graph::NodeId node) const {
    if (platform_.device.peak.count() <= 0 && platform_.device.compute == TimeSource::automatic)
      return false;  // without a peak, only kernel models can predict
    return has_work(graph, node) || (platform_.rules == platform::Rules::astra &&
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
