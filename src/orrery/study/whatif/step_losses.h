// SPDX-License-Identifier: Apache-2.0
//
// Where the time of a predicted step goes besides the products that its model needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/graph/kernel.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/whatif_case.h"

namespace orrery::study {

enum class LossKind : std::uint8_t {
  communication,  ///< exposed, of one process group
  remote_memory,  ///< exposed
  idle,           ///< pipeline bubble, waits for other ranks
  recomputation,  ///< kernels that repeat the forward pass
  memory_bound,   ///< kernels that are no matrix products: norms, activations, loss, casts
  optimizer,      ///< kernels of the optimizer
  gaps,           ///< between queued kernels
  interference,   ///< slowdown of kernels by concurrent collectives
  below_peak,     ///< matrix products and attention that are slower than the peak
  host,           ///< saved if no kernel waits for its launch
  imbalance,      ///< saved if all ranks receive equally many tokens for their experts
};
/// "exposed communication", "gaps between kernels".
[[nodiscard]] std::string_view name(LossKind kind);
/// Whether another plan can avoid it. The speed of products at a given size is not the plan's.
[[nodiscard]] constexpr bool is_recoverable(LossKind kind) { return kind != LossKind::below_peak; }

/// A change that was simulated.
struct LossRemedy {
  std::string change;  ///< in the form of --change: "tp=4"
  Time whole{};        ///< step time with the change
  bool fits = true;    ///< into the memory of a device
};

/// The group of idle time in a job with pipeline stages: mainly the bubble.
inline constexpr std::string_view kPipeline = "pipeline";

/// The kernels of a family: of one operation.
struct FamilyTime {
  graph::Operation operation = graph::Operation::unsaid;
  Time time{};  ///< per rank, mean over ranks
};

/// A part of the step.
struct StepLoss {
  LossKind kind = LossKind::idle;
  std::string group;              ///< of communication: "tp"; "": messages; of idle: kPipeline
  Time time{};                    ///< per rank, mean over ranks
  std::vector<LossRemedy> tried;  ///< by try_remedies(), shortest step first, those that fit before
  /// Of losses of kernels: by time, descending. Of `below_peak` including the time at the peak.
  std::vector<FamilyTime> families;

  /// The tried change that saves most; null: none saves anything.
  [[nodiscard]] const LossRemedy* remedy(Time step) const {
    return tried.empty() || tried.front().whole >= step ? nullptr : &tried.front();
  }
};

/// The parts of a step. `needed` and the times of `losses` sum to the step, up to rounding.
struct StepLosses {
  Time step{};
  Time needed{};                 ///< model FLOPs at the peaks of their formats, mean over ranks
  std::vector<StepLoss> losses;  ///< by time, descending, without those of no time
};

/// Of the simulation of a generated job with Question::exposed_by_group. Kernel times are those
/// that models predict, means over ranks. Exposed communication is divided among groups as on the
/// rank that ends last. Empty `losses` without a known peak.
[[nodiscard]] StepLosses step_losses(const Outcome& outcome);

/// The losses of `outcome`, with waits for hosts and the imbalance of experts as losses of their
/// own. Simulates the job without the imbalance, then also without the waits: each saves its loss.
/// The other losses are those of the last simulation. A cause that the job does not have, or that
/// saves nothing, is no loss. `read`: simulated without changes, the result is `outcome`.
[[nodiscard]] StepLosses separated_losses(const WhatIfCase& read, const Outcome& outcome,
                                          Watch& watch);

}  // namespace orrery::study
