// SPDX-License-Identifier: Apache-2.0
//
// Effects on the step time other than isolated kernel times. Each can be disabled.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

/// An effect. If it is disabled, the step time is the one without the effect.
struct Effect {
  std::string_view name;    ///< "gaps"
  std::string_view key;     ///< key of the specification or the cluster file: "kernels.launch"
  std::string_view off;     ///< value of the key that disables it
  std::string_view about;   ///< description
  std::string_view source;  ///< source of its default
  /// Functions that disable the effect; exactly one is set. They leave a specification or platform
  /// without the effect unchanged.
  Result<void> (*of_job)(workload::Spec&) = nullptr;
  void (*of_cluster)(platform::Platform&) = nullptr;
};

/// The cost of one effect in a step.
struct EffectCost {
  std::string_view name;
  Time without{};  ///< step time without the effect
};

/// All effects, in the order of output.
[[nodiscard]] std::span<const Effect> effects();
/// Returns the effect named `name`, or null.
[[nodiscard]] const Effect* find_effect(std::string_view name);
/// Errc: usage for a name that is not an effect.
[[nodiscard]] Result<void> check_effects(const std::vector<std::string>& names);

/// Disables the effects named `names` in a job, or in a cluster. Errc: those of an invalid
/// resulting specification.
[[nodiscard]] Result<void> switch_off(const std::vector<std::string>& names, workload::Spec& spec);
void switch_off(const std::vector<std::string>& names, platform::Platform& platform);

}  // namespace orrery::study
