// SPDX-License-Identifier: Apache-2.0
//
// Times of kernels on one device, each worked out once.
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

/// Times are those in a step (step_overhead.h). Thread-safe. The first question about a table
/// answers for all its kernels; after that an answer is a look into a row. Tables must not grow any
/// more, and outlive it.
class KernelPredictions {
 public:
  /// By the models that device.compute names. Automatic: the best that is known for each kernel;
  /// the roofline for devices that are not of the catalogue, or whose peak is not the catalogue's.
  explicit KernelPredictions(const platform::Device& device, SuppliedModels given = {});
  ~KernelPredictions();
  KernelPredictions(const KernelPredictions&) = delete;
  KernelPredictions& operator=(const KernelPredictions&) = delete;

  /// Null where no model says anything.
  [[nodiscard]] const TimeEstimate* of(const graph::KernelTable& kernels,
                                       graph::KernelId kernel) const;

 private:
  struct Answers {
    const graph::KernelTable* kernels = nullptr;
    std::vector<std::optional<TimeEstimate>> by_kernel;
    std::unique_ptr<Answers> next;
  };
  const Answers& work_out(const graph::KernelTable& kernels) const;
  [[nodiscard]] std::optional<TimeEstimate> answer(const graph::Kernel& kernel) const;
  /// What the platform's changes multiply its time by.
  [[nodiscard]] double change_of(const graph::Kernel& kernel) const;

  platform::Device device_;
  Silicon silicon_;
  Time gap_;
  std::vector<NamedKernelModel> models_;  ///< the first that answers counts
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Answers> all_;  ///< newest first
  mutable std::atomic<const Answers*> newest_ = nullptr;
};

}  // namespace orrery::model
