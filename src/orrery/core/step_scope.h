// SPDX-License-Identifier: Apache-2.0
//
// Where in a job something stands, as a recording says.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery {

/// Of a step of training. What runs again in a backward pass (recomputation) is of that.
enum class StepPhase : std::uint8_t { unsaid, forward, backward, optimizer };
inline constexpr std::size_t kStepPhases = 4;
/// "forward", "backward", "optimizer"; "" for unsaid.
[[nodiscard]] std::string_view name(StepPhase phase);
/// The phase of that name; unsaid for any other.
[[nodiscard]] StepPhase parse_phase(std::string_view name);

/// What somebody wrote around it: profilers, frameworks, users. Each of it may be unsaid.
struct StepScope {
  std::int32_t step = -1;  ///< as the profiler numbers them; -1: not said
  std::int32_t layer =
      -1;  ///< of the rank's, from 0 in the order of the forward pass; -1: not said
  StepPhase phase = StepPhase::unsaid;

  [[nodiscard]] bool said() const { return step >= 0 || layer >= 0 || phase != StepPhase::unsaid; }
  friend auto operator<=>(const StepScope&, const StepScope&) = default;
};

}  // namespace orrery
