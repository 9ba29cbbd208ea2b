// SPDX-License-Identifier: Apache-2.0
//
// The terms of a step's prediction interval that belong to the complete step.
#pragma once

#include <string>
#include <string_view>

#include "orrery/platform/platform.h"
#include "orrery/sim/sim_result.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

/// "experts", "adapters" (Spec::lora) or "dense".
[[nodiscard]] std::string_view job_kind(const workload::Spec& spec);
/// Format of the matrix products: "16 bits", otherwise its name: "fp8".
[[nodiscard]] std::string products_text(const workload::Spec& spec);

/// Adds the errors of published steps of this kind (platform::StepErrors) to the error classes of a
/// finished simulation, as classes without time: "between sources". Nothing if too few steps of the
/// kind are published, or no model predicts a kernel of the step. O(classes).
void add_step_errors(const workload::Spec& spec, const platform::Device& device,
                     sim::SimResult& result);

}  // namespace orrery::study
