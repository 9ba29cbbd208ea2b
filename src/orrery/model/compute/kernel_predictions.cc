// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/kernel_predictions.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/model/compute/power_limit.h"
#include "orrery/model/compute/step_overhead.h"
#include "orrery/model/kernels/silicon_of.h"

namespace orrery::model {
namespace {

std::vector<NamedKernelModel> models_of(const platform::Device& device, SuppliedModels given) {
  if (device.compute == TimeSource::recorded) return {};
  KernelModelInputs sources;
  if (device.rated.count() > 0 && device.peak.count() > 0)
    sources.scale = device.peak.count() / device.rated.count();
  sources.own_peak = device.has_custom_peak();
  sources.given = std::move(given);
  std::vector<NamedKernelModel> models = kernel_models(sources);
  if (device.compute == TimeSource::automatic) return models;
  const auto named = [&](const NamedKernelModel& model) { return model.source == device.compute; };
  std::stable_partition(models.begin(), models.end(), named);
  if (!models.empty() && named(models.front())) models.front().enabled = true;
  if (device.compute == TimeSource::roofline) models.resize(1);
  return models;
}

}  // namespace

KernelPredictions::KernelPredictions(const platform::Device& device, SuppliedModels given)
    : device_(device),
      silicon_(silicon_of(device)),
      gap_(launch_gap_of(device, silicon_)),
      models_(models_of(device, std::move(given))) {}

KernelPredictions::~KernelPredictions() = default;

const TimeEstimate* KernelPredictions::of(const graph::KernelTable& kernels,
                                          graph::KernelId kernel) const {
  const Answers* known = newest_.load(std::memory_order_acquire);
  while (known != nullptr && known->kernels != &kernels) known = known->next.get();
  if (known == nullptr) known = &predict_all(kernels);
  const std::optional<TimeEstimate>& answer = known->by_kernel[kernel];
  return answer ? &*answer : nullptr;
}

const KernelPredictions::Answers& KernelPredictions::predict_all(
    const graph::KernelTable& kernels) const {
  const std::scoped_lock lock(mutex_);
  for (const Answers* known = all_.get(); known != nullptr; known = known->next.get())
    if (known->kernels == &kernels) return *known;
  auto made = std::make_unique<Answers>();
  made->kernels = &kernels;
  made->by_kernel.reserve(kernels.size());
  for (graph::KernelId id = 0; id < kernels.size(); ++id)
    made->by_kernel.push_back(predict(kernels[id]));
  made->next = std::move(all_);
  all_ = std::move(made);
  newest_.store(all_.get(), std::memory_order_release);
  return *all_;
}

double KernelPredictions::time_factor(const graph::Kernel& kernel) const {
  double time = 1;
  std::string text;  // KernelChange::operation is an operation, or the text of one kernel
  for (const platform::KernelChange& change : device_.changes) {
    const bool one_kernel = change.operation.find(' ') != std::string::npos;
    if (one_kernel && text.empty()) text = graph::to_text(kernel);
    if (change.operation.empty() ||
        change.operation == (one_kernel ? std::string_view(text) : graph::name(kernel.operation)))
      time *= change.time;
  }
  return time;
}

std::optional<TimeEstimate> KernelPredictions::predict(const graph::Kernel& kernel) const {
  const auto chosen = choose_time(models_, kernel, silicon_);
  if (!chosen) return std::nullopt;
  const KernelTime alone = time_under_power_limit(chosen->time, kernel, device_, silicon_);
  const KernelTime time = time_in_step(alone, kernel, device_, gap_);
  TimeEstimate made;
  made.time =
      Time(static_cast<std::int64_t>(std::ceil(time.seconds * 1e9 * 1e3 * time_factor(kernel))));
  made.source = time.source;
  if (time.band != ErrorBand{}) made.band = time.band;
  made.extrapolated = time.extrapolated;
  return made;
}

}  // namespace orrery::model
