// SPDX-License-Identifier: Apache-2.0
//
// What a step is made of besides the kernels alone, one by one: each with a switch.
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

/// One of them. Without it a step takes what it would if this did not exist.
struct Effect {
  std::string_view name;    ///< "gaps"
  std::string_view key;     ///< of the specification or the cluster file: "kernels.launch"
  std::string_view off;     ///< value of the key that switches it off
  std::string_view about;   ///< what it is
  std::string_view source;  ///< of its default
  /// How it is switched off; one of the two. Of a specification that does not have it nothing
  /// changes.
  Result<void> (*of_job)(workload::Spec&) = nullptr;
  void (*of_cluster)(platform::Platform&) = nullptr;
};

/// What one of them is worth in a step.
struct EffectCost {
  std::string_view name;
  Time without{};  ///< the step without it
};

/// In the order in which they are told.
[[nodiscard]] std::span<const Effect> effects();
/// The effect of that name, or null.
[[nodiscard]] const Effect* find_effect(std::string_view name);
/// Errc: usage, for a name that no effect has.
[[nodiscard]] Result<void> check_effects(const std::vector<std::string>& names);

/// Switches those of the job, or of the cluster, off. Errc: a specification without them would not
/// be legal.
[[nodiscard]] Result<void> switch_off(const std::vector<std::string>& names, workload::Spec& spec);
void switch_off(const std::vector<std::string>& names, platform::Platform& platform);

}  // namespace orrery::study
