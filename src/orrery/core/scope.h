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
enum class Phase : std::uint8_t { unsaid, forward, backward, optimizer };
inline constexpr std::size_t kPhases = 4;
/// "forward", "backward", "optimizer"; "" for unsaid.
[[nodiscard]] std::string_view name(Phase phase);
/// The phase of that name; unsaid for any other.
[[nodiscard]] Phase parse_phase(std::string_view name);

/// What somebody wrote around it: profilers, frameworks, users. Each of it may be unsaid.
struct Scope {
  std::int32_t step = -1;  ///< as the profiler numbers them; -1: not said
  std::int32_t layer =
      -1;  ///< of the rank's, from 0 in the order of the forward pass; -1: not said
  Phase phase = Phase::unsaid;

  [[nodiscard]] bool said() const { return step >= 0 || layer >= 0 || phase != Phase::unsaid; }
  friend auto operator<=>(const Scope&, const Scope&) = default;
};

}  // namespace orrery
