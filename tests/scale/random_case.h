// SPDX-License-Identifier: Apache-2.0
//
// A random workload on a random platform.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include "orrery/core/effort_testing.h"
#include "orrery/sim/simulate.h"
#include "random_platforms.h"
#include "random_workloads.h"

namespace orrery::scale {

/// A number from the environment, or else `full` or `quick`, by the effort of tests.
[[nodiscard]] inline std::uint64_t setting(const char* name, std::uint64_t full,
                                           std::uint64_t quick) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : core_testing::case_count(full, quick);
}

/// The seeds of a test with random cases: those of ORRERY_SCALE_SEED and ORRERY_SCALE_CASES, or 1,
/// 2 … up to `full` or `quick`, by the effort of tests.
struct Seeds {
  Seeds(std::uint64_t full, std::uint64_t quick)
      : first(setting("ORRERY_SCALE_SEED", 1, 1)),
        count(setting("ORRERY_SCALE_CASES", full, quick)),
        end(first + count),
        are_enough(count >= quick) {}

  /// Expects more than `least` cases of some kind, unless fewer seeds run than usual.
  void expect_more(std::uint64_t cases, std::uint64_t least) const {
    if (!are_enough) return;
    EXPECT_GT(cases, least);
  }

  std::uint64_t first, count, end;
  bool are_enough;
};

struct Case {
  platform::Platform platform;
  graph::Workload workload;
  sim::NetworkFactory network{};  ///< empty: the platform's own
};

[[nodiscard]] inline Case draw_case(std::uint64_t seed, bool loop = false) {
  Draw draw(seed);
  Case made;
  made.platform = draw_machine(draw);
  const auto ranks = static_cast<std::uint32_t>(made.platform.npu_count());
  made.workload = draw.one_in(2) ? draw_axes(draw, ranks, loop) : draw_lift(draw, ranks, loop);
  if (draw.one_in(4)) draw_deviations(draw, made.platform, draw_divisor(draw, ranks));
  return made;
}

}  // namespace orrery::scale
