// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/caller/caller_compute.h"

#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace orrery::model {

namespace {

class CallerCompute final : public ComputeModel {
 public:
  CallerCompute(std::unique_ptr<ComputeModel> model, std::shared_ptr<const CallerModels> caller,
                std::string device)
      : model_(std::move(model)), caller_(std::move(caller)), device_(std::move(device)) {}

  [[nodiscard]] TimeSource source(const graph::Graph& graph, graph::NodeId node) const override {
    const auto answer = time(graph, node);
    return answer ? answer->source : model_->source(graph, node);
  }

  [[nodiscard]] Result<TimeEstimate> time(const graph::Graph& graph,
                                          graph::NodeId node) const override {
    auto predicted = model_->time(graph, node);
    if (!predicted || graph.kernels() == nullptr || graph.is_cpu(node) ||
        graph.kind(node) != graph::NodeKind::comp)
      return predicted;
    const graph::KernelId kernel = graph.kernel(node);
    if (kernel == graph::kNoKernel) return predicted;
    const bool is_recorded = predicted->source == TimeSource::recorded;
    if (is_recorded && predicted->time != Time{}) return predicted;
    const std::scoped_lock lock(mutex_);
    const Question question{graph.kernels(), kernel, predicted->time, is_recorded};
    if (const auto known = answers_.find(question); known != answers_.end()) return known->second;
    const auto answer =
        caller_->kernel_time((*graph.kernels())[kernel], device_,
                             is_recorded ? std::nullopt : std::optional(*predicted));
    return answers_.emplace(question, answer.value_or(*predicted)).first->second;
  }

 private:
  using Question = std::tuple<const graph::KernelTable*, graph::KernelId, Time, bool>;

  std::unique_ptr<ComputeModel> model_;
  std::shared_ptr<const CallerModels> caller_;
  std::string device_;
  mutable std::mutex mutex_;
  mutable std::map<Question, TimeEstimate> answers_;
};

}  // namespace

std::unique_ptr<ComputeModel> with_caller_times(std::unique_ptr<ComputeModel> model,
                                                std::shared_ptr<const CallerModels> caller,
                                                std::string device) {
  if (caller == nullptr || !caller->changes_kernels()) return model;
  return std::make_unique<CallerCompute>(std::move(model), std::move(caller), std::move(device));
}

}  // namespace orrery::model
