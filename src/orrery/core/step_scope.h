// SPDX-License-Identifier: Apache-2.0
//
// The position of an operator within a job (step, layer, phase), from a recording.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery {

/// Phases of a training step. Recomputation in a backward pass counts as backward.
enum class StepPhase : std::uint8_t { unsaid, forward, backward, optimizer };
inline constexpr std::size_t kStepPhases = 4;
/// "forward", "backward", "optimizer"; "" for unsaid.
[[nodiscard]] std::string_view name(StepPhase phase);
/// The phase with this name; `unsaid` for any other text.
[[nodiscard]] StepPhase parse_phase(std::string_view name);

/// The annotations around an operator, from profilers, frameworks and users. Each may be absent.
struct StepScope {
  std::int32_t step = -1;   ///< number from the profiler; -1: not stated
  std::int32_t layer = -1;  ///< layer of the rank, from 0 in forward order; -1: not stated
  StepPhase phase = StepPhase::unsaid;

  [[nodiscard]] bool is_set() const {
    return step >= 0 || layer >= 0 || phase != StepPhase::unsaid;
  }
  friend auto operator<=>(const StepScope&, const StepScope&) = default;
};

}  // namespace orrery
