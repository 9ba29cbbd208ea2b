// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/predictions.h"

#include <cmath>

#include "orrery/model/kernels/heuristic.h"
#include "orrery/model/kernels/learned/learned.h"
#include "orrery/model/kernels/roofline_model.h"
#include "orrery/model/kernels/silicon_of.h"

namespace orrery::model {
namespace {

using platform::ComputeModel;

/// Longer than any kernel: 46 days.
constexpr double kMostSeconds = 4e6;

std::vector<std::unique_ptr<KernelModel>> models_of(const platform::Device& device) {
  std::vector<std::unique_ptr<KernelModel>> models;
  if (device.compute == ComputeModel::recorded) return models;
  const bool automatic = device.compute == ComputeModel::automatic && !device.has_own_peak();
  if ((automatic || device.compute == ComputeModel::learned) && LearnedModel::built_in() != nullptr)
    models.push_back(std::make_unique<LearnedModel>(*LearnedModel::built_in()));
  if (automatic || device.compute == ComputeModel::learned ||
      device.compute == ComputeModel::heuristic)
    models.push_back(std::make_unique<HeuristicModel>());
  const double scale = device.rated.count() > 0 && device.peak.count() > 0
                           ? device.peak.count() / device.rated.count()
                           : 1;
  models.push_back(std::make_unique<RooflineModel>(scale));
  return models;
}

}  // namespace

Predictions::Predictions(const platform::Device& device)
    : silicon_(silicon_of(device)), models_(models_of(device)) {}

Predictions::~Predictions() = default;

const Answer* Predictions::of(const graph::KernelTable& kernels, graph::KernelId kernel) const {
  const Answers* known = newest_.load(std::memory_order_acquire);
  while (known != nullptr && known->kernels != &kernels) known = known->next.get();
  if (known == nullptr) known = &work_out(kernels);
  const std::optional<Answer>& answer = known->by_kernel[kernel];
  return answer ? &*answer : nullptr;
}

const Predictions::Answers& Predictions::work_out(const graph::KernelTable& kernels) const {
  const std::scoped_lock lock(mutex_);
  for (const Answers* known = all_.get(); known != nullptr; known = known->next.get())
    if (known->kernels == &kernels) return *known;
  auto made = std::make_unique<Answers>();
  made->kernels = &kernels;
  made->by_kernel.reserve(kernels.size());
  for (graph::KernelId id = 0; id < kernels.size(); ++id)
    made->by_kernel.push_back(answer(kernels[id]));
  made->next = std::move(all_);
  all_ = std::move(made);
  newest_.store(all_.get(), std::memory_order_release);
  return *all_;
}

std::optional<Answer> Predictions::answer(const graph::Kernel& kernel) const {
  for (const auto& model : models_) {
    const auto time = model->time(kernel, silicon_);
    if (!time || !(time->seconds > 0 && time->seconds < kMostSeconds)) continue;
    Answer made;
    made.time = Time(static_cast<std::int64_t>(std::ceil(time->seconds * 1e9 * 1e3)));
    made.source = time->source;
    if (time->band != ErrorBand{}) made.band = time->band;
    return made;
  }
  return std::nullopt;
}

}  // namespace orrery::model
