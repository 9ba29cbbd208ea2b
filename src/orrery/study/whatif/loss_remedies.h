// SPDX-License-Identifier: Apache-2.0
//
// Which changes of a job save most of the losses of its step.
#pragma once

#include <cstddef>
#include <string_view>

#include "orrery/study/whatif/step_losses.h"
#include "orrery/study/whatif/whatif_case.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

/// The change without waits for hosts: CUDA graphs, or no launch time if the job specifies one.
[[nodiscard]] std::string_view without_host_waits(const workload::Spec& spec);
/// The change without an imbalance of experts: equally many tokens for all ranks of ep.
inline constexpr std::string_view kWithoutImbalance = "model.moe.imbalance=1";

/// Simulates changes that can avoid the `most` largest recoverable losses (StepLoss::tried), on all
/// cores. Changes that are no legal plan are left out.
void try_remedies(const WhatIfCase& read, std::size_t most, StepLosses& losses);

}  // namespace orrery::study
