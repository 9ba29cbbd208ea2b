// SPDX-License-Identifier: Apache-2.0
//
// A cache of predicted kernel times on one device.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "orrery/graph/kernel.h"
#include "orrery/model/compute/kernel_models.h"
#include "orrery/model/kernels/kernel_model.h"
#include "orrery/model/kernels/silicon.h"
#include "orrery/model/time_estimate.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// Times of kernels in a step (step_overhead.h). Thread-safe. The first call for a table predicts
/// all its kernels; later calls are lookups. Tables must not grow after the first call, and must
/// outlive this object.
class KernelPredictions {
 public:
  /// Uses the models that device.compute names. Automatic: for each kernel the first model with an
  /// answer; the roofline for devices that the catalog does not contain or whose peak differs
  /// from the catalog's.
  explicit KernelPredictions(const platform::Device& device, SuppliedModels given = {});
  ~KernelPredictions();
  KernelPredictions(const KernelPredictions&) = delete;
  KernelPredictions& operator=(const KernelPredictions&) = delete;

  /// Null: no model predicts the kernel.
  [[nodiscard]] const TimeEstimate* of(const graph::KernelTable& kernels,
                                       graph::KernelId kernel) const;

 private:
  struct Answers {
    const graph::KernelTable* kernels = nullptr;
    std::vector<std::optional<TimeEstimate>> by_kernel;
    std::unique_ptr<Answers> next;
  };
  const Answers& predict_all(const graph::KernelTable& kernels) const;
  [[nodiscard]] std::optional<TimeEstimate> predict(const graph::Kernel& kernel) const;
  /// The factor by which the platform's changes multiply the time of a kernel.
  [[nodiscard]] double time_factor(const graph::Kernel& kernel) const;

  platform::Device device_;
  Silicon silicon_;
  Time gap_;
  std::vector<NamedKernelModel> models_;  ///< the first one with an answer is used
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Answers> all_;  ///< newest first
  mutable std::atomic<const Answers*> newest_ = nullptr;
};

}  // namespace orrery::model
